# One line for each part that this machine's software decides about.
message(STATUS "coalescope ${PROJECT_VERSION}")
message(STATUS "  injected library: ${COALESCOPE_CUPTI_STATUS}")
message(STATUS "  reference kernels: ${COALESCOPE_KERNELS_STATUS}")
message(STATUS "  charts: ${COALESCOPE_CHARTS_STATUS}")
message(STATUS "  tests: ${COALESCOPE_TESTS_STATUS}")
