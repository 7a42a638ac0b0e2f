#pragma once
// What the programs of the benchmark share: a clock, their own memory as the kernel of the system counts it,
// and the end on a failed call.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t code = (call);                                     \
    if (code != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)); \
      std::exit(9);                                                      \
    }                                                                    \
  } while (false)

inline std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// A line of /proc/self/status in kB, such as VmRSS; -1: there is none.
inline long memory_kb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::strtol(line.c_str() + name.size() + 1, nullptr, 10);
  return -1;
}

// The program's positive argument, or what stands in for it.
inline long count_from(int argc, char** argv, long otherwise) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : otherwise;
  if (count > 0) return count;
  std::fprintf(stderr, "usage: %s [COUNT]\n", argv[0]);
  std::exit(2);
}
