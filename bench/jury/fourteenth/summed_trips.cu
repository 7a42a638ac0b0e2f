// Asks a table of 134 million trips by taxi how much was paid for those of at least some minutes, and what
// the cheapest and the dearest of them cost. Each round asks for other minutes.
// At fault: sum, least and largest are kernels of their own, and each of them reads both columns, 1.07 GB in
// all. The pattern is that of singhpratech/duckdbgpumetaldbram, pull request 163: one pass for all
// aggregates instead of three.
#include <climits>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kTrips = 1 << 27, kFours = kTrips / 4, kAsked = 64, kThreads = 256, kWarps = kThreads / 32;
constexpr int kBlocks = 1056, kRounds = 8500;

// How long a trip was, and cents.
struct Trips {
  const int4 *minutes, *fares;
};

// What was asked has its own line.
struct alignas(32) Answer {
  unsigned long long paid;
  int least, largest;
};

struct Add {
  using Value = long long;
  static constexpr Value kNone = 0;
  __device__ static long long joined(long long one, long long other) { return one + other; }
  __device__ static void keep(Answer& answer, long long value) {
    atomicAdd(&answer.paid, static_cast<unsigned long long>(value));
  }
};

struct Least {
  using Value = int;
  static constexpr Value kNone = INT_MAX;
  __device__ static int joined(int one, int other) { return min(one, other); }
  __device__ static void keep(Answer& answer, int value) { atomicMin(&answer.least, value); }
};

struct Largest {
  using Value = int;
  static constexpr Value kNone = INT_MIN;
  __device__ static int joined(int one, int other) { return max(one, other); }
  __device__ static void keep(Answer& answer, int value) { atomicMax(&answer.largest, value); }
};

// An aggregate of a thread.
template <class How>
struct Part {
  typename How::Value value = How::kNone;

  __device__ void take(bool counts, int fare) {
    if (counts) value = How::joined(value, fare);
  }

  // One atomic a block.
  __device__ void keep(Answer& answer) {
    __shared__ typename How::Value parts[kWarps];
#pragma unroll
    for (int far = 16; far > 0; far /= 2)
      value = How::joined(value, __shfl_xor_sync(0xffffffffU, value, far));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < kWarps; ++warp) value = How::joined(value, parts[warp]);
    How::keep(answer, value);
  }
};

template <class... Parts>
__device__ void go_through(const Trips& trips, int asked, Parts&... parts) {
#pragma unroll 4
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kFours; i += kBlocks * kThreads) {
    const int4 minutes = trips.minutes[i], fares = trips.fares[i];  // fault
    (parts.take(minutes.x >= asked, fares.x), ...);
    (parts.take(minutes.y >= asked, fares.y), ...);
    (parts.take(minutes.z >= asked, fares.z), ...);
    (parts.take(minutes.w >= asked, fares.w), ...);
  }
}

__global__ void __launch_bounds__(kThreads) add_fares(Answer* answers, Trips trips, int asked) {
  Part<Add> paid;
  go_through(trips, asked, paid);
  paid.keep(answers[asked]);
}

__global__ void __launch_bounds__(kThreads) find_cheapest(Answer* answers, Trips trips, int asked) {
  Part<Least> least;
  go_through(trips, asked, least);
  least.keep(answers[asked]);
}

__global__ void __launch_bounds__(kThreads) find_dearest(Answer* answers, Trips trips, int asked) {
  Part<Largest> largest;
  go_through(trips, asked, largest);
  largest.keep(answers[asked]);
}

__global__ void __launch_bounds__(kThreads) answer_all(Answer* answers, Trips trips, int asked) {
  Part<Add> paid;
  Part<Least> least;
  Part<Largest> largest;
  go_through(trips, asked, paid, least, largest);
  paid.keep(answers[asked]);
  least.keep(answers[asked]);
  largest.keep(answers[asked]);
}

__global__ void __launch_bounds__(kThreads) make_trips(int* minutes, int* fares) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  minutes[i] = static_cast<int>(mixed_bits(i) % 120);
  fares[i] = 300 + static_cast<int>(mixed_bits(i + 0x40000000U) % 9000);
}

__global__ void make_answers(Answer* answers) {
  answers[threadIdx.x] = {0, Least::kNone, Largest::kNone};
}

Case make(bool by_passes) {
  auto *minutes = device_array<int>(kTrips), *fares = device_array<int>(kTrips);
  make_trips<<<kTrips / kThreads, kThreads>>>(minutes, fares);
  auto* answers = device_array<Answer>(kAsked);
  make_answers<<<1, kAsked>>>(answers);
  CHECK(cudaGetLastError());
  const Trips trips{reinterpret_cast<const int4*>(minutes), reinterpret_cast<const int4*>(fares)};
  auto round = std::make_shared<int>(0);
  return {[=] {
            const int asked = (*round)++ % kAsked;
            if (by_passes) {
              add_fares<<<kBlocks, kThreads>>>(answers, trips, asked);      // fault
              find_cheapest<<<kBlocks, kThreads>>>(answers, trips, asked);  // fault
              find_dearest<<<kBlocks, kThreads>>>(answers, trips, asked);   // fault
            } else {
              answer_all<<<kBlocks, kThreads>>>(answers, trips, asked);
            }
          },
          [=] {
            Answer all[kAsked];
            CHECK(cudaMemcpy(all, answers, sizeof(all), cudaMemcpyDeviceToHost));
            double total = 0;
            for (const Answer& one : all)
              total += 1e-6 * static_cast<double>(one.paid) + one.least + one.largest;
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
