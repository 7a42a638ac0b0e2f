// A Helmholtz operator of spectral elements with 8 x 8 x 8 points of doubles: derivatives, geometry, and
// back. At fault: the rows of the derivative matrices are 8 doubles long in shared memory, so that a warp
// that reads a column of one finds two groups of banks. The pattern is that of ExtremeFLOW/neko,
// src/math/bcknd/device/cuda/ax_helm_kernel.h, before and after its padding.
#include "../case.cuh"

namespace {

constexpr int kPoints = 8, kFace = kPoints * kPoints, kVolume = kFace * kPoints, kElements = 16384;

struct Fields {
  double* w;
  const double *u, *h, *g;  // g: six factors of geometry, one array after the other
  const double *dx, *dy, *dz;
};

// How a point (i, j) lies in shared memory.
struct PlainRows {
  static constexpr int kRow = kPoints;
};
struct PaddedRows {
  static constexpr int kRow = kPoints + 1;
};

template <class Rows>
__device__ void helmholtz_of_element(const Fields& f) {
  constexpr int kRow = Rows::kRow;
  __shared__ double dx[kPoints * kRow], dy[kPoints * kRow], dz[kPoints * kRow];
  __shared__ double us[kPoints * kRow], ur_s[kPoints * kRow], us_s[kPoints * kRow];
  const int i = static_cast<int>(threadIdx.x) % kPoints, j = static_cast<int>(threadIdx.x) / kPoints;
  const int here = i + j * kRow, ij = i + j * kPoints;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kVolume;
  const std::size_t all = static_cast<std::size_t>(gridDim.x) * kVolume;
  dx[here] = f.dx[ij];
  dy[here] = f.dy[ij];
  dz[here] = f.dz[ij];
  double u[kPoints], w[kPoints];
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    u[k] = f.u[first + ij + k * kFace];
    w[k] = 0;
  }
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
    const std::size_t at = first + ij + k * kFace;
    const double g00 = f.g[at], g11 = f.g[at + all], g22 = f.g[at + 2 * all];
    const double g01 = f.g[at + 3 * all], g02 = f.g[at + 4 * all], g12 = f.g[at + 5 * all], h = f.h[at];
    __syncthreads();
    us[here] = u[k];
    __syncthreads();
    double r = 0, s = 0, t = 0;
#pragma unroll
    for (int l = 0; l < kPoints; ++l) {
      r += dx[i + l * kRow] * us[l + j * kRow];
      s += dy[j + l * kRow] * us[i + l * kRow];
      t += dz[k + l * kRow] * u[l];
    }
    ur_s[here] = h * (g00 * r + g01 * s + g02 * t);
    us_s[here] = h * (g01 * r + g11 * s + g12 * t);
    const double ut = h * (g02 * r + g12 * s + g22 * t);
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int l = 0; l < kPoints; ++l) {
      sum += ur_s[l + j * kRow] * dx[l + i * kRow];  // fault
      sum += us_s[i + l * kRow] * dy[l + j * kRow];
      w[l] += ut * dz[k + l * kRow];
    }
    w[k] += sum;
  }
#pragma unroll
  for (int k = 0; k < kPoints; ++k) f.w[first + ij + k * kFace] = w[k];
}

__global__ void __launch_bounds__(kFace) helmholtz_plain(Fields f) {
  helmholtz_of_element<PlainRows>(f);
}

__global__ void __launch_bounds__(kFace) helmholtz_padded(Fields f) {
  helmholtz_of_element<PaddedRows>(f);
}

double* filled(std::size_t words, unsigned seed) {
  double* made = device_array<double>(words);
  fill_fractions(made, words, seed);
  return made;
}

Case make(bool plain) {
  const std::size_t points = static_cast<std::size_t>(kElements) * kVolume;
  const Fields f{device_array<double>(points),
                 filled(points, 1),
                 filled(points, 2),
                 filled(6 * points, 3),
                 filled(kFace, 4),
                 filled(kFace, 5),
                 filled(kFace, 6)};
  return {[=] {
            if (plain) {
              helmholtz_plain<<<kElements, kFace>>>(f);
            } else {
              helmholtz_padded<<<kElements, kFace>>>(f);
            }
          },
          [=] { return device_sum(f.w + points / 2, 4096); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
