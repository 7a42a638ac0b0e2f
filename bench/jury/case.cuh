#pragma once
// What the programs of the jury share: the two sides, the timed half of their rounds, and the sum by which
// they are compared.
//
//   NAME fault|clean|both     stderr: "SIDE steady SECONDS s"; stdout: "sum VALUE"; a line of both for each
//   side
//
// The status is 1 where both sides ran and their sums differ.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "../programs/program.cuh"

// One side. Whoever makes it has allocated and filled what its rounds need; each round does the same.
struct Case {
  std::function<void()> round;
  std::function<double()> sum;
  int rounds;  // 40 at least; the first half warms up, the second half is timed
};

using MakeCase = std::function<Case()>;

template <class T>
T* device_array(std::size_t n) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, n * sizeof(T)));
  return device;
}

// What a program uploads from or downloads to comes from here: copies of ordinary memory are a fault.
template <class T>
T* pinned_array(std::size_t n) {
  T* host = nullptr;
  CHECK(cudaMallocHost(&host, n * sizeof(T)));
  return host;
}

// After the timed rounds.
template <class T>
double device_sum(const T* p, std::size_t n) {
  T* host = pinned_array<T>(n);
  CHECK(cudaMemcpy(host, p, n * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(host[i]);
  CHECK(cudaFreeHost(host));
  return sum;
}

inline unsigned blocks_for(std::size_t threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

// Bits that look random, and are the same in every run.
__host__ __device__ inline unsigned mixed_bits(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

// At least 0 and less than 1.
__host__ __device__ inline float mixed_fraction(unsigned x) {
  return static_cast<float>(mixed_bits(x) >> 8) / static_cast<float>(1U << 24);
}

template <class T>
__global__ void fill_fractions_kernel(T* out, std::size_t n, unsigned seed) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<T>(mixed_fraction(static_cast<unsigned>(i) + seed));
}

// Values of a floating-point type.
template <class T>
void fill_fractions(T* out, std::size_t n, unsigned seed) {
  fill_fractions_kernel<<<blocks_for(n, 256), 256>>>(out, n, seed);
  CHECK(cudaGetLastError());
}

template <class T>
__global__ void fill_below_kernel(T* out, std::size_t n, unsigned limit, unsigned seed) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<T>(mixed_bits(static_cast<unsigned>(i) + seed) % limit);
}

// Whole numbers from 0 to limit - 1.
template <class T>
void fill_below(T* out, std::size_t n, unsigned limit, unsigned seed) {
  fill_below_kernel<<<blocks_for(n, 256), 256>>>(out, n, limit, seed);
  CHECK(cudaGetLastError());
}

inline double run_side(const char* side, const MakeCase& make) {
  const Case made = make();
  CHECK(cudaDeviceSynchronize());
  std::int64_t began_ns = now_ns();
  for (int number = 0; number < made.rounds; ++number) {
    if (number == made.rounds / 2) {
      CHECK(cudaDeviceSynchronize());
      began_ns = now_ns();
    }
    made.round();
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::fprintf(stderr, "%s steady %.6f s\n", side, static_cast<double>(now_ns() - began_ns) / 1e9);
  const double sum = made.sum();
  std::printf("sum %.9g\n", sum);
  return sum;
}

inline bool sums_agree(double one, double other) {
  return std::abs(one - other) <= 1e-3 * std::max(std::abs(one), std::abs(other));
}

// `fault` may be empty: then only the side `clean` is known. A side that is not asked for is not made.
inline int run_case(int argc, char** argv, MakeCase fault, MakeCase clean) {
  const char* side = argc == 2 ? argv[1] : "";
  if (std::strcmp(side, "clean") == 0) {
    run_side("clean", clean);
    return 0;
  }
  if (fault && std::strcmp(side, "fault") == 0) {
    run_side("fault", fault);
    return 0;
  }
  if (!fault || std::strcmp(side, "both") != 0) {
    std::fprintf(stderr, "usage: %s %s\n", argv[0], fault ? "fault|clean|both" : "clean");
    return 2;
  }
  const double faulty = run_side("fault", fault);
  if (sums_agree(faulty, run_side("clean", clean))) return 0;
  std::fprintf(stderr, "the sums differ\n");
  return 1;
}
