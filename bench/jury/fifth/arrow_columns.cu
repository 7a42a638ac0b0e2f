// The revenue of some orders in a table of four columns of 16 MB: uploads the columns of each batch and adds
// up.
// At fault: the columns lie in ordinary memory of the host, so the driver copies them through a buffer of its
// own, one after the other. The pattern is that of gabotechs/libcudf-rs, whose pull request 35 puts the
// arrays into pinned memory.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRows = 4 << 20, kBatches = 4, kColumns = 4, kThreads = 256, kBlocks = 132 * 8, kRounds = 100;
constexpr std::size_t kBytes = kRows * sizeof(float);

using Columns = std::array<float*, kColumns>;  // price, discount, quantity, day

__global__ void add_revenue(double* revenue, const float4* prices, const float4* discounts,
                            const float4* quantities, const float4* days) {
  __shared__ float parts[kThreads / 32];
  float sum = 0;
  const auto paid = [](float price, float discount, float quantity, float day) {
    return quantity < 0.5F && day > 0.2F && day < 0.4F ? price * discount : 0.0F;
  };
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kRows / 4;
       i += kBlocks * kThreads) {
    const float4 price = prices[i], discount = discounts[i], quantity = quantities[i], day = days[i];
    sum += paid(price.x, discount.x, quantity.x, day.x) + paid(price.y, discount.y, quantity.y, day.y) +
           paid(price.z, discount.z, quantity.z, day.z) + paid(price.w, discount.w, quantity.w, day.w);
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += parts[warp];
  atomicAdd(revenue, static_cast<double>(sum));
}

struct Batch {
  Columns columns;
  cudaEvent_t copied;
};

Batch made_batch(bool ordinary, unsigned number) {
  Batch batch{};
  CHECK(cudaEventCreateWithFlags(&batch.copied, cudaEventDisableTiming));
  for (unsigned column = 0; column < kColumns; ++column) {
    float* values = ordinary ? static_cast<float*>(std::malloc(kBytes)) : pinned_array<float>(kRows);
    for (unsigned i = 0; i < kRows; ++i) values[i] = mixed_fraction((number * kColumns + column) * kRows + i);
    batch.columns[column] = values;
  }
  return batch;
}

// Each batch is another one.
void change_batch(const Batch& batch, unsigned number) {
  CHECK(cudaEventSynchronize(batch.copied));
  for (unsigned column = 0; column < kColumns; ++column)
    for (unsigned i = number % 16384; i < kRows; i += 16384)
      batch.columns[column][i] = mixed_fraction(i + number * kColumns + column);
}

// Two sets on the device, so that a batch can come beside the sum of the last one.
struct Device {
  Columns columns;
  cudaStream_t stream;
};

Case make(bool ordinary) {
  std::array<Batch, kBatches> batches{};
  for (unsigned number = 0; number < kBatches; ++number) batches[number] = made_batch(ordinary, number);
  std::array<Device, 2> devices{};
  for (Device& device : devices) {
    for (float*& column : device.columns) column = device_array<float>(kRows);
    CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
  }
  auto* revenue = device_array<double>(1);
  CHECK(cudaMemset(revenue, 0, sizeof(double)));
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            const Batch& batch = batches[*number % kBatches];
            const Device& device = devices[*number % devices.size()];
            change_batch(batch, (*number)++);
            for (unsigned column = 0; column < kColumns; ++column)
              CHECK(cudaMemcpyAsync(device.columns[column], batch.columns[column], kBytes,  // fault
                                    cudaMemcpyHostToDevice, device.stream));                // fault
            CHECK(cudaEventRecord(batch.copied, device.stream));
            const auto fours = [&](int column) {
              return reinterpret_cast<const float4*>(device.columns[column]);
            };
            add_revenue<<<kBlocks, kThreads, 0, device.stream>>>(revenue, fours(0), fours(1), fours(2),
                                                                 fours(3));
          },
          [=] { return device_sum(revenue, 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
