// Adds a multiple of one column-major array to another: 1024 rows, 32,768 columns.
// At fault: threadIdx.x counts the columns, so that the lanes of a warp read and write words 4 KB apart. The
// pattern is that of JuliaGPU/JACC.jl, whose pull request 401 no longer swaps the axes of wide arrays.
#include "../case.cuh"

namespace {

constexpr int kRows = 1024, kColumns = 32768, kThreads = 256;
constexpr std::size_t kWords = static_cast<std::size_t>(kRows) * kColumns;

__global__ void update_across(float* y, const float* x, float scale) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            row = static_cast<int>(blockIdx.y);
  const int at = row + column * kRows;
  y[at] = 0.5F * y[at] + scale * x[at];  // fault
}

__global__ void update_along(float* y, const float* x, float scale) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            column = static_cast<int>(blockIdx.y);
  const int at = row + column * kRows;
  y[at] = 0.5F * y[at] + scale * x[at];
}

Case make(bool across) {
  auto* x = device_array<float>(kWords);
  auto* y = device_array<float>(kWords);
  fill_fractions(x, kWords, 1);
  CHECK(cudaMemset(y, 0, kWords * sizeof(float)));
  return {[=] {
            if (across) {
              update_across<<<dim3(kColumns / kThreads, kRows), kThreads>>>(y, x, 2.0F);
            } else {
              update_along<<<dim3(kRows / kThreads, kColumns), kThreads>>>(y, x, 2.0F);
            }
          },
          [=] { return device_sum(y, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
