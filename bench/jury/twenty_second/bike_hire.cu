// Plans the hire of bicycles in a country: 16 million rides a round are counted by hour and district, how
// many rides to expect is learnt from day to day, and the minutes of rides at usual, busy and very busy hours
// are added up. A day a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRides = 1 << 24, kDays = 4, kHours = 24, kDistricts = 128, kBins = kHours * kDistricts;
constexpr int kThreads = 512, kEach = 4, kBlocks = 132 * 3, kKinds = 3, kRounds = 24000;
constexpr int kSecondsOfHour = 3600, kSecondsOfDay = kHours * kSecondsOfHour;
constexpr float kLearn = 0.1F, kBusy = 1.02F, kVeryBusy = 1.05F;
constexpr unsigned kMask = 0xffffffffU;

// The rides of a day: when they begin and where (the second of the day and the district, in one number), and
// how many seconds they take.
struct Rides {
  uint4* begins;
  uint4* seconds;
};

struct Hire {
  Rides days[kDays];
  unsigned* parts;  // a block's counts, bin by bin
  float *expected, *noted;
  unsigned char* busy;
  double* minutes;
  int day;
};

__device__ int bin_of(unsigned begin) {
  return static_cast<int>((begin & 0x1ffffU) / kSecondsOfHour * kDistricts + (begin >> 17));
}

// Each block counts rides in shared memory. A thread has four rides at a time.
__global__ void __launch_bounds__(kThreads)
    count_rides(unsigned* __restrict__ parts, const uint4* __restrict__ begins) {
  __shared__ unsigned counts[kBins];
  for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kThreads) counts[bin] = 0;
  __syncthreads();
#pragma unroll 2
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kRides / kEach;
       i += kBlocks * kThreads) {
    const uint4 begin = begins[i];
    atomicAdd(counts + bin_of(begin.x), 1U);
    atomicAdd(counts + bin_of(begin.y), 1U);
    atomicAdd(counts + bin_of(begin.z), 1U);
    atomicAdd(counts + bin_of(begin.w), 1U);
  }
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kThreads)
    parts[blockIdx.x * kBins + static_cast<unsigned>(bin)] = counts[bin];
}

// What to expect of a bin, and whether today is busier. A block has 32 bins, a warp some blocks' parts of
// them.
__global__ void __launch_bounds__(kThreads)
    learn(float* __restrict__ expected, float* __restrict__ noted, unsigned char* __restrict__ busy,
          const unsigned* __restrict__ parts) {
  constexpr int kWarps = kThreads / 32;
  __shared__ unsigned warps[kWarps][32];
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int bin = static_cast<int>(blockIdx.x) * 32 + lane;
  unsigned sum = 0;
#pragma unroll 8
  for (int block = warp; block < kBlocks; block += kWarps) sum += parts[block * kBins + bin];
  warps[warp][lane] = sum;
  __syncthreads();
  if (warp != 0) return;
  for (int i = 1; i < kWarps; ++i) sum += warps[i][lane];
  const auto now = static_cast<float>(sum);
  const float before = expected[bin];
  expected[bin] = before + kLearn * (now - before);
  noted[bin] += 1e-3F * fabsf(now - before);
  busy[bin] = now > kVeryBusy * before ? 2 : now > kBusy * before ? 1 : 0;
}

