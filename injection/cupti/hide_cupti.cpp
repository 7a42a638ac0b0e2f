// Preloaded by a test: a machine without CUPTI, wherever it lies; with HIDE_CUPTI_FILES set, one where the
// loader alone finds it.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name, int flags) noexcept {
  const bool is_cupti = name != nullptr && std::strstr(name, "libcupti") != nullptr;
  if (is_cupti && (std::strchr(name, '/') != nullptr || std::getenv("HIDE_CUPTI_FILES") == nullptr))
    return nullptr;
  static auto* const kNext = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  return kNext(name, flags);
}
