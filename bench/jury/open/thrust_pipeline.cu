// Clean: Thrust changes values, and counts and adds up what is large.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include "../case.cuh"

namespace {

constexpr int kCount = 1 << 25;

struct Squared {
  __host__ __device__ float operator()(float value) const { return value * value; }
};

struct IsLarge {
  __host__ __device__ int operator()(float value) const { return value > 0.5F ? 1 : 0; }
};

Case clean() {
  float* values = device_array<float>(kCount);
  float* squares = device_array<float>(kCount);
  int* places = device_array<int>(kCount);
  fill_fractions(values, kCount, 108);
  return {[=] {
            const auto in = thrust::device_pointer_cast(values), out = thrust::device_pointer_cast(squares);
            const auto place = thrust::device_pointer_cast(places);
            const auto policy = thrust::cuda::par_nosync;
            thrust::transform(policy, in, in + kCount, out, Squared{});
            thrust::transform(policy, out, out + kCount, place, IsLarge{});
            thrust::inclusive_scan(policy, place, place + kCount, place);
          },
          [=] { return device_sum(places, kCount); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
