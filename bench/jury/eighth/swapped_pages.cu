// Answers 64 conversations of 1024 words with a model of 32 layers, from keys and values in pages of 16
// words. Beside each step the pages of one more conversation come from pinned memory of the host.
// At fault: each page of each layer is copied by itself, 4096 copies of 4 KB a step, though most follow one
// another both here and there. The pattern is that of taco-project/FlexKV, pull request 193: runs of pages
// that follow one another are copied together.
#include <array>
#include <cuda_fp16.h>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kLayers = 32, kHeads = 32, kHeadsOfBlock = 8, kWidth = 128, kPageWords = 16;
constexpr int kSlots = 65, kActive = kSlots - 1, kSlotPages = 64, kRun = 32, kRounds = 220;
constexpr int kPages = kSlots * kSlotPages, kStored = 16, kHostPages = kStored * kSlotPages;
constexpr int kPage = kPageWords * kWidth, kParts = 2 * kLayers;  // keys and values of a layer
constexpr std::size_t kPageBytes = kPage * sizeof(__half);
constexpr std::size_t kPool = std::size_t{kParts} * kPages * kPage;
constexpr std::size_t kStore = std::size_t{kParts} * kHostPages * kPage;
constexpr std::size_t kAnswers = std::size_t{kSlots} * kHeads * kWidth;

using Table = std::array<int, kSlotPages>;

// A lane has four of a head's 128 values.
struct Four {
  float x, y, z, w;
};

__device__ Four four_of(const __half* row, int lane) {
  const uint2 raw = reinterpret_cast<const uint2*>(row)[lane];
  const float2 one = __half22float2(reinterpret_cast<const __half2&>(raw.x));
  const float2 two = __half22float2(reinterpret_cast<const __half2&>(raw.y));
  return {one.x, one.y, two.x, two.y};
}

__device__ float product(const Four& a, const Four& b) {
  float sum = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
#pragma unroll
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  return sum;
}

// A block takes eight heads of a conversation, which share keys and values; a warp takes a head.
__global__ void __launch_bounds__(kHeadsOfBlock * 32)
    attend(float* answers, const __half* keys, const __half* values, const int* tables, int coming) {
  const int slot = static_cast<int>(blockIdx.x) + (static_cast<int>(blockIdx.x) >= coming ? 1 : 0);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int head = static_cast<int>(blockIdx.y * kHeadsOfBlock + threadIdx.x / 32);
  float* answer = answers + (slot * kHeads + head) * kWidth + lane * 4;
  const float4 last = *reinterpret_cast<const float4*>(answer);
  const Four query{0.1F * last.x + 0.01F * head, 0.1F * last.y, 0.1F * last.z, 0.1F * last.w};
  Four sum{};
  float weights = 0;
  for (int page = 0; page < kSlotPages; ++page) {
    const std::size_t begin = static_cast<std::size_t>(tables[slot * kSlotPages + page]) * kPage;
#pragma unroll 8
    for (int word = 0; word < kPageWords; ++word) {
      const Four key = four_of(keys + begin + word * kWidth, lane);
      const Four value = four_of(values + begin + word * kWidth, lane);
      const float weight = __expf(0.05F * product(query, key));
      weights += weight;
      sum.x += weight * value.x;
      sum.y += weight * value.y;
      sum.z += weight * value.z;
      sum.w += weight * value.w;
    }
  }
  *reinterpret_cast<float4*>(answer) =
      make_float4(sum.x / weights, sum.y / weights, sum.z / weights, sum.w / weights);
}

// Each conversation has its pages in two runs, here and there.
Table pages_of(int number, int numbers) {
  Table table{};
  for (int page = 0; page < kSlotPages; ++page) {
    table[page] = page < kRun ? number * kRun + page : (numbers + number) * kRun + page - kRun;
  }
  return table;
}

struct Pools {
  __half *device, *host;
};

