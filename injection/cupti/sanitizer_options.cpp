// AddressSanitizer's shared runtime, which gcc links by default, ends a program in which another library was
// loaded before it. The preloaded library is one, and replaces no function that the runtime replaces, so the
// order does no harm. The runtime asks this function before it reads ASAN_OPTIONS. A program that defines the
// function itself is not reached.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "verify_asan_link_order=0";
}
