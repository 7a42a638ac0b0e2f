#include "injection/cupti/graph_api.h"

#include <dlfcn.h>

namespace coalescope::cupti {

// The name with which <cuda.h> replaces another.
#define COALESCOPE_TEXT(name) #name
#define COALESCOPE_LOAD(name)                                                             \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, COALESCOPE_TEXT(name))); \
  api.complete = api.complete && api.name != nullptr;

GraphApi GraphApi::load() {
  GraphApi api;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return api;
  api.complete = true;
  COALESCOPE_GRAPH_FUNCTIONS(COALESCOPE_LOAD)
  return api;
}

}  // namespace coalescope::cupti