// The minutes of rides at usual, busy and very busy hours, block by block. Busier ones count more.
__global__ void __launch_bounds__(kThreads)
    add_minutes(double* __restrict__ minutes, const uint4* __restrict__ begins,
                const uint4* __restrict__ seconds, const uint4* __restrict__ busy) {
  __shared__ uint4 kinds[kBins / 16];
  __shared__ unsigned warps[kKinds][kThreads / 32];
  for (int i = static_cast<int>(threadIdx.x); i < kBins / 16; i += kThreads) kinds[i] = busy[i];
  __syncthreads();
  const auto* kind_of = reinterpret_cast<const unsigned char*>(kinds);
  unsigned sums[kKinds] = {};
  const auto add = [&](unsigned begin, unsigned takes) {
    const unsigned kind = kind_of[bin_of(begin)];
#pragma unroll
    for (unsigned i = 0; i < kKinds; ++i) sums[i] += kind == i ? takes : 0;
  };
#pragma unroll 2
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kRides / kEach;
       i += kBlocks * kThreads) {
    const uint4 begin = begins[i], takes = seconds[i];
    add(begin.x, takes.x);
    add(begin.y, takes.y);
    add(begin.z, takes.z);
    add(begin.w, takes.w);
  }
#pragma unroll
  for (int i = 0; i < kKinds; ++i) {
    sums[i] = __reduce_add_sync(kMask, sums[i]);
    if (threadIdx.x % 32 == 0) warps[i][threadIdx.x / 32] = sums[i];
  }
  __syncthreads();
  if (threadIdx.x >= kKinds) return;
  double sum = 0;
  for (const unsigned warp : warps[threadIdx.x]) sum += warp;
  minutes[blockIdx.x * kKinds + threadIdx.x] += (threadIdx.x + 1) * sum / 60;
}

// People ride most at two times of the day, and in some districts more than in others.
__global__ void __launch_bounds__(kThreads) fill_rides(unsigned* begins, unsigned* seconds, unsigned seed) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, bits = 3 * i + seed;
  const float a = mixed_fraction(bits), b = mixed_fraction(bits + 1), c = mixed_fraction(bits + 2);
  const float day = a + 0.04F * __sinf(12.566371F * a);
  const auto second = min(static_cast<unsigned>(fmaxf(day, 0) * kSecondsOfDay), unsigned{kSecondsOfDay - 1});
  const auto district = static_cast<unsigned>(kDistricts * b * (0.6F + 0.4F * b));
  begins[i] = second | min(district, unsigned{kDistricts - 1}) << 17;
  seconds[i] = static_cast<unsigned>(20 - 120 * __logf(1 - c));
}

void plan_day(Hire& hire) {
  const Rides& rides = hire.days[hire.day++ % kDays];
  count_rides<<<kBlocks, kThreads>>>(hire.parts, rides.begins);
  learn<<<kBins / 32, kThreads>>>(hire.expected, hire.noted, hire.busy, hire.parts);
  add_minutes<<<kBlocks, kThreads>>>(hire.minutes, rides.begins, rides.seconds,
                                     reinterpret_cast<const uint4*>(hire.busy));
}

Case make() {
  const auto hire = std::make_shared<Hire>();
  for (unsigned day = 0; day < kDays; ++day) {
    Rides& rides = hire->days[day];
    rides = {device_array<uint4>(kRides / kEach), device_array<uint4>(kRides / kEach)};
    fill_rides<<<kRides / kThreads, kThreads>>>(reinterpret_cast<unsigned*>(rides.begins),
                                                reinterpret_cast<unsigned*>(rides.seconds),
                                                day * 0x68bc21ebU);
  }
  CHECK(cudaGetLastError());
  hire->parts = device_array<unsigned>(std::size_t{kBlocks} * kBins);
  hire->expected = device_array<float>(kBins);
  hire->noted = device_array<float>(kBins);
  hire->busy = device_array<unsigned char>(kBins);
  hire->minutes = device_array<double>(kBlocks * kKinds);
  CHECK(cudaMemset(hire->expected, 0, kBins * sizeof(float)));
  CHECK(cudaMemset(hire->noted, 0, kBins * sizeof(float)));
  CHECK(cudaMemset(hire->minutes, 0, kBlocks * kKinds * sizeof(double)));
  return {[=] { plan_day(*hire); },
          [=] { return device_sum(hire->noted, kBins) + 1e-6 * device_sum(hire->minutes, kBlocks * kKinds); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
