// Preloaded by a test: a machine without CUPTI, wherever it lies.
#include <cstring>
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name, int flags) noexcept {
  if (name != nullptr && std::strstr(name, "libcupti") != nullptr) return nullptr;
  static auto* const kNext = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return kNext(name, flags);
}
