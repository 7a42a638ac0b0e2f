// Weighs the bands of 16 wavelet transforms of pictures (3840 x 2160 pixels, four scales, three directions)
// by how well the eye sees them, and sums what the detail of other bands does not hide.
// At fault: a function takes the table of the bands by value, so each thread copies 192 bytes to local memory
// to look up a few words. The pattern is that of Netflix/vmaf, pull request 1595: such tables are passed by
// reference and stay in the memory of the parameters.
#include "../case.cuh"

namespace {

constexpr int kScales = 4, kDirections = 3, kBands = kScales * kDirections, kPictures = 16;
constexpr int kWide = 3840, kHigh = 2160, kThreads = 256, kRounds = 700;

// Four coefficients a word. The bands of all pictures lie in three arrays.
struct Bands {
  const float4* detail;
  float4 *weighed, *hidden;
  int starts[kBands], words[kScales];
  float factors[kBands], limits[kBands];
  int directions;
};

struct Place {
  int scale, direction, picture, word;
};

// What a kernel sums: a band and two that may hide it, of pictures of some size.
struct Sight {
  const float4 *weighed, *one, *two;
  int wide, high;
};

constexpr int wide_at(int scale) {
  return (kWide >> (scale + 1)) / 4;
}

constexpr int high_at(int scale) {
  return kHigh >> (scale + 1);
}

constexpr int words_at(int scale) {
  return wide_at(scale) * high_at(scale);
}

__device__ float4 scaled(float4 detail, float factor, float limit) {
  const auto held = [=](float value) { return fminf(fmaxf(factor * value, -limit), limit); };
  return make_float4(held(detail.x), held(detail.y), held(detail.z), held(detail.w));
}

__device__ float4 hidden_by(float4 weighed) {
  const float share = 1.0F / 30;
  return make_float4(share * fabsf(weighed.x), share * fabsf(weighed.y), share * fabsf(weighed.z),
                     share * fabsf(weighed.w));
}

// One copy of the code for all that call it.
__device__ __noinline__ void weigh_copied(Bands bands, Place place) {  // fault
  const int band = place.scale * bands.directions + place.direction;
  const int i = bands.starts[band] + place.picture * bands.words[place.scale] + place.word;
  const float4 weighed = scaled(bands.detail[i], bands.factors[band], bands.limits[band]);
  bands.weighed[i] = weighed;
  bands.hidden[i] = hidden_by(weighed);
}

__device__ void weigh_referred(const Bands& bands, Place place) {
  const int band = place.scale * bands.directions + place.direction;
  const int i = bands.starts[band] + place.picture * bands.words[place.scale] + place.word;
  const float4 weighed = scaled(bands.detail[i], bands.factors[band], bands.limits[band]);
  bands.weighed[i] = weighed;
  bands.hidden[i] = hidden_by(weighed);
}

// Blocks along y are pictures, along z directions.
__device__ Place own_place(int scale) {
  return {scale, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y),
          static_cast<int>(blockIdx.x * kThreads + threadIdx.x)};
}

__global__ void __launch_bounds__(kThreads) weigh_by_copies(Bands bands, int scale) {
  const Place place = own_place(scale);
  if (place.word < bands.words[scale]) weigh_copied(bands, place);
}

__global__ void __launch_bounds__(kThreads) weigh_in_place(const __grid_constant__ Bands bands, int scale) {
  const Place place = own_place(scale);
  if (place.word < bands.words[scale]) weigh_referred(bands, place);
}

// The detail above and below hides what is between.
__device__ float seen_at(const Sight& sight, int i) {
  const int row = i / sight.wide % sight.high;
  const int above = row > 0 ? i - sight.wide : i, below = row < sight.high - 1 ? i + sight.wide : i;
  const float4 own = sight.weighed[i];
  const float4 first = sight.one[above], second = sight.one[below];
  const float4 third = sight.two[above], fourth = sight.two[below];
  const auto seen = [](float value, float hidden) { return fmaxf(fabsf(value) - hidden, 0); };
  return seen(own.x, first.x + second.x + third.x + fourth.x) +
         seen(own.y, first.y + second.y + third.y + fourth.y) +
         seen(own.z, first.z + second.z + third.z + fourth.z) +
         seen(own.w, first.w + second.w + third.w + fourth.w);
}

// Each block has a word of its own in `sums`.
__global__ void __launch_bounds__(kThreads) sum_seen(float* sums, Sight sight) {
  __shared__ float parts[kThreads / 32];
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float sum = i < kPictures * sight.wide * sight.high ? seen_at(sight, i) : 0;
#pragma unroll
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int part = 1; part < kThreads / 32; ++part) sum += parts[part];
  sums[blockIdx.x] = 0.9F * sums[blockIdx.x] + sum;
}

Bands made_bands() {
  Bands bands{};
  bands.directions = kDirections;
  int all = 0;
  for (int band = 0; band < kBands; ++band) {
    const int scale = band / kDirections;
    bands.starts[band] = all;
    bands.words[scale] = words_at(scale);
    bands.factors[band] =
        0.6F + 0.1F * static_cast<float>(scale) - 0.05F * static_cast<float>(band % kDirections);
    bands.limits[band] = 0.5F;
    all += kPictures * words_at(scale);
  }
  const auto count = static_cast<std::size_t>(all);
  auto* detail = device_array<float4>(count);
  fill_fractions(reinterpret_cast<float*>(detail), 4 * count, 9);
  bands.detail = detail;
  bands.weighed = device_array<float4>(count);
  bands.hidden = device_array<float4>(count);
  return bands;
}

Case make(bool copied) {
  const Bands bands = made_bands();
  const unsigned most = blocks_for(std::size_t{kPictures} * words_at(0), kThreads);
  auto* sums = device_array<float>(most);
  CHECK(cudaMemset(sums, 0, most * sizeof(float)));
  return {[=] {
            for (int scale = 0; scale < kScales; ++scale) {
              const dim3 blocks(blocks_for(words_at(scale), kThreads), kPictures, kDirections);
              if (copied) {
                weigh_by_copies<<<blocks, kThreads>>>(bands, scale);
              } else {
                weigh_in_place<<<blocks, kThreads>>>(bands, scale);
              }
              const int* starts = bands.starts + scale * kDirections;
              for (int i = 0; i < kDirections; ++i) {
                const Sight sight{bands.weighed + starts[i], bands.hidden + starts[(i + 1) % kDirections],
                                  bands.hidden + starts[(i + 2) % kDirections], wide_at(scale),
                                  high_at(scale)};
                sum_seen<<<blocks_for(std::size_t{kPictures} * words_at(scale), kThreads), kThreads>>>(sums,
                                                                                                       sight);
              }
            }
          },
          [=] { return device_sum(sums, most); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
