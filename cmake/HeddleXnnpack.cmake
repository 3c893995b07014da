# SPDX-License-Identifier: Apache-2.0
# heddle_xnnpack: XNNPACK with its microkernels and cpuinfo, as static libraries. Never with
# libpthreadpool, of which only the header comes along: kernels/opt/xnn has its functions. That is why
# a shared XNNPACK, as Debian 13 ships it, will not do: it is bound to libpthreadpool already.
set(HEDDLE_XNNPACK_ROOT "" CACHE PATH
    "Folder with XNNPACK's lib/ and include/; by default what scripts/setup_xnnpack left in the cache")

# Version and recipe, as scripts/setup_xnnpack names its folder after them.
set(_pins ${PROJECT_SOURCE_DIR}/cmake/xnnpack/pins)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_pins})
file(STRINGS ${_pins} _line REGEX "^xnnpack ")
string(REGEX MATCH "git([0-9]+)" _ "${_line}")
set(_version ${CMAKE_MATCH_1})
file(STRINGS ${_pins} _line REGEX "^recipe ")
string(REGEX MATCH "[0-9]+" _recipe "${_line}")

# One build serves any C compiler; that of this project's own knows the same instruction sets.
string(TOLOWER ${CMAKE_C_COMPILER_ID} _compiler)
string(REPLACE gnu gcc _compiler ${_compiler})
file(GLOB _roots ${HEDDLE_CACHE}/xnnpack-${_version}-${_recipe}-*-${CMAKE_SYSTEM_PROCESSOR})
list(PREPEND _roots
     ${HEDDLE_CACHE}/xnnpack-${_version}-${_recipe}-${_compiler}${CMAKE_C_COMPILER_VERSION}-${CMAKE_SYSTEM_PROCESSOR})

# Named by the user > on CMAKE_PREFIX_PATH > the cache. Looked up anew each time: a cached answer
# would outlive the folder that it points to.
set(_missing "")
foreach(_file XNNPACK microkernels-prod cpuinfo xnnpack.h pthreadpool.h)
  set(_kind LIBRARY)
  set(_name lib${_file}.a)
  if(_file MATCHES "\\.h$")
    set(_kind PATH)
    set(_name ${_file})
  endif()
  string(MAKE_C_IDENTIFIER ${_file} _var)
  unset(_xnn_${_var} CACHE)
  if(HEDDLE_XNNPACK_ROOT)
    cmake_language(CALL find_${_kind} _xnn_${_var} ${_name} PATHS ${HEDDLE_XNNPACK_ROOT}
                   PATH_SUFFIXES lib include NO_CACHE NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  else()
    # Not the machine's own folders: a distribution's XNNPACK is too old or shared.
    cmake_language(CALL find_${_kind} _xnn_${_var} ${_name} PATHS ${_roots} PATH_SUFFIXES lib include
                   NO_CACHE NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH NO_CMAKE_FIND_ROOT_PATH)
  endif()
  if(NOT _xnn_${_var})
    list(APPEND _missing ${_name})
  endif()
endforeach()

if(_missing)
  list(JOIN _missing ", " _missing)
  if(HEDDLE_XNNPACK_ROOT)
    set(_where "${HEDDLE_XNNPACK_ROOT} (HEDDLE_XNNPACK_ROOT)")
  else()
    set(_where "CMAKE_PREFIX_PATH and the cache ${HEDDLE_CACHE}")
  endif()
  message(FATAL_ERROR
    "XNNPACK ${_version}: no ${_missing} in ${_where}. Any one of these helps:\n"
    "  scripts/setup                      builds it into the cache, once\n"
    "  -DHEDDLE_XNNPACK_ROOT=FOLDER       uses a static build of yours\n"
    "  -DHEDDLE_XNNPACK=OFF               builds Heddle without it; convolutions run slower")
endif()

# Older headers lack these; a clear word now rather than pages of compiler errors.
file(STRINGS ${_xnn_xnnpack_h}/xnnpack.h _new REGEX "xnn_create_unary_elementwise_nc|xnn_create_binary_elementwise_nd")
list(LENGTH _new _found)
if(_found LESS 2)
  message(FATAL_ERROR "${_xnn_xnnpack_h}/xnnpack.h is older than ${_version}, the least that Heddle works with. "
    "scripts/setup builds that one; -DHEDDLE_XNNPACK=OFF goes without.")
endif()

message(STATUS "XNNPACK: ${_xnn_XNNPACK}")
add_library(heddle_xnnpack INTERFACE)
target_include_directories(heddle_xnnpack SYSTEM INTERFACE ${_xnn_xnnpack_h} ${_xnn_pthreadpool_h})
target_link_libraries(heddle_xnnpack INTERFACE
  ${_xnn_XNNPACK} ${_xnn_microkernels_prod} ${_xnn_cpuinfo} Threads::Threads m)
target_compile_definitions(heddle_xnnpack INTERFACE HEDDLE_HAVE_XNNPACK=1)
# XNNPACK's header has no version; setup_xnnpack leaves it beside.
set(HEDDLE_XNNPACK_VERSION unknown)
if(EXISTS ${_xnn_xnnpack_h}/../version)
  file(STRINGS ${_xnn_xnnpack_h}/../version _line REGEX "^xnnpack ")
  string(REGEX MATCH "git[0-9]+" HEDDLE_XNNPACK_VERSION "${_line}")
endif()
