// Clean: turns a picture of 4-byte pixels by 90 degrees through a padded tile; what limits it is DRAM.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 6016, kColumns = 9024, kTile = 32, kStep = 8;
static_assert(kRows % kTile == 0 && kColumns % kTile == 0);

// Column c of the picture is row c of the result, from its end.
__global__ void rotate(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[kTile][kTile + 1];
  const unsigned first_column = blockIdx.x * kTile, first_row = blockIdx.y * kTile;
  for (unsigned k = threadIdx.y; k < kTile; k += kStep)
    tile[k][threadIdx.x] = in[(first_row + k) * kColumns + first_column + threadIdx.x];
  __syncthreads();
  const unsigned first_out = kRows - kTile - first_row;
  for (unsigned k = threadIdx.y; k < kTile; k += kStep)
    out[(first_column + k) * kRows + first_out + threadIdx.x] = tile[kTile - 1 - threadIdx.x][k];
}

Case clean() {
  unsigned* in = device_array<unsigned>(kRows * kColumns);
  unsigned* out = device_array<unsigned>(kRows * kColumns);
  fill_below(in, kRows * kColumns, 0xffffffffU, 122);
  const dim3 grid(kColumns / kTile, kRows / kTile), block(kTile, kStep);
  return {[=] { rotate<<<grid, block>>>(in, out); }, [=] { return device_sum(out, 1 << 20); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