void copy_pages(const Pools& pools, const Table& to, const Table& from, cudaStream_t stream) {
  for (int part = 0; part < kParts; ++part) {
    __half* device = pools.device + static_cast<std::size_t>(part) * kPages * kPage;
    const __half* host = pools.host + static_cast<std::size_t>(part) * kHostPages * kPage;
    for (int page = 0; page < kSlotPages; ++page) {
      __half* own = device + static_cast<std::size_t>(to[page]) * kPage;
      const __half* stored = host + static_cast<std::size_t>(from[page]) * kPage;
      CHECK(cudaMemcpyAsync(own, stored, kPageBytes, cudaMemcpyHostToDevice, stream));  // fault
    }
  }
}

void copy_runs(const Pools& pools, const Table& to, const Table& from, cudaStream_t stream) {
  for (int part = 0; part < kParts; ++part) {
    __half* device = pools.device + static_cast<std::size_t>(part) * kPages * kPage;
    const __half* host = pools.host + static_cast<std::size_t>(part) * kHostPages * kPage;
    for (int page = 0, end = 0; page < kSlotPages; page = end) {
      for (end = page + 1; end < kSlotPages; ++end) {
        if (to[end] != to[end - 1] + 1 || from[end] != from[end - 1] + 1) break;
      }
      __half* own = device + static_cast<std::size_t>(to[page]) * kPage;
      const __half* stored = host + static_cast<std::size_t>(from[page]) * kPage;
      CHECK(cudaMemcpyAsync(own, stored, (end - page) * kPageBytes, cudaMemcpyHostToDevice, stream));
    }
  }
}

// Each page of a conversation has other words when it comes again.
void change_words(const Pools& pools, const Table& stored, int step) {
  const __half word = __float2half(mixed_fraction(static_cast<unsigned>(step)));
  for (int part = 0; part < kParts; ++part) {
    for (const int page : stored) {
      pools.host[(static_cast<std::size_t>(part) * kHostPages + page) * kPage + step % kPage] = word;
    }
  }
}

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// The host's pages are some of the device's.
Pools made_pools() {
  const Pools pools{device_array<__half>(kPool), pinned_array<__half>(kStore)};
  fill_fractions(pools.device, kPool, 1);
  CHECK(cudaMemcpy2D(pools.host, kHostPages * kPageBytes, pools.device, kPages * kPageBytes,
                     kHostPages * kPageBytes, kParts, cudaMemcpyDeviceToHost));
  return pools;
}

int* made_tables() {
  auto* tables = device_array<int>(kPages);
  std::vector<int> all;
  for (int slot = 0; slot < kSlots; ++slot) {
    for (const int page : pages_of(slot, kSlots)) all.push_back(page);
  }
  CHECK(cudaMemcpy(tables, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice));
  return tables;
}

Case make(bool by_page) {
  const Pools pools = made_pools();
  auto* answers = device_array<float>(kAnswers);
  fill_fractions(answers, kAnswers, 2);
  const int* tables = made_tables();
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t attended = made_event();
  std::array<cudaEvent_t, kStored> sent{};
  for (cudaEvent_t& event : sent) event = made_event();
  auto step = std::make_shared<int>(0);
  return {[=] {
            const int coming = *step % kSlots, stored = *step % kStored;
            const Table to = pages_of(coming, kSlots), from = pages_of(stored, kStored);
            CHECK(cudaEventSynchronize(sent[stored]));
            change_words(pools, from, *step);
            // The step before has read the slot, and reads no more; the pages that it brought are there.
            CHECK(cudaStreamWaitEvent(copy, attended));
            CHECK(cudaStreamWaitEvent(compute, sent[(stored + kStored - 1) % kStored]));
            if (by_page) {
              copy_pages(pools, to, from, copy);
            } else {
              copy_runs(pools, to, from, copy);
            }
            CHECK(cudaEventRecord(sent[stored], copy));
            for (int layer = 0; layer < kLayers; ++layer) {
              const __half* keys = pools.device + std::size_t(2 * layer) * kPages * kPage;
              const __half* values = keys + std::size_t{kPages} * kPage;
              attend<<<dim3(kActive, kHeads / kHeadsOfBlock), kHeadsOfBlock * 32, 0, compute>>>(
                  answers, keys, values, tables, coming);
            }
            CHECK(cudaEventRecord(attended, compute));
            ++*step;
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return device_sum(answers, kAnswers);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
