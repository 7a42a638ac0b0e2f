# cmake -DLIBRARY=... -DEXPORTS=... -DNM=... -DREADELF=... -P check_exports.cmake
# A library of ours shows the names EXPORTS (with commas between) to the programs that it is loaded into, and needs
# nothing that could be missing there: a preloaded library whose dependency is absent ends the program.
cmake_policy(VERSION 3.25)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
list(TRANSFORM lines REPLACE " .*" "")
list(SORT lines)
string(REPLACE "," ";" expected "${EXPORTS}")
list(SORT expected)
if(NOT lines STREQUAL expected)
  message(SEND_ERROR "${LIBRARY} shows the target ${lines} instead of ${expected}")
endif()

execute_process(COMMAND ${READELF} -d ${LIBRARY} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]+" needed "${dynamic}")
foreach(line IN LISTS needed)
  if(NOT line MATCHES "\\[(libc\\.so\\.6|libm\\.so\\.6|ld-linux-x86-64\\.so\\.2)\\]")
    message(SEND_ERROR "${LIBRARY} needs what may be missing in the target: ${line}")
  endif()
endforeach()
