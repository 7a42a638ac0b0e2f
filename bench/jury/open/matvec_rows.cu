// The product of a dense matrix of doubles with few, long rows and a vector.
// Fault: a thread goes through a row, and most of the GPU idles. Repair: a block for each row.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 2048, kColumns = 16384, kThreads = 256;

__global__ void multiply_by_threads(const double* a, const double* x, double* y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (unsigned k = 0; k < kColumns; ++k) sum += a[row * kColumns + k] * x[k];  // fault
  y[row] = sum;
}

__global__ void multiply_by_blocks(const double* a, const double* x, double* y) {
  __shared__ double sums[kThreads / 32];
  double sum = 0;
  for (unsigned k = threadIdx.x; k < kColumns; k += kThreads) sum += a[blockIdx.x * kColumns + k] * x[k];
  for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned k = 1; k < kThreads / 32; ++k) sum += sums[k];
  y[blockIdx.x] = sum;
}

struct Data {
  double *a, *x, *y;
};

Data equations() {
  const Data data{device_array<double>(kRows * kColumns), device_array<double>(kColumns),
                  device_array<double>(kRows)};
  fill_fractions(data.a, kRows * kColumns, 22);
  fill_fractions(data.x, kColumns, 23);
  return data;
}

Case fault() {
  const Data data = equations();
  return {[=] { multiply_by_threads<<<blocks_for(kRows, 128), 128>>>(data.a, data.x, data.y, kRows); },
          [=] { return device_sum(data.y, kRows); }, 120};
}

Case clean() {
  const Data data = equations();
  return {[=] { multiply_by_blocks<<<kRows, kThreads>>>(data.a, data.x, data.y); },
          [=] { return device_sum(data.y, kRows); }, 120};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
