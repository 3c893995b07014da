# SPDX-License-Identifier: Apache-2.0
# heddle_select_ops(LIST OPS_FILE OUTPUT) writes the lines of LIST (kernels/builtin_ops.inc) whose ops
# OPS_FILE names: one name a line, `#` begins a comment. `heddle ops MODEL...` prints such files.
cmake_policy(VERSION 3.25)  # for use as a script

function(heddle_select_ops list ops_file output)
  if(NOT EXISTS ${ops_file} OR IS_DIRECTORY ${ops_file})
    message(FATAL_ERROR "HEDDLE_OPS: no file ${ops_file}")
  endif()
  set(wanted "")
  file(STRINGS ${ops_file} lines)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#.*" "" name "${line}")
    string(STRIP "${name}" name)
    if(name STREQUAL "")
      continue()
    endif()
    if(NOT name MATCHES "^[A-Z0-9_]+$")
      message(FATAL_ERROR "${ops_file}: \"${name}\" is no op's name, such as CONV_2D")
    endif()
    list(APPEND wanted ${name})
  endforeach()
  if(NOT wanted)
    message(FATAL_ERROR "${ops_file}: names no op")
  endif()
  list(REMOVE_DUPLICATES wanted)

  set(known "")
  set(selected "")
  file(STRINGS ${list} lines REGEX "^HEDDLE_BUILTIN_OP\\(")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "\\(([A-Z0-9_]+)\\)" match "${line}")
    list(APPEND known ${CMAKE_MATCH_1})
    if(CMAKE_MATCH_1 IN_LIST wanted)
      string(APPEND selected "${line}\n")
    endif()
  endforeach()
  set(missing ${wanted})
  list(REMOVE_ITEM missing ${known})
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "${ops_file}: Heddle has no kernel for ${missing}")
  endif()

  file(CONFIGURE OUTPUT ${output} CONTENT "${selected}" @ONLY)  # leaves an equal file alone
  list(LENGTH wanted count)
  list(LENGTH known all)
  message(STATUS "Selective build: ${count} of ${all} ops")
endfunction()

# cmake -DLIST=... -DOPS=... -DOUTPUT=... -P cmake/HeddleSelectOps.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  heddle_select_ops(${LIST} ${OPS} ${OUTPUT})
endif()
