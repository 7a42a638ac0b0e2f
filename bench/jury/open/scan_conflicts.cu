// Running sums of rows of 1024 floats, by a tree in shared memory.
// Fault: the tree's words lie 2, 4, 8, ... apart. Repair: a word of padding after each 32.
#include "../case.cuh"

namespace {

constexpr unsigned kRow = 1024, kThreads = kRow / 2, kRows = 32768;

__global__ void scan_rows(const float* in, float* out) {
  __shared__ float tree[kRow];
  const unsigned t = threadIdx.x, first = blockIdx.x * kRow;
  tree[t] = in[first + t];
  tree[t + kThreads] = in[first + t + kThreads];
  unsigned apart = 1;
  for (unsigned pairs = kThreads; pairs > 0; pairs /= 2, apart *= 2) {
    __syncthreads();
    if (t < pairs) tree[apart * (2 * t + 2) - 1] += tree[apart * (2 * t + 1) - 1];  // fault
  }
  __syncthreads();
  if (t == 0) tree[kRow - 1] = 0;
  for (unsigned pairs = 1; pairs < kRow; pairs *= 2) {
    apart /= 2;
    __syncthreads();
    if (t >= pairs) continue;
    const unsigned left = apart * (2 * t + 1) - 1, right = apart * (2 * t + 2) - 1;
    const float held = tree[left];  // fault
    tree[left] = tree[right];       // fault
    tree[right] += held;            // fault
  }
  __syncthreads();
  out[first + t] = tree[t];
  out[first + t + kThreads] = tree[t + kThreads];
}

__device__ unsigned padded(unsigned i) {
  return i + i / 32;
}

__global__ void scan_rows_padded(const float* in, float* out) {
  __shared__ float tree[kRow + kRow / 32];
  const unsigned t = threadIdx.x, first = blockIdx.x * kRow;
  tree[padded(t)] = in[first + t];
  tree[padded(t + kThreads)] = in[first + t + kThreads];
  unsigned apart = 1;
  for (unsigned pairs = kThreads; pairs > 0; pairs /= 2, apart *= 2) {
    __syncthreads();
    if (t < pairs) tree[padded(apart * (2 * t + 2) - 1)] += tree[padded(apart * (2 * t + 1) - 1)];
  }
  __syncthreads();
  if (t == 0) tree[padded(kRow - 1)] = 0;
  for (unsigned pairs = 1; pairs < kRow; pairs *= 2) {
    apart /= 2;
    __syncthreads();
    if (t >= pairs) continue;
    const unsigned left = padded(apart * (2 * t + 1) - 1), right = padded(apart * (2 * t + 2) - 1);
    const float held = tree[left];
    tree[left] = tree[right];
    tree[right] += held;
  }
  __syncthreads();
  out[first + t] = tree[padded(t)];
  out[first + t + kThreads] = tree[padded(t + kThreads)];
}

Case side(decltype(&scan_rows) kernel) {
  constexpr std::size_t count = std::size_t{kRows} * kRow;
  float* in = device_array<float>(count);
  float* out = device_array<float>(count);
  fill_fractions(in, count, 6);
  return {[=] { kernel<<<kRows, kThreads>>>(in, out); }, [=] { return device_sum(out, 1 << 20); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(scan_rows); }, [] { return side(scan_rows_padded); });
}
