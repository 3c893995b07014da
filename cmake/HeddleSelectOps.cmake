# SPDX-License-Identifier: Apache-2.0
# heddle_select_ops(LISTS OPS_FILE OUTPUTS) writes the lines of each of LISTS (kernels/builtin_ops.inc,
# kernels/custom_ops.inc) whose ops OPS_FILE names to the file at the same place in OUTPUTS. OPS_FILE: one
# name a line, a custom op's behind `custom:`; `#` begins a comment. `heddle ops MODEL...` prints such files,
# with custom ops as comments.
cmake_policy(VERSION 3.25)  # for use as a script

function(heddle_select_ops lists ops_file outputs)
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
    if(NOT name MATCHES "^([A-Z0-9_]+|custom:[A-Za-z0-9_]+)$")
      message(FATAL_ERROR "${ops_file}: \"${name}\" is no op's name, such as CONV_2D")
    endif()
    list(APPEND wanted ${name})
  endforeach()
  if(NOT wanted)
    message(FATAL_ERROR "${ops_file}: names no op")
  endif()
  list(REMOVE_DUPLICATES wanted)

  set(known "")
  foreach(list output IN ZIP_LISTS lists outputs)
    set(selected_${output} "")
    file(STRINGS ${list} lines REGEX "^HEDDLE_BUILTIN_(CUSTOM_)?OP\\(")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "^HEDDLE_BUILTIN_(CUSTOM_)?OP\\(([A-Za-z0-9_]+)\\)" match "${line}")
      set(name ${CMAKE_MATCH_2})
      if(CMAKE_MATCH_1)
        string(PREPEND name "custom:")
      endif()
      list(APPEND known ${name})
      if(name IN_LIST wanted)
        string(APPEND selected_${output} "${line}\n")
      endif()
    endforeach()
  endforeach()
  set(missing ${wanted})
  list(REMOVE_ITEM missing ${known})
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "${ops_file}: Heddle has no kernel for ${missing}")
  endif()

  foreach(output IN LISTS outputs)
    file(CONFIGURE OUTPUT ${output} CONTENT "${selected_${output}}" @ONLY)  # leaves an equal file alone
  endforeach()
  list(LENGTH wanted count)
  list(LENGTH known all)
  message(STATUS "Selective build: ${count} of ${all} ops")
endfunction()

# cmake -DLIST=... -DOPS=... -DOUTPUT=... -P cmake/HeddleSelectOps.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  heddle_select_ops("${LIST}" ${OPS} "${OUTPUT}")
endif()
