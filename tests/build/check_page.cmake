cmake_policy(VERSION 3.25)
# Compares a generated page of docs/ with what the code says now:
#   cmake -DPROGRAM=<reference_pages> -DPAGE=schema -DFILE=docs/schema.md -P check_page.cmake
execute_process(COMMAND ${PROGRAM} ${PAGE} OUTPUT_VARIABLE current COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} committed)
if(NOT current STREQUAL committed)
  message(FATAL_ERROR "${FILE} is not what the code says; run scripts/update_docs and commit the result")
endif()
