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
