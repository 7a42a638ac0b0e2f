// Diversity of a reef in a picture of 4096 x 4096 pixels with five bands: for each pixel, how much the
// colours of 24 pairs of pixels around it differ.
// At fault: the five bands of a pixel lie side by side, so that the lanes of a warp read 20 bytes apart.
// The pattern is that of chapel-lang/chapel, pull request 22838: the picture turned, so that neighbouring
// threads read neighbouring values, 2.8 times as fast.
#include "../case.cuh"

namespace {

constexpr int kEdge = 4096, kBands = 5, kMargin = 8, kRow = kEdge + 2 * kMargin;
constexpr int kPairs = 24, kRounds = 1200;
constexpr int kPixels = kRow * kRow;
constexpr std::size_t kValues = std::size_t{kBands} * kPixels, kResults = std::size_t{kEdge} * kEdge;

// Places of two pixels, from the one in the middle; the same for all lanes.
struct Pair {
  int one, other;
};

__constant__ Pair pairs[kPairs];

struct Interleaved {
  static __host__ __device__ std::size_t place(int pixel, int band) {
    return static_cast<std::size_t>(pixel) * kBands + band;
  }
  static __device__ int pixel(std::size_t i) { return static_cast<int>(i / kBands); }
  static __device__ int band(std::size_t i) { return static_cast<int>(i % kBands); }
};

struct Planes {
  static __host__ __device__ std::size_t place(int pixel, int band) {
    return static_cast<std::size_t>(band) * kPixels + pixel;
  }
  static __device__ int pixel(std::size_t i) { return static_cast<int>(i % kPixels); }
  static __device__ int band(std::size_t i) { return static_cast<int>(i / kPixels); }
};

template <class Layout>
__global__ void draw(float* picture) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= kValues) return;
  const int pixel = Layout::pixel(i), band = Layout::band(i);
  const float slope = __sinf(0.01F * static_cast<float>(pixel % kRow) * static_cast<float>(band + 1));
  picture[i] = slope + mixed_fraction(static_cast<unsigned>(pixel * kBands + band));
}

template <class Layout>
__global__ void __launch_bounds__(256) differ(float* results, const float* __restrict__ picture) {
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const int middle = (y + kMargin) * kRow + x + kMargin;
  float sum = 0;
#pragma unroll 4
  for (int pair = 0; pair < kPairs; ++pair) {
    const int one = middle + pairs[pair].one, other = middle + pairs[pair].other;
    float square = 0;
#pragma unroll
    for (int band = 0; band < kBands; ++band) {
      const float first = picture[Layout::place(one, band)];     // fault
      const float second = picture[Layout::place(other, band)];  // fault
      square += (first - second) * (first - second);
    }
    sum += sqrtf(square);
  }
  results[y * kEdge + x] = sum / kPairs;
}

void choose_pairs() {
  Pair chosen[kPairs];
  const auto step = [](unsigned i) { return static_cast<int>(mixed_bits(i) % (2 * kMargin + 1)) - kMargin; };
  for (unsigned i = 0; i < kPairs; ++i) {
    chosen[i] = {step(4 * i) * kRow + step(4 * i + 1), step(4 * i + 2) * kRow + step(4 * i + 3)};
  }
  CHECK(cudaMemcpyToSymbol(pairs, chosen, sizeof(chosen)));
}

template <class Layout>
Case make() {
  auto* picture = device_array<float>(kValues);
  auto* results = device_array<float>(kResults);
  draw<Layout><<<blocks_for(kValues, 256), 256>>>(picture);
  CHECK(cudaGetLastError());
  choose_pairs();
  return {[=] { differ<Layout><<<dim3(kEdge / 32, kEdge / 8), dim3(32, 8)>>>(results, picture); },
          [=] { return device_sum(results, kResults); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Interleaved>, make<Planes>);
}
