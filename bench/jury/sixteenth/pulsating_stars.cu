// Looks for the period at which each star pulsates: a telescope counts light of 1320 stars 1024 times, and
// 8192 frequencies are tried for each star. What it counted comes from the host, and the best frequency and
// its power go back. Stars of one field a round.
// Nothing is at fault. Counts are put into pinned memory and copied while a kernel works at the field before;
// the host waits for what it reads next. A thread follows eight frequencies at once, by Goertzel's recurrence
// in registers. The pattern is that of NVlabs/cuda-oxide, pull request 976, and sh1ng/arboretum, pull
// request 7: slots that are used again, copies beside kernels.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kStars = 1320, kTimes = 1024, kCounts = kStars * kTimes, kTried = 8192, kSlots = 2;
constexpr int kThreads = 256, kTogether = 8, kTurns = kTried / kThreads / kTogether, kRounds = 7000;
constexpr int kDark = 1128, kSkies = 1021;
constexpr unsigned kMask = 0xffffffffU;

using Best = unsigned long long;  // the bits of a power above the number of a frequency
constexpr std::size_t kBytes = kCounts * sizeof(unsigned short), kBack = kStars * sizeof(Best);

// A block has a star; all of its threads read the same time at once, and from shared memory.
__global__ void __launch_bounds__(kThreads)
    find_pulses(Best* __restrict__ found, const ushort4* __restrict__ counts, float sky) {
  __shared__ float4 light[kTimes / 4];
  __shared__ Best bests[kThreads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const ushort4 four = counts[blockIdx.x * kThreads + threadIdx.x];
  light[thread] = make_float4(four.x - sky, four.y - sky, four.z - sky, four.w - sky);
  __syncthreads();
  Best best = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    float turned[kTogether], last[kTogether]{}, before[kTogether]{};
    const int first = turn * kTogether * kThreads + thread;
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const float frequency = 0.01F + 0.48F / kTried * static_cast<float>(first + i * kThreads);
      turned[i] = 2 * cospif(2 * frequency);
    }
    for (const float4 times : light) {
      const float seen[] = {times.x, times.y, times.z, times.w};
#pragma unroll
      for (const float now : seen)
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
      best = max(best, static_cast<Best>(__float_as_uint(fmaxf(power, 0))) << 32 | number);
    }
  }
  for (int far = 16; far > 0; far /= 2) best = max(best, __shfl_xor_sync(kMask, best, far));
  if (thread % 32 == 0) bests[thread / 32] = best;
  __syncthreads();
  for (const Best other : bests) best = max(best, other);
  if (thread == 0) found[blockIdx.x] = best;
}

struct Slot {
  unsigned short* host_counts;
  ushort4* counts;
  Best *host_found, *found;
  cudaStream_t stream;
};

struct Telescope {
  std::vector<unsigned short> seen;  // without the light of the sky
  Slot slots[kSlots];
  int round;
  double total;
};

void prepare(Telescope& telescope) {
  for (int i = 0; i < kCounts; ++i) {
    const auto star = static_cast<unsigned>(i / kTimes), noise = mixed_bits(static_cast<unsigned>(i)) % 256;
    const double height = 100 + 200 * mixed_fraction(star), period = 3 + 30.0 * mixed_fraction(~star);
    const double light = 1000 + noise + height * std::cos(6.283185307 * (i % kTimes) / period);
    telescope.seen.push_back(static_cast<unsigned short>(light));
  }
  for (Slot& slot : telescope.slots) {
    CHECK(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
    slot = {pinned_array<unsigned short>(kCounts), device_array<ushort4>(kCounts / 4),
            pinned_array<Best>(kStars), device_array<Best>(kStars), slot.stream};
  }
}

void take_results(Telescope& telescope, const Slot& slot) {
  CHECK(cudaStreamSynchronize(slot.stream));
  for (int star = 0; star < kStars; ++star)
    telescope.total += static_cast<double>(slot.host_found[star] & kMask);
}

void take_field(Telescope& telescope) {
  const Slot& slot = telescope.slots[telescope.round % kSlots];
  if (telescope.round >= kSlots) take_results(telescope, slot);
  const int sky = telescope.round++ * 7 % kSkies;
  for (std::size_t i = 0; i < kCounts; ++i)
    slot.host_counts[i] = static_cast<unsigned short>(telescope.seen[i] + sky);
  CHECK(cudaMemcpyAsync(slot.counts, slot.host_counts, kBytes, cudaMemcpyHostToDevice, slot.stream));
  find_pulses<<<kStars, kThreads, 0, slot.stream>>>(slot.found, slot.counts, static_cast<float>(kDark + sky));
  CHECK(cudaMemcpyAsync(slot.host_found, slot.found, kBack, cudaMemcpyDeviceToHost, slot.stream));
}

Case make() {
  const auto telescope = std::make_shared<Telescope>();
  prepare(*telescope);
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
