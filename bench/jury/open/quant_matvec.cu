// The product of a matrix of 8-bit integers, with a scale for each row, and a vector of such.
// Fault: lanes load single bytes. Repair: 16 bytes, multiplied four at a time.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 16384, kColumns = 8192;

__device__ int sum_of_warp(int value) {
  for (unsigned other = 16; other > 0; other /= 2) value += __shfl_down_sync(0xffffffffU, value, other);
  return value;
}

__global__ void multiply_bytes(const signed char* weights, const float* scales, const signed char* x,
                               float* y) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= kRows) return;
  int sum = 0;
  for (unsigned k = lane; k < kColumns; k += 32) sum += weights[row * kColumns + k] * x[k];  // fault
  sum = sum_of_warp(sum);
  if (lane == 0) y[row] = scales[row] * static_cast<float>(sum);
}

__device__ int product(int4 a, int4 b, int sum) {
  return __dp4a(a.x, b.x, __dp4a(a.y, b.y, __dp4a(a.z, b.z, __dp4a(a.w, b.w, sum))));
}

__global__ void multiply_vectors(const int4* weights, const float* scales, const int4* x, float* y) {
  constexpr unsigned kWide = kColumns / 16;
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= kRows) return;
  int sum = 0;
  for (unsigned k = lane; k < kWide; k += 32) sum = product(weights[row * kWide + k], x[k], sum);
  sum = sum_of_warp(sum);
  if (lane == 0) y[row] = scales[row] * static_cast<float>(sum);
}

struct Data {
  signed char *weights, *x;
  float *scales, *y;
};

Data layer() {
  constexpr std::size_t count = std::size_t{kRows} * kColumns;
  const Data data{device_array<signed char>(count), device_array<signed char>(kColumns),
                  device_array<float>(kRows), device_array<float>(kRows)};
  // Four bytes at once.
  fill_below(reinterpret_cast<unsigned*>(data.weights), count / 4, 0x3f3f3f3fU, 13);
  fill_below(data.x, kColumns, 32, 14);
  fill_fractions(data.scales, kRows, 15);
  return data;
}

Case fault() {
  const Data data = layer();
  return {[=] { multiply_bytes<<<kRows / 8, 256>>>(data.weights, data.scales, data.x, data.y); },
          [=] { return device_sum(data.y, kRows); }, 1600};
}

Case clean() {
  const Data data = layer();
  return {[=] {
            multiply_vectors<<<kRows / 8, 256>>>(reinterpret_cast<const int4*>(data.weights), data.scales,
                                                 reinterpret_cast<const int4*>(data.x), data.y);
          },
          [=] { return device_sum(data.y, kRows); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
