# SPDX-License-Identifier: Apache-2.0
# What Heddle is built from. `scripts/setup` brings all of it to a Debian machine.
if(DEFINED ENV{XDG_CACHE_HOME})
  set(HEDDLE_CACHE $ENV{XDG_CACHE_HOME}/heddle)
else()
  set(HEDDLE_CACHE $ENV{HOME}/.cache/heddle)
endif()

find_package(Threads REQUIRED)
find_program(HEDDLE_FLATC flatc REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# heddle_find_header(NAME HEADER [SUFFIX] [LIBRARY]): target heddle_NAME for a package that ships no
# dependable CMake files of its own.
function(heddle_find_header name header)
  cmake_parse_arguments(ARG "" "SUFFIX;LIBRARY" "" ${ARGN})
  string(TOUPPER HEDDLE_${name} var)
  find_path(${var}_INCLUDE ${header} PATH_SUFFIXES ${ARG_SUFFIX} REQUIRED)
  add_library(heddle_${name} INTERFACE)
  target_include_directories(heddle_${name} SYSTEM INTERFACE ${${var}_INCLUDE})
  if(ARG_LIBRARY)
    find_library(${var}_LIBRARY ${ARG_LIBRARY} REQUIRED)
    target_link_libraries(heddle_${name} INTERFACE ${${var}_LIBRARY})
  endif()
  mark_as_advanced(${var}_INCLUDE ${var}_LIBRARY)
endfunction()

heddle_find_header(flatbuffers flatbuffers/flatbuffers.h)
if(HEDDLE_XNNPACK)
  include(HeddleXnnpack)  # target heddle_xnnpack
endif()
if(HEDDLE_TOOLS)
  find_package(CLI11 REQUIRED)          # CLI11::CLI11
  find_package(nlohmann_json REQUIRED)  # nlohmann_json::nlohmann_json
  heddle_find_header(stb stb_image.h SUFFIX stb)
  heddle_find_header(sndfile sndfile.h LIBRARY sndfile)
  heddle_find_header(zlib zlib.h LIBRARY z)  # .npz
endif()
if(HEDDLE_BENCH)
  find_package(benchmark REQUIRED)  # benchmark::benchmark
endif()
if(HEDDLE_TESTS)
  find_package(GTest REQUIRED)  # GTest::gtest, GTest::gmock
  include(GoogleTest)
  # HEDDLE_ORACLE_PYTHON: a Python with LiteRT, from `scripts/setup --oracle`; empty where there is none.
  set(_requirements ${PROJECT_SOURCE_DIR}/tests/oracle/requirements.txt)
  file(SHA256 ${_requirements} _key)
  string(SUBSTRING ${_key} 0 12 _key)
  file(GLOB HEDDLE_ORACLE_PYTHON ${HEDDLE_CACHE}/oracle-${_key}-py*-${CMAKE_HOST_SYSTEM_PROCESSOR}/bin/python)
  if(HEDDLE_ORACLE_PYTHON)
    list(GET HEDDLE_ORACLE_PYTHON 0 HEDDLE_ORACLE_PYTHON)
  endif()
  message(STATUS "LiteRT to compare with: ${HEDDLE_ORACLE_PYTHON}")
endif()
