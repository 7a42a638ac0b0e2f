#pragma once
// What the programs of this folder share: how long the part lasts in which each step is like the others, and
// a sum by which two runs are compared.

#include <vector>

#include "../programs/program.cuh"

// Does so many steps, and says on stderr how long the second half of them took.
template <class Step>
void steady(long steps, Step&& step) {
  std::int64_t began_ns = now_ns();
  for (long number = 0; number < steps; ++number) {
    if (number == steps / 2) {
      CHECK(cudaDeviceSynchronize());
      began_ns = now_ns();
    }
    step();
  }
  CHECK(cudaDeviceSynchronize());
  std::fprintf(stderr, "steady %.6f s\n", static_cast<double>(now_ns() - began_ns) / 1e9);
}

template <class Value>
Value* on_device(const std::vector<Value>& host) {
  Value* device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(Value)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(Value), cudaMemcpyHostToDevice));
  return device;
}

template <class Value>
void print_sum(const char* what, const Value* device, std::size_t count) {
  std::vector<Value> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(Value), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const Value value : host) sum += static_cast<double>(value);
  std::printf("%s %.3e\n", what, sum);
}

inline unsigned blocks_for(long threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}
