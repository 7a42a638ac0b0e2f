// Cuts the clicks of visitors of a shop into sessions: 16.8 million clicks of a day are sorted by visitor and
// time, and a pause of half an hour begins a new session; sessions are counted by the hour of their
// beginning, and how long they take is summed. Clicks of one of four days a round.
// Nothing is at fault. Visitor and time are one key of 42 bits, of which only these are sorted, and all that
// is wanted of the sorted keys is found in one pass. The pattern is that of rapidsai/gpu-bdb, pull request
// 107, and NVIDIA/cudf, pull request 19136: sorted once for sessions, by radix.
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kClicks = 1 << 24, kDays = 4, kThreads = 256, kBlocks = 132 * 8, kRounds = 7000;
constexpr int kVisitorBits = 22, kTimeBits = 20, kHours = 24, kWarps = kThreads / 32;
constexpr unsigned kPause = 1800, kDay = 86400, kTimes = 1U << kTimeBits, kMask = 0xffffffffU;

using Key = unsigned long long;

struct Totals {
  unsigned long long hours[kHours], dwelt;
};

__device__ int own_thread() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

// Two clicks a thread.
__global__ void __launch_bounds__(kThreads)
    join_columns(ulonglong2* __restrict__ keys, const uint2* __restrict__ visitors,
                 const uint2* __restrict__ times) {
  const int i = own_thread();
  const uint2 who = visitors[i], when = times[i];
  keys[i] = make_ulonglong2(static_cast<Key>(who.x) << kTimeBits | when.x,
                            static_cast<Key>(who.y) << kTimeBits | when.y);
}

// A session begins at `key`, or goes on since the click before.
__device__ void add_click(unsigned (&hours)[kHours], unsigned& dwelt, Key before, Key key) {
  const bool same = before >> kTimeBits == key >> kTimeBits;
  const auto pause = static_cast<unsigned>(key - before);
  if (same && pause < kPause) {
    dwelt += pause;
  } else {
    atomicAdd(&hours[static_cast<unsigned>(key & (kTimes - 1)) / 3600], 1U);
  }
}

// A warp counts on its own; a block adds its counts once.
__global__ void __launch_bounds__(kThreads)
    measure_sessions(Totals* totals, const ulonglong2* __restrict__ keys) {
  __shared__ unsigned hours[kWarps][kHours];
  __shared__ unsigned long long dwelt_of_warps[kWarps];
  const int warp = static_cast<int>(threadIdx.x / 32);
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * kHours; i += kThreads)
    hours[i / kHours][i % kHours] = 0;
  __syncthreads();
  unsigned dwelt = 0;
  for (int i = own_thread(); i < kClicks / 2; i += kBlocks * kThreads) {
    const ulonglong2 own = keys[i];
    const Key before = i == 0 ? ~Key{0} : keys[i - 1].y;
    add_click(hours[warp], dwelt, before, own.x);
    add_click(hours[warp], dwelt, own.x, own.y);
  }
  const unsigned of_warp = __reduce_add_sync(kMask, dwelt);
  if (threadIdx.x % 32 == 0) dwelt_of_warps[warp] = of_warp;
  __syncthreads();
  unsigned long long sum = 0;
  if (threadIdx.x < kHours) {
    for (const auto& counts : hours) sum += counts[threadIdx.x];
    atomicAdd(&totals->hours[threadIdx.x], sum);
  } else if (threadIdx.x == 32) {
    for (const auto each : dwelt_of_warps) sum += each;
    atomicAdd(&totals->dwelt, sum);
  }
}

// Some visitors come often; clicks of a visitor lie near their own hour.
__global__ void __launch_bounds__(kThreads) read_log(unsigned* visitors, unsigned* times, unsigned day) {
  const auto i = static_cast<unsigned>(own_thread());
  const float share = mixed_fraction(i * 4 + day);
  const auto visitor = static_cast<unsigned>(share * share * static_cast<float>((1 << kVisitorBits) - 1));
  visitors[i] = visitor;
  const unsigned hour = mixed_bits(visitor + day * 0x9e3779b9U) % (kDay - 7200);
  times[i] = hour + mixed_bits(~i) % 7200;
}

struct Log {
  unsigned *visitors, *times;
  Key *keys, *spare;
  char* workspace;
  std::size_t workspace_bytes;
  Totals* totals;
  int day;
};

void count_day(Log& log) {
  const std::size_t from = static_cast<std::size_t>(log.day++ % kDays) * kClicks;
  const auto* visitors = reinterpret_cast<const uint2*>(log.visitors + from);
  const auto* times = reinterpret_cast<const uint2*>(log.times + from);
  join_columns<<<kClicks / 2 / kThreads, kThreads>>>(reinterpret_cast<ulonglong2*>(log.keys), visitors,
                                                     times);
  cub::DoubleBuffer<Key> buffer(log.keys, log.spare);
  CHECK(cub::DeviceRadixSort::SortKeys(log.workspace, log.workspace_bytes, buffer, kClicks, 0,
                                       kVisitorBits + kTimeBits));
  measure_sessions<<<kBlocks, kThreads>>>(log.totals, reinterpret_cast<const ulonglong2*>(buffer.Current()));
}

Case make() {
  constexpr std::size_t kAll = std::size_t{kDays} * kClicks;
  const auto log = std::make_shared<Log>();
  *log = {device_array<unsigned>(kAll),
          device_array<unsigned>(kAll),
          device_array<Key>(kClicks),
          device_array<Key>(kClicks),
          nullptr,
          0,
          device_array<Totals>(1),
          0};
  for (unsigned day = 0; day < kDays; ++day)
    read_log<<<kClicks / kThreads, kThreads>>>(log->visitors + std::size_t{day} * kClicks,
                                               log->times + std::size_t{day} * kClicks, day);
  CHECK(cudaGetLastError());
  cub::DoubleBuffer<Key> buffer(log->keys, log->spare);
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, log->workspace_bytes, buffer, kClicks, 0,
                                       kVisitorBits + kTimeBits));
  log->workspace = device_array<char>(log->workspace_bytes);
  CHECK(cudaMemset(log->totals, 0, sizeof(Totals)));
  return {[=] { count_day(*log); },
          [=] { return device_sum(reinterpret_cast<unsigned long long*>(log->totals), kHours + 1); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
