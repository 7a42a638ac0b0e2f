# cmake -DLIBRARY=... -DNM=... -DREADELF=... -P check_exports.cmake
# The injected library shows its entries, the driver's, NVTX's and those that stand before CUPTI's, to the programs
# that it is loaded into, and needs nothing that could be missing there: a preloaded library whose dependency is absent
# ends the program.
cmake_policy(VERSION 3.25)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^(InitializeInjection(Nvtx2)?|cupti(ActivityEnable|ActivityRegisterCallbacks|ProfilerInitialize|Subscribe(_v2)?)) ")
    message(SEND_ERROR "${LIBRARY} shows the target a symbol of ours: ${line}")
  endif()
endforeach()
list(LENGTH lines count)
if(NOT count EQUAL 7)
  message(SEND_ERROR "${LIBRARY} exports ${count} symbols, not the two entries of the driver and of NVTX and five of CUPTI's")
endif()

execute_process(COMMAND ${READELF} -d ${LIBRARY} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]+" needed "${dynamic}")
foreach(line IN LISTS needed)
  if(NOT line MATCHES "\\[(libc\\.so\\.6|libm\\.so\\.6|ld-linux-x86-64\\.so\\.2)\\]")
    message(SEND_ERROR "${LIBRARY} needs what may be missing in the target: ${line}")
  endif()
endforeach()
