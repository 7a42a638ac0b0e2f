# Turns the three availability switches into COALESCOPE_HAVE_CUPTI, _KERNELS, _CHARTS and one sentence each
# for the summary. Code never asks for these: a folder is built or it is not.
include(CheckLanguage)

# coalescope_decide(SWITCH found "what is missing" "how to get it")
function(coalescope_decide switch found missing remedy)
  string(REPLACE COALESCOPE_ COALESCOPE_HAVE_ have ${switch})
  if(${switch} STREQUAL "OFF")
    set(value OFF)
    set(${switch}_STATUS "off, by request" PARENT_SCOPE)
  elseif(found)
    set(value ON)
    set(${switch}_STATUS "on" PARENT_SCOPE)
  elseif(${switch} STREQUAL "ON")
    message(FATAL_ERROR "${switch}=ON, but ${missing}. ${remedy}, or configure with -D${switch}=AUTO.")
  else()
    set(value OFF)
    set(${switch}_STATUS "off, ${missing}" PARENT_SCOPE)
  endif()
  set(${have} ${value} PARENT_SCOPE)
endfunction()

# find_package(CUDAToolkit) needs only C++; nvcc is looked for separately, because headers alone build the library.
find_package(CUDAToolkit 13.0 QUIET)
find_path(COALESCOPE_CUPTI_INCLUDE cupti_range_profiler.h
          HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
mark_as_advanced(COALESCOPE_CUPTI_INCLUDE)
set(found FALSE)
if(CUDAToolkit_FOUND AND COALESCOPE_CUPTI_INCLUDE)
  set(found TRUE)
endif()
coalescope_decide(COALESCOPE_CUPTI ${found} "no CUDA Toolkit 13 with CUPTI headers found"
                  "Install NVIDIA's cuda-toolkit package and set CUDAToolkit_ROOT")

# Where nvcc is not on the PATH it may still lie in the toolkit that was found.
if(CUDAToolkit_NVCC_EXECUTABLE AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
set(found FALSE)
if(CUDAToolkit_FOUND)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(found TRUE)
  endif()
endif()
coalescope_decide(COALESCOPE_KERNELS ${found} "no nvcc found" "Install NVIDIA's cuda-toolkit package")

find_program(COALESCOPE_NPM npm)
mark_as_advanced(COALESCOPE_NPM)
set(found FALSE)
if(COALESCOPE_NPM)
  set(found TRUE)
endif()
coalescope_decide(COALESCOPE_CHARTS ${found} "no npm found" "Install Debian's npm package")
