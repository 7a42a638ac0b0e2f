// The transform of a compressor of volumes: a thread takes 4 x 4 x 4 values, lifts them along each axis, and
// orders the coefficients by their degree. At fault: the order lies in constant memory, so that the compiler
// cannot know it and keeps the 64 coefficients in local memory, to index them. The pattern is that of
// LLNL/zfp, src/cuda_zfp: the order before and after pull request 65.
#include "../case.cuh"

namespace {

constexpr int kSide = 4, kVolume = 64, kThreads = 128;
constexpr int kX = 512, kY = 512, kZ = 192, kBlocksX = kX / kSide, kBlocksY = kY / kSide;
constexpr int kCubes = kBlocksX * kBlocksY * (kZ / kSide);

struct Order {
  unsigned char at[kVolume];
};

__host__ __device__ constexpr Order by_degree() {
  Order order{};
  int next = 0;
  for (int degree = 0; degree <= 3 * (kSide - 1); ++degree) {
    for (int i = 0; i < kVolume; ++i) {
      if (i % 4 + i / 4 % 4 + i / 16 == degree) order.at[next++] = static_cast<unsigned char>(i);
    }
  }
  return order;
}

__constant__ Order stored_order;

template <int kStride>
__device__ void lift(int* p) {
  int x = p[0], y = p[kStride], z = p[2 * kStride], w = p[3 * kStride];
  x += w, x >>= 1, w -= x;
  z += y, z >>= 1, y -= z;
  x += z, x >>= 1, z -= x;
  w += y, w >>= 1, y -= w;
  w += y >> 1, y -= w >> 1;
  p[0] = x, p[kStride] = y, p[2 * kStride] = z, p[3 * kStride] = w;
}

// Neighbouring threads take neighbouring cubes of a row: a warp reads whole rows of 128 values.
__device__ void gather_and_lift(int (&q)[kVolume], const float* in, int cube) {
  const int bx = cube % kBlocksX, by = cube / kBlocksX % kBlocksY, bz = cube / (kBlocksX * kBlocksY);
#pragma unroll
  for (int row = 0; row < 16; ++row) {
    const int y = by * kSide + row % 4, z = bz * kSide + row / 4;
    const auto* from = reinterpret_cast<const float4*>(in + (static_cast<std::size_t>(z) * kY + y) * kX);
    const float4 four = from[bx];
    q[row * 4] = static_cast<int>(four.x * 0x1p24F);
    q[row * 4 + 1] = static_cast<int>(four.y * 0x1p24F);
    q[row * 4 + 2] = static_cast<int>(four.z * 0x1p24F);
    q[row * 4 + 3] = static_cast<int>(four.w * 0x1p24F);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) lift<1>(q + i * 4);
#pragma unroll
  for (int i = 0; i < 16; ++i) lift<4>(q + i % 4 + i / 4 * 16);
#pragma unroll
  for (int i = 0; i < 16; ++i) lift<16>(q + i);
}

__device__ unsigned negabinary(int value) {
  constexpr unsigned kMask = 0xaaaaaaaaU;
  return (static_cast<unsigned>(value) + kMask) ^ kMask;
}

__global__ void __launch_bounds__(kThreads)
    transform_stored_order(unsigned* out, const float* in, int cubes) {
  const int cube = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cube >= cubes) return;
  int q[kVolume];
  gather_and_lift(q, in, cube);
#pragma unroll
  for (int i = 0; i < kVolume; ++i) {
    out[static_cast<std::size_t>(i) * cubes + cube] = negabinary(q[stored_order.at[i]]);  // fault
  }
}

__global__ void __launch_bounds__(kThreads) transform_known_order(unsigned* out, const float* in, int cubes) {
  const int cube = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cube >= cubes) return;
  constexpr Order kOrder = by_degree();
  int q[kVolume];
  gather_and_lift(q, in, cube);
#pragma unroll
  for (int i = 0; i < kVolume; ++i) {
    out[static_cast<std::size_t>(i) * cubes + cube] = negabinary(q[kOrder.at[i]]);
  }
}

Case make(bool stored) {
  static_assert(kX % 128 == 0 && kY % kSide == 0 && kZ % kSide == 0);
  constexpr std::size_t kValues = static_cast<std::size_t>(kX) * kY * kZ;
  auto* in = device_array<float>(kValues);
  auto* out = device_array<unsigned>(kValues);
  fill_fractions(in, kValues, 1);
  auto* order = pinned_array<Order>(1);
  *order = by_degree();
  CHECK(cudaMemcpyToSymbol(stored_order, order, sizeof(Order)));
  CHECK(cudaFreeHost(order));
  return {[=] {
            auto* kernel = stored ? transform_stored_order : transform_known_order;
            kernel<<<blocks_for(kCubes, kThreads), kThreads>>>(out, in, kCubes);
          },
          [=] { return device_sum(out + kValues / 2, 4096); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
