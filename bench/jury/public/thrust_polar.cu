// Turns 32 million pairs of a radius and an angle into points of the plane.
// Nothing is wrong: the library's transformation reads 8 bytes a lane in order, and writes them in order.
// The pattern is that of NVIDIA/cccl, thrust/examples/saxpy.cu: one transformation in place of several.
#include <thrust/device_ptr.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

#include "../case.cuh"

namespace {

struct PointOf {
  __device__ float2 operator()(float2 polar) const {
    float sine = 0, cosine = 0;
    sincospif(polar.y, &sine, &cosine);
    return make_float2(polar.x * cosine, polar.x * sine);
  }
};

Case make() {
  constexpr std::size_t kPairs = 32 << 20;
  auto* polar = device_array<float2>(kPairs);
  auto* points = device_array<float2>(kPairs);
  fill_fractions(reinterpret_cast<float*>(polar), 2 * kPairs, 1);
  return {[=] {
            const thrust::device_ptr<const float2> first(polar);
            thrust::transform(thrust::cuda::par_nosync, first, first + kPairs,
                              thrust::device_ptr<float2>(points), PointOf());
          },
          [=] { return device_sum(reinterpret_cast<float*>(points), std::size_t{1} << 22); }, 1800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
