#pragma once
// A kernel with a known answer for the programs here: 100 warps read every eighth word, so a launch asks for
// 12,800 distinct bytes in 3,200 sectors, and the sum of what it wrote tells whether it ran rightly.

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

inline constexpr int kThreads = 3200;

static __global__ void strided(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[8 * i] + 1.0F;
}

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t code = (call);                                     \
    if (code != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)); \
      std::exit(9);                                                      \
    }                                                                    \
  } while (false)

class Work {
 public:
  Work() {
    std::vector<float> host(8 * kThreads);
    std::iota(host.begin(), host.end(), 0.0F);
    CHECK(cudaMalloc(&in_, host.size() * sizeof(float)));
    CHECK(cudaMalloc(&out_, kThreads * sizeof(float)));
    CHECK(cudaMemcpy(in_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  void launch(cudaStream_t stream) { strided<<<kThreads / 128, 128, 0, stream>>>(in_, out_); }

  float* in() const { return in_; }
  float* out() const { return out_; }

  // Right if every element is what one launch or many make of it.
  bool right() {
    std::vector<float> host(kThreads);
    CHECK(cudaMemcpy(host.data(), out_, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kThreads; ++i)
      if (host[i] != 8.0F * static_cast<float>(i) + 1.0F) return false;
    return true;
  }

 private:
  float* in_ = nullptr;
  float* out_ = nullptr;
};
