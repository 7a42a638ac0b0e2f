// Compares what a radio telescope has observed with what 1024 sources in the sky would give: the host brings
// chunks of a million rows (place between two antennas, weight, two complex visibilities), 32 MB each, some
// of it new in each pass.
// At fault: copies and kernels take turns in one stream, so neither the bus nor the GPU is ever busy all the
// time. The pattern is that of ratt-ru/montblanc, pull request 75: each copy runs beside the kernel of
// another chunk.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 20, kChunks = 8, kFresh = 4096, kSources = 1024, kThreads = 256, kRounds = 200;
constexpr int kBlocks = kRows / kThreads;
constexpr std::size_t kBytes = kRows * sizeof(float4);

// Directions, and how bright.
struct Source {
  float l, m, n, flux;
};

__constant__ Source sources[kSources];

// Of a chunk: places in wavelengths with weights, and visibilities in two polarisations.
struct Chunk {
  float4 *places, *seen;
};

struct Lane {
  Chunk chunk;
  cudaStream_t stream;
};

struct Archive {
  std::array<Chunk, kChunks> chunks;
  std::array<cudaEvent_t, kChunks> copied;
};

__device__ float2 modelled(float4 place) {
  float2 sum = make_float2(0, 0);
#pragma unroll 4
  for (int i = 0; i < kSources; ++i) {
    const Source source = sources[i];
    const float turns = place.x * source.l + place.y * source.m + place.z * source.n;
    float sine = 0, cosine = 0;
    __sincosf(6.283185F * (turns - rintf(turns)), &sine, &cosine);
    sum.x += source.flux * cosine;
    sum.y += source.flux * sine;
  }
  return sum;
}

// Each block has a word of its own.
__global__ void __launch_bounds__(kThreads) compare(float* misfits, Chunk chunk) {
  __shared__ float parts[kThreads / 32];
  const int row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 place = chunk.places[row], seen = chunk.seen[row];
  const float2 model = modelled(place);
  const float real = model.x - seen.x, imaginary = model.y - seen.y;
  const float other_real = 0.9F * model.x - seen.z, other_imaginary = 0.9F * model.y - seen.w;
  float misfit = place.w * (real * real + imaginary * imaginary + other_real * other_real +
                            other_imaginary * other_imaginary);
#pragma unroll
  for (int far = 16; far > 0; far /= 2) misfit += __shfl_xor_sync(0xffffffffU, misfit, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = misfit;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) misfit += parts[i];
  misfits[blockIdx.x] = 0.9F * misfits[blockIdx.x] + misfit;
}

void choose_sources() {
  std::array<Source, kSources> chosen{};
  for (unsigned i = 0; i < kSources; ++i) {
    const float l = 0.1F * mixed_fraction(2 * i) - 0.05F, m = 0.1F * mixed_fraction(2 * i + 1) - 0.05F;
    chosen[i] = {l, m, std::sqrt(1 - l * l - m * m) - 1, mixed_fraction(i + 5000) / 16};
  }
  CHECK(cudaMemcpyToSymbol(sources, chosen.data(), sizeof(Source) * kSources));
}

void bring(const Lane& lane, const Chunk& from, cudaEvent_t copied) {
  CHECK(cudaMemcpyAsync(lane.chunk.places, from.places, kBytes, cudaMemcpyHostToDevice, lane.stream));
  CHECK(cudaMemcpyAsync(lane.chunk.seen, from.seen, kBytes, cudaMemcpyHostToDevice, lane.stream));
  CHECK(cudaEventRecord(copied, lane.stream));
}

// Rows of later times replace some of the oldest.
void observe(const Chunk& chunk, unsigned pass) {
  const unsigned first = pass % (kRows / kFresh) * kFresh;
  for (unsigned row = first; row < first + kFresh; ++row) {
    const unsigned seed = (pass * kRows + row) * 8;
    const auto length = [=](unsigned axis) { return 400 * (mixed_fraction(seed + axis) - 0.5F); };
    const auto part = [=](unsigned i) { return mixed_fraction(seed + 4 + i) - 0.5F; };
    chunk.places[row] = make_float4(length(0), length(1), length(2), 0.5F + mixed_fraction(seed + 3));
    chunk.seen[row] = make_float4(part(0), part(1), part(2), part(3));
  }
}

Archive made_archive() {
  Archive archive{};
  auto* words = device_array<float4>(kRows);
  for (unsigned i = 0; i < kChunks; ++i) {
    const Chunk chunk{pinned_array<float4>(kRows), pinned_array<float4>(kRows)};
    for (float4* part : {chunk.places, chunk.seen}) {
      fill_fractions(reinterpret_cast<float*>(words), std::size_t{4} * kRows, i + 77);
      CHECK(cudaMemcpy(part, words, kBytes, cudaMemcpyDeviceToHost));
    }
    archive.chunks[i] = chunk;
    CHECK(cudaEventCreateWithFlags(&archive.copied[i], cudaEventDisableTiming));
  }
  CHECK(cudaFree(words));
  return archive;
}

Case make(bool in_turn) {
  choose_sources();
  const Archive archive = made_archive();
  std::array<Lane, 2> lanes{};
  for (Lane& lane : lanes) {
    lane.chunk = {device_array<float4>(kRows), device_array<float4>(kRows)};
    CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
  }
  auto* misfits = device_array<float>(std::size_t{kChunks} * kBlocks);
  CHECK(cudaMemset(misfits, 0, std::size_t{kChunks} * kBlocks * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  auto pass = std::make_shared<unsigned>(0);
  return {[=] {
            for (int i = 0; i < kChunks; ++i) {
              const Lane& lane = lanes[in_turn ? 0 : i % 2];  // fault
              CHECK(cudaEventSynchronize(archive.copied[i]));
              observe(archive.chunks[i], *pass);
              bring(lane, archive.chunks[i], archive.copied[i]);
              compare<<<kBlocks, kThreads, 0, lane.stream>>>(misfits + i * kBlocks, lane.chunk);
            }
            ++*pass;
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return device_sum(misfits, std::size_t{kChunks} * kBlocks);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
