# One CMake target a folder. Sources are globbed, so that adding a file is no edit here.

add_library(heddle_flags INTERFACE)
target_compile_features(heddle_flags INTERFACE cxx_std_20)
target_compile_options(heddle_flags INTERFACE
  -Wall -Wextra -Wimplicit-fallthrough -Wvla
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -Wnon-virtual-dtor -Woverloaded-virtual>
  -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  # Results must not depend on the compiler fusing a multiply with an add where the source does not.
  -ffp-contract=off)
if(HEDDLE_WERROR)
  target_compile_options(heddle_flags INTERFACE -Werror)
endif()
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_flags INTERFACE
    -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()
target_include_directories(heddle_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# heddle_library(NAME [DEPS other heddle folders...] [LIBS private libraries...])
# makes heddle_NAME from the .cc files of the current folder.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(TRANSFORM ARG_DEPS PREPEND heddle_)
  if(sources)
    add_library(heddle_${name} STATIC ${sources})
    target_link_libraries(heddle_${name} PUBLIC heddle_flags ${ARG_DEPS} PRIVATE ${ARG_LIBS})
  else()
    add_library(heddle_${name} INTERFACE)
    target_link_libraries(heddle_${name} INTERFACE heddle_flags ${ARG_DEPS} ${ARG_LIBS})
  endif()
endfunction()

# heddle_test(NAME [DEPS ...] [LIBS ...]) makes one GoogleTest program from the folder's *_test.cc.
function(heddle_test name)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *_test.cc)
  list(TRANSFORM ARG_DEPS PREPEND heddle_)
  add_executable(heddle_${name}_test ${sources})
  target_link_libraries(heddle_${name}_test PRIVATE heddle_flags ${ARG_DEPS} ${ARG_LIBS} heddle_test_main)
  set(environment HEDDLE_SOURCE_DIR=${PROJECT_SOURCE_DIR} HEDDLE_BINARY_DIR=${PROJECT_BINARY_DIR})
  gtest_discover_tests(heddle_${name}_test
    TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()
