# Turns on the CUDA language in the folder that calls it: only those with .cu files do.
macro(coalescope_enable_cuda)
  # The programs are also carried to machines with other GPUs: code for every major architecture that this nvcc
  # knows.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES all-major)
  endif()
  enable_language(CUDA)
  # CMake 3.25 knows no flag for C++20 with nvcc 13 and refuses the standard. As an ordinary option it would
  # stand beside the -std=c++17 that the libraries' own requirements bring in.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
endmacro()

# coalescope_cuda_sources(out NAME files...): those files, or where C++ is compiled many files at a time, one that
# includes them all, as CMake does that for CUDA from 3.31 on.
function(coalescope_cuda_sources out name)
  if(NOT CMAKE_UNITY_BUILD)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"\n" OUTPUT_VARIABLE code)
  list(JOIN code "" code)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}.cu)
  file(CONFIGURE OUTPUT ${file} CONTENT "${code}" @ONLY)
  set(${out} ${file} PARENT_SCOPE)
endfunction()
