#pragma once
// L2 residency control: the set-aside and the L2 windows, given back when their owner goes.

#include <algorithm>

#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

// Sets aside as much of L2 as the device allows, and gives it back.
class SetAside {
 public:
  explicit SetAside(const Bench& bench) : bytes_(bench.device().persistingL2CacheMaxSize) {
    check_cuda(cudaDeviceGetLimit(&before_, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
    use(static_cast<std::size_t>(bytes_));
    std::size_t granted = 0;
    check_cuda(cudaDeviceGetLimit(&granted, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
    bytes_ = static_cast<std::int64_t>(granted);
  }
  ~SetAside() {
    cudaCtxResetPersistingL2Cache();
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, before_);
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  std::int64_t bytes() const { return bytes_; }
  static void use(std::size_t bytes) {
    check_cuda(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes),
               "cudaDeviceSetLimit(persisting L2)");
  }
  static void reset() { check_cuda(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache"); }

 private:
  std::int64_t bytes_;
  std::size_t before_ = 0;
};

struct L2Window {
  Word* base = nullptr;
  std::int64_t bytes = 0;  // 0: no L2 window
  double hit_ratio = 1;
  cudaAccessProperty hit = cudaAccessPropertyPersisting;
};

inline cudaAccessPolicyWindow policy_of(const L2Window& l2_window) {
  cudaAccessPolicyWindow policy{};
  policy.base_ptr = l2_window.base;
  policy.num_bytes = static_cast<std::size_t>(l2_window.bytes);
  policy.hitRatio = static_cast<float>(l2_window.hit_ratio);
  policy.hitProp = l2_window.bytes > 0 ? l2_window.hit : cudaAccessPropertyNormal;
  policy.missProp = l2_window.bytes > 0 && l2_window.hit == cudaAccessPropertyPersisting
                        ? cudaAccessPropertyStreaming
                        : cudaAccessPropertyNormal;
  return policy;
}

inline void set_l2_window(cudaStream_t stream, const L2Window& l2_window) {
  cudaLaunchAttributeValue value{};
  value.accessPolicyWindow = policy_of(l2_window);
  check_cuda(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value),
             "cudaStreamSetAttribute(accessPolicyWindow)");
}

// Every thread reads one quad of a small array, round and round, and two of a large one, once: two thirds of
// the bytes are a stream that would wash the small array out of L2.
template <int Variant, int Index>
__global__ void read_beside_stream(Word* sums, const Word* region, unsigned region_quads, const Word* stream,
                                   unsigned turns) {
  const unsigned step = gridDim.x * blockDim.x;
  Word sum = 0;
  for (unsigned i = thread_index(); i < turns; i += step) {
    sum += load_quad(region + kQuadWords * (i % region_quads));
    sum += load_quad(stream + std::int64_t{kQuadWords} * i);
    sum += load_quad(stream + std::int64_t{kQuadWords} * (i + turns));
  }
  sums[thread_index()] = sum;
}

// Of the kernel above.
inline double bytes_read(unsigned turns) {
  return 3.0 * turns * kQuadWords * kWordBytes;
}
inline Word total_read(unsigned region_quads, unsigned turns) {
  return sum_of_rounds(std::uint64_t{kQuadWords} * region_quads, std::uint64_t{kQuadWords} * turns) +
         sum_of_words(0, 1, std::uint64_t{2} * kQuadWords * turns);
}

}  // namespace coalescope::kernels
