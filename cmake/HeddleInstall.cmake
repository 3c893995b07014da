# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: headers, the library, the program, and what find_package(heddle)
# and pkg-config read.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/heddle/heddle_attributes.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle)

install(TARGETS heddle EXPORT heddle-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS heddle LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_ONLY)
if(TARGET heddle_tool)
  # Finds the library beside it, wherever the whole is moved.
  file(RELATIVE_PATH _from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(heddle_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${_from_bin}")
  install(TARGETS heddle_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(_config ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle-targets NAMESPACE heddle:: DESTINATION ${_config})
file(WRITE ${PROJECT_BINARY_DIR}/heddle-config.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/heddle-targets.cmake)\n")
# Until 1.0 a minor version may change what is compiled against the headers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddle-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config.cmake ${PROJECT_BINARY_DIR}/heddle-config-version.cmake
  DESTINATION ${_config})

# Relative to the file, so that an installation can be moved.
file(RELATIVE_PATH HEDDLE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
