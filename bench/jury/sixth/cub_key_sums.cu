// Sums the amounts of 32 million sales by customer; the sales of a customer lie side by side.
// Nothing is wrong: a call of the library. As NVIDIA/cccl, cub/cub/device/device_reduce.cuh, shows it.
#include <cub/device/device_reduce.cuh>

#include "../case.cuh"

namespace {

constexpr int kSales = 32 << 20, kThreads = 256;

// Customers have 8 or 24 sales.
__global__ void fill_customers(int* customers) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  customers[i] = i / 32 * 2 + (i % 32 < 8 ? 0 : 1);
}

struct Plus {
  __host__ __device__ float operator()(float one, float other) const { return one + other; }
};

Case make() {
  auto* customers = device_array<int>(kSales);
  auto* amounts = device_array<float>(kSales);
  auto* found = device_array<int>(kSales);
  auto* sums = device_array<float>(kSales);
  auto* count = device_array<int>(1);
  fill_customers<<<kSales / kThreads, kThreads>>>(customers);
  fill_fractions(amounts, kSales, 1);
  std::size_t bytes = 0;
  CHECK(
      cub::DeviceReduce::ReduceByKey(nullptr, bytes, customers, found, amounts, sums, count, Plus{}, kSales));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceReduce::ReduceByKey(storage, given, customers, found, amounts, sums, count,
                                                 Plus{}, kSales));
          },
          [=] { return device_sum(sums, kSales / 16) + device_sum(count, 1); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
