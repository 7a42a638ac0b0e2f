// Aligns two sequences by dynamic programming, one anti-diagonal a launch: the grid grows and shrinks.
// Planted: the table is row-major, so that the cells of a diagonal lie far apart (G01, `align_rows`).
// `align_skewed` keeps a diagonal side by side and is clean.
#include "steady.cuh"

namespace {

constexpr int kLength = 4096;
constexpr int kWidth = kLength + 1;

__device__ int best_of(int diagonal, int up, int left, bool same) {
  return max(max(diagonal + (same ? 3 : -2), max(up, left) - 1), 0);
}

__global__ void align_rows(int* table, const char* a, const char* b, int wave, int first, int count) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= count) return;
  const int i = first + t, j = wave - i;
  int* cell = table + static_cast<long>(i) * kWidth + j;
  *cell = best_of(cell[-kWidth - 1], cell[-kWidth], cell[-1], a[i - 1] == b[j - 1]);  // planted
}

// Rows of the skewed table are diagonals: cell (i, j) is at [i + j][i].
__global__ void align_skewed(int* table, const char* a, const char* b, int wave, int first, int count) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= count) return;
  const int i = first + t, j = wave - i;
  const int* before = table + static_cast<long>(wave - 1) * kWidth;
  const int* earlier = before - kWidth;
  table[static_cast<long>(wave) * kWidth + i] =
      best_of(earlier[i - 1], before[i - 1], before[i], a[i - 1] == b[j - 1]);
}

template <class Kernel>
void sweep(Kernel kernel, int* table, const char* a, const char* b) {
  for (int wave = 2; wave <= 2 * kLength; ++wave) {
    const int first = max(1, wave - kLength), last = min(kLength, wave - 1);
    const int count = last - first + 1;
    kernel<<<blocks_for(count, 128), 128>>>(table, a, b, wave, first, count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 100);
  std::vector<char> a(kLength), b(kLength);
  for (int i = 0; i < kLength; ++i) {
    a[i] = static_cast<char>('A' + (i * i + 3) % 4);
    b[i] = static_cast<char>('A' + (i * 5 + i / 3) % 4);
  }
  const char *first = on_device(a), *second = on_device(b);
  int *rows = nullptr, *skewed = nullptr;
  const std::size_t row_bytes = sizeof(int) * kWidth * static_cast<std::size_t>(kWidth);
  const std::size_t skewed_bytes = sizeof(int) * kWidth * static_cast<std::size_t>(2 * kLength + 1);
  CHECK(cudaMalloc(&rows, row_bytes));
  CHECK(cudaMalloc(&skewed, skewed_bytes));
  CHECK(cudaMemset(rows, 0, row_bytes));
  CHECK(cudaMemset(skewed, 0, skewed_bytes));
  steady(rounds, [&] {
    sweep(align_rows, rows, first, second);
    sweep(align_skewed, skewed, first, second);
  });
  print_sum("rows", rows + static_cast<long>(kLength) * kWidth, kWidth);
  print_sum("skewed", skewed + 2L * kLength * kWidth, kWidth);
  return 0;
}
