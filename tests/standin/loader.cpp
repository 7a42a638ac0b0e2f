// What the dynamic loader answers is the script's to decide, too: the stand-in's libcuda, which the program
// is linked with, stands before the C library, and so these are the functions that the recorder calls.
//
// Sanitizers call them while they begin: nothing here is instrumented (see CMakeLists.txt), nothing is kept
// in a static, whose guard they intercept, and nothing of the script is read for a name that is not CUDA's.

#include <dlfcn.h>
#include <string_view>

#include "tests/standin/faults.h"

namespace {

// The C library's own is intercepted, and a template's may be taken from an instrumented file.
bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlvsym(RTLD_NEXT, name, "GLIBC_2.34"));
}

bool names_cupti(const char* path) {
  return path != nullptr && std::string_view(path).find("libcupti.so") != std::string_view::npos;
}

void* open_library(const char* path, int flags) {
  auto* const call = real<void* (*)(const char*, int)>("dlopen");
  return names_cupti(path) && standin::missing("libcupti.so") ? nullptr : call(path, flags);
}

}  // namespace

extern "C" {

void* dlsym(void* library, const char* name) {
  auto* const call = real<void* (*)(void*, const char*)>("dlsym");
  // A sanitizer stands before us, and asks what comes after it.
  if (library == RTLD_NEXT && same(name, "dlopen")) return reinterpret_cast<void*>(&open_library);
  const bool ours = name[0] == 'c' && name[1] == 'u';
  return ours && standin::missing(name) ? nullptr : call(library, name);
}

void* dlopen(const char* path, int flags) {
  return open_library(path, flags);
}
}
