#pragma once
// What the programs of this folder share: how long the part lasts in which each step is like the others, and
// a sum by which two runs are compared.

#include <vector>

#include "../programs/program.cuh"

// The device is idle at both ends. Says on stderr how long it took.
template <class Work>
void steady(Work&& work) {
  CHECK(cudaDeviceSynchronize());
  const std::int64_t began_ns = now_ns();
  work();
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
