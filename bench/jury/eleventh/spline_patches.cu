// Compares 16,384 patches of 64 x 64 pixels of a moving eye with those of a reference, at a shift that
// differs from round to round: each patch becomes the coefficients of cubic splines, by filters along rows
// and columns in shared memory, and the splines are evaluated between the pixels.
// At fault: the tile has room for padded rows, but the rows lie 64 words apart, so the lanes, which each have
// a row, meet in one bank. The pattern is that of deepspeedai/DeepSpeed, pull request 8055: the padding is
// used in the index, too.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 64, kPadded = kSide + 1, kPixels = kSide * kSide, kPatches = 16384, kHorizon = 12;
constexpr int kThreads = 256, kRounds = 1200;
constexpr float kPole = -0.26794919F, kGain = 6;

// Where a picture is looked at, in pixels off its own.
struct Shift {
  float right, down;
};

struct Weights {
  float along[4], across[4];
};

// A thread filters its line forwards, from a mirrored beginning, and then backwards.
__device__ void filter_line(float* line, int step) {
  float sum = 0, power = kGain;
#pragma unroll
  for (int k = 0; k < kHorizon; ++k) {
    sum += power * line[k * step];  // fault
    power *= kPole;
  }
  float before = 0;
  for (int k = 0; k < kSide; ++k) {
    before = sum;
    line[k * step] = sum;                                                 // fault
    if (k + 1 < kSide) sum = kGain * line[(k + 1) * step] + kPole * sum;  // fault
  }
  const float last = kPole / (kPole * kPole - 1);
  float next = last * (before + kPole * line[(kSide - 2) * step]);  // fault
  line[(kSide - 1) * step] = next;                                  // fault
  for (int k = kSide - 2; k >= 0; --k) {
    next = kPole * (next - line[k * step]);  // fault
    line[k * step] = next;                   // fault
  }
}

// A block has a patch, and a thread a row and then a column of it.
template <int kPitch>
__global__ void __launch_bounds__(kSide)
    find_coefficients(float* __restrict__ coefficients, const float* __restrict__ pictures) {
  __shared__ float tile[kSide * kPadded];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = std::size_t{blockIdx.x} * kPixels + thread;
#pragma unroll 16
  for (int row = 0; row < kSide; ++row) tile[row * kPitch + thread] = pictures[first + row * kSide];
  __syncthreads();
  filter_line(tile + thread * kPitch, 1);
  __syncthreads();
  filter_line(tile + thread, kPitch);
  // A thread stores the column that it has filtered.
#pragma unroll 16
  for (int row = 0; row < kSide; ++row) coefficients[first + row * kSide] = tile[row * kPitch + thread];
}

__host__ void spline_weights(float (&weights)[4], float off) {
  const float rest = 1 - off;
  weights[0] = rest * rest * rest / 6;
  weights[1] = (4 - 3 * off * off * (2 - off)) / 6;
  weights[2] = (4 - 3 * rest * rest * (2 - rest)) / 6;
  weights[3] = off * off * off / 6;
}

Weights weights_at(Shift shift) {
  Weights weights{};
  spline_weights(weights.along, shift.right);
  spline_weights(weights.across, shift.down);
  return weights;
}

__device__ int within(int place) {
  return min(max(place, 0), kSide - 1);
}

__device__ float spline_at(const float* __restrict__ patch, int pixel, const Weights& weights) {
  const int x = pixel % kSide, y = pixel / kSide;
  float sum = 0;
#pragma unroll
  for (int down = 0; down < 4; ++down) {
    const float* row = patch + within(y + down - 1) * kSide;
    float part = 0;
#pragma unroll
    for (int right = 0; right < 4; ++right) part += weights.along[right] * row[within(x + right - 1)];
    sum += weights.across[down] * part;
  }
  return sum;
}

// A block has a patch.
__global__ void __launch_bounds__(kThreads) compare(float* misfits, const float* __restrict__ coefficients,
                                                    const float* __restrict__ reference, Weights weights) {
  __shared__ float parts[kThreads / 32];
  const std::size_t first = std::size_t{blockIdx.x} * kPixels;
  const int thread = static_cast<int>(threadIdx.x);
  float sum = 0;
#pragma unroll 4
  for (int pixel = thread; pixel < kPixels; pixel += kThreads) {
    const float off = spline_at(coefficients + first, pixel, weights) - reference[first + pixel];
    sum += off * off;
  }
#pragma unroll
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (thread % 32 == 0) parts[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int part = 1; part < kThreads / 32; ++part) sum += parts[part];
  misfits[blockIdx.x] = 0.5F * misfits[blockIdx.x] + sum / kPixels;
}

Case make(bool padded) {
  const std::size_t pixels = std::size_t{kPatches} * kPixels;
  auto *pictures = device_array<float>(pixels), *reference = device_array<float>(pixels);
  auto *coefficients = device_array<float>(pixels), *misfits = device_array<float>(kPatches);
  fill_fractions(pictures, pixels, 3);
  fill_fractions(reference, pixels, 4);
  CHECK(cudaMemset(misfits, 0, kPatches * sizeof(float)));
  auto number = std::make_shared<int>(0);
  return {[=] {
            const int turn = (*number)++ % 16;
            const Weights weights =
                weights_at({static_cast<float>(turn % 4) / 4, static_cast<float>(turn / 4) / 4});
            if (padded) {
              find_coefficients<kPadded><<<kPatches, kSide>>>(coefficients, pictures);
            } else {
              find_coefficients<kSide><<<kPatches, kSide>>>(coefficients, pictures);
            }
            compare<<<kPatches, kThreads>>>(misfits, coefficients, reference, weights);
          },
          [=] { return device_sum(misfits, kPatches); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
