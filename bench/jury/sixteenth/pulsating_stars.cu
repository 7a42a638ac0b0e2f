// Looks for the period at which each star pulsates: a telescope counts light of 2112 stars 1024 times, and
// 4096 frequencies are tried for each star. What it counted comes from the host, and the best frequency and
// its power go back. Stars of one field a round.
// Nothing is at fault. Counts are put into pinned memory and copied while a kernel works at the field before;
// the host waits for what it reads next. A thread follows eight frequencies at once, by Goertzel's recurrence
// in registers. The pattern is that of NVlabs/cuda-oxide, pull request 976, and sh1ng/arboretum, pull
// request 7: slots that are used again, copies beside kernels.
#include <array>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kStars = 2112, kTimes = 1024, kCounts = kStars * kTimes, kFrequencies = 4096, kSlots = 2;
constexpr int kThreads = 256, kWarps = kThreads / 32, kTogether = 8,
              kTurns = kFrequencies / kThreads / kTogether;
constexpr int kRounds = 7600;
constexpr unsigned kMask = 0xffffffffU;

using Best = unsigned long long;  // the bits of a power above the number of a frequency

__device__ float frequency(int number) {
  return 0.01F + 0.48F / kFrequencies * static_cast<float>(number);
}

__device__ Best stronger(Best one, Best other) {
  return one > other ? one : other;
}

// A block has a star; all of its threads read the same time at once, and from shared memory.
__global__ void __launch_bounds__(kThreads, 4)
    find_pulses(Best* __restrict__ found, const ushort4* __restrict__ counts) {
  __shared__ float4 light[kTimes / 4];
  __shared__ float sums[kWarps];
  __shared__ Best bests[kWarps];
  const int thread = static_cast<int>(threadIdx.x), star = static_cast<int>(blockIdx.x);
  const ushort4 four = counts[star * kThreads + thread];
  float sum = static_cast<float>(four.x + four.y + four.z + four.w);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) sums[thread / 32] = sum;
  __syncthreads();
  float mean = 0;
  for (const float part : sums) mean += part / kTimes;
  light[thread] = make_float4(four.x - mean, four.y - mean, four.z - mean, four.w - mean);
  __syncthreads();
  Best best = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    float turned[kTogether], last[kTogether]{}, before[kTogether]{};
    const int first = turn * kTogether * kThreads + thread;
#pragma unroll
    for (int i = 0; i < kTogether; ++i) turned[i] = 2 * cospif(2 * frequency(first + i * kThreads));
    for (const float4 times : light) {
      const float seen[] = {times.x, times.y, times.z, times.w};
#pragma unroll
      for (const float now : seen)
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const float next = turned[i] * last[i] + (now - before[i]);
          before[i] = last[i];
          last[i] = next;
        }
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const float power = last[i] * last[i] + before[i] * before[i] - turned[i] * last[i] * before[i];
      const auto number = static_cast<unsigned>(first + i * kThreads);
      best = stronger(best, static_cast<Best>(__float_as_uint(fmaxf(power, 0))) << 32 | number);
    }
  }
  for (int far = 16; far > 0; far /= 2) best = stronger(best, __shfl_xor_sync(kMask, best, far));
  if (thread % 32 == 0) bests[thread / 32] = best;
  __syncthreads();
  if (thread > 0) return;
  for (const Best other : bests) best = stronger(best, other);
  found[star] = best;
}

struct Slot {
  unsigned short *host_counts, *counts;
  Best *host_found, *found;
  cudaEvent_t there, done;
};

struct Telescope {
  std::vector<unsigned short> seen;  // without the light of the sky
  std::array<Slot, kSlots> slots;
  cudaStream_t copying, computing;
  int round;
  double total;
};

void make_telescope(Telescope& telescope) {
  for (int i = 0; i < kCounts; ++i) {
    const auto star = static_cast<unsigned>(i / kTimes);
    const double period = 3 + 30.0 * mixed_fraction(star),
                 height = 100 + 200 * mixed_fraction(star + 0x40000000U);
    const double wave = height * std::cos(6.283185307 * (i % kTimes) / period);
    telescope.seen.push_back(
        static_cast<unsigned short>(1000 + wave + mixed_bits(static_cast<unsigned>(i)) % 256));
  }
  for (Slot& slot : telescope.slots) {
    slot = {pinned_array<unsigned short>(kCounts),
            device_array<unsigned short>(kCounts),
            pinned_array<Best>(kStars),
            device_array<Best>(kStars),
            {},
            {}};
    CHECK(cudaEventCreateWithFlags(&slot.there, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  CHECK(cudaStreamCreateWithFlags(&telescope.copying, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&telescope.computing, cudaStreamNonBlocking));
}

void take_results(Telescope& telescope, const Slot& slot) {
  CHECK(cudaEventSynchronize(slot.done));
  for (int star = 0; star < kStars; ++star)
    telescope.total += static_cast<double>(slot.host_found[star] & kMask);
}

void take_field(Telescope& telescope) {
  Slot& slot = telescope.slots[static_cast<std::size_t>(telescope.round % kSlots)];
  if (telescope.round >= kSlots) take_results(telescope, slot);
  const int sky = telescope.round++ * 7 % 1021;
  for (int i = 0; i < kCounts; ++i)
    slot.host_counts[i] = static_cast<unsigned short>(telescope.seen[static_cast<std::size_t>(i)] + sky);
  CHECK(cudaMemcpyAsync(slot.counts, slot.host_counts, kCounts * sizeof(unsigned short),
                        cudaMemcpyHostToDevice, telescope.copying));
  CHECK(cudaEventRecord(slot.there, telescope.copying));
  CHECK(cudaStreamWaitEvent(telescope.computing, slot.there));
  find_pulses<<<kStars, kThreads, 0, telescope.computing>>>(slot.found,
                                                            reinterpret_cast<const ushort4*>(slot.counts));
  CHECK(cudaMemcpyAsync(slot.host_found, slot.found, kStars * sizeof(Best), cudaMemcpyDeviceToHost,
                        telescope.computing));
  CHECK(cudaEventRecord(slot.done, telescope.computing));
}

Case make() {
  const auto telescope = std::make_shared<Telescope>();
  make_telescope(*telescope);
  return {[=] { take_field(*telescope); },
          [=] {
            for (const Slot& slot : telescope->slots) take_results(*telescope, slot);
            return telescope->total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
