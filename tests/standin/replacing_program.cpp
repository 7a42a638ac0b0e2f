// replacing_program LIBRARY [REPLACEMENT]: allocates memory of the GPU from the library, and then puts
// another file in its place, as a build does that goes on beside the program.

#include <cstdio>
#include <cuda.h>
#include <dlfcn.h>

int main(int argc, char** argv) {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  if (argc < 2 || cuInit(0) != CUDA_SUCCESS || cuCtxCreate(&context, nullptr, 0, 0) != CUDA_SUCCESS) return 1;
  void* const library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) return 2;
  const auto allocate = reinterpret_cast<CUresult (*)(CUdeviceptr*)>(dlsym(library, "allocate"));
  if (allocate == nullptr || allocate(&memory) != CUDA_SUCCESS) return 3;
  return argc > 2 && std::rename(argv[2], argv[1]) != 0 ? 4 : 0;
}
