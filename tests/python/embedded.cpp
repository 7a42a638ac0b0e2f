// A program that embeds Python, and launches before it begins, after it has ended, from threads that it knows
// and that it does not, and through code that was made at run time. Kernels named native_* have no Python
// above them.
//
// embedded SCRIPT ARGUMENT...: runs SCRIPT twice, in one interpreter after the other; the second run has
// "again" for its last argument.

#include <array>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <thread>

namespace {

template <class Function>
Function python(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

CUfunction kernel_named(const char* name) {
  static CUmodule module = nullptr;
  constexpr const char* kCode =
      "# built in\nkernel native_before\nkernel native_after\nkernel native_thread\nkernel "
      "native_generated\n";
  CUfunction kernel = nullptr;
  if (module == nullptr && cuModuleLoadData(&module, kCode) != CUDA_SUCCESS) return nullptr;
  (void)cuModuleGetFunction(&kernel, module, name);
  return kernel;
}

bool launch(const char* name) {
  return cuLaunchKernel(kernel_named(name), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS;
}

bool launch_from_generated_code() {
  const auto call = +[] { (void)launch("native_generated"); };
  constexpr std::array<unsigned char, 11> kCall{0x48, 0x83, 0xEC, 0x08, 0xFF, 0xD7,
                                                0x48, 0x83, 0xC4, 0x08, 0xC3};
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  std::memcpy(page, kCall.data(), kCall.size());  // sub rsp, 8; call rdi; add rsp, 8; ret
  reinterpret_cast<void (*)(void (*)())>(page)(call);
  return munmap(page, 4096) == 0;
}

bool run_script(int argc, char** argv, bool again) {
  std::string arguments;
  for (int i = 1; i < argc; ++i) arguments += "'" + std::string(argv[i]) + "', ";
  if (again) arguments += "'again'";
  const std::string text = "import sys\nsys.argv = [" + arguments +
                           "]\nexec(compile(open(sys.argv[0]).read(), sys.argv[0], 'exec'))\n";
  python<void (*)(int)>("Py_InitializeEx")(0);
  const bool ran = python<int (*)(const char*)>("PyRun_SimpleString")(text.c_str()) == 0;
  // A thread that Python does not know, while the interpreter lives.
  CUcontext context = nullptr;
  (void)cuCtxGetCurrent(&context);
  std::thread([context] {
    (void)(cuCtxSetCurrent(context) == CUDA_SUCCESS && launch("native_thread"));
  }).join();
  return python<int (*)()>("Py_FinalizeEx")() == 0 && ran;
}

}  // namespace

int main(int argc, char** argv) {
  CUcontext context = nullptr;
  if (argc < 2 || dlopen("libpython3.11.so.1.0", RTLD_NOW | RTLD_GLOBAL) == nullptr) return 1;
  if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate(&context, nullptr, 0, 0) != CUDA_SUCCESS) return 2;
  bool right = launch("native_before") && launch_from_generated_code();
  right = run_script(argc, argv, false) && right;
  right = launch("native_after") && launch_from_generated_code() && right;
  right = run_script(argc, argv, true) && right;
  right = launch("native_after") && right;
  std::puts("done");
  return right ? 0 : 3;
}
