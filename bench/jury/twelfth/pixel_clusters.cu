// Finds hits in the pixel detector of a collider, event after event: 8192 modules send up to 256 pixels
// each, which are calibrated and joined to clusters; each cluster looks for the nearest one in the
// layer behind, and hits and counts go back to the host. Three batches are under way: one comes, one is
// computed, one goes.
// Nothing is at fault. The pattern is that of cms-sw/cmssw, pull request 36176: results lie in one
// buffer and come to the host by one copy.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kModules = 8192, kPixels = 256, kHits = 48, kLayers = 4, kRow = kModules / kLayers;
constexpr int kColumns = 416, kRows = 160, kChip = 8, kChips = kColumns / kChip, kSlots = 3, kRounds = 10000;
constexpr int kWarps = kPixels / 32, kModulesEach = 4, kMatchThreads = kModulesEach * kHits;
constexpr std::size_t kWords = std::size_t{kModules} * kPixels;

// A word has its column from bit 16, its row from bit 8, and its charge below. What is absent has no charge.
using Word = unsigned;

// The column and the row, the charge, and how many pixels it has.
using Hit = float4;

// What goes to the host, side by side: hits, and how far the nearest ones behind are apart.
struct Results {
  Hit hits[kModules][kHits];
  float apart[kModules][kHits];
  int counts[kModules];
};

// What a charge is worth in eight columns of a module.
struct alignas(8) Gain {
  float base, factor;
};

struct Slot {
  Word *sent, *words;
  Results *results, *shown;
  cudaStream_t stream;
  cudaEvent_t done;
};

// Sums of a cluster, of charges and of charges times places.
struct Cluster {
  int charge, columns, rows, pixels;
};

__device__ int column_of(Word word) {
  return static_cast<int>(word >> 16);
}

__device__ int row_of(Word word) {
  return static_cast<int>(word >> 8 & 0xffU);
}

// Up to four pixels behind the own one touch it; each is a byte, and 0 is none. Pixels are sorted by column
// and row.
__device__ unsigned touching(const Word (&words)[kPixels], int own) {
  unsigned found = 0;
  const int column = column_of(words[own]), row = row_of(words[own]);
  for (int other = own + 1; other < kPixels && column_of(words[other]) <= column + 1; ++other) {
    if ((words[other] & 0xffU) != 0 && abs(row_of(words[other]) - row) <= 1)
      found = found << 8 | static_cast<unsigned>(other);
  }
  return found;
}

// All pixels of a cluster get the number of its first one.
__device__ void join(int (&labels)[kPixels], unsigned near, int own) {
  bool changed = true;
  while (__syncthreads_or(static_cast<int>(changed)) != 0) {
    changed = false;
    for (unsigned others = near; others != 0; others >>= 8) {
      const int other = static_cast<int>(others & 0xffU), mine = labels[own], theirs = labels[other];
      if (mine == theirs) continue;
      atomicMin(&labels[mine < theirs ? other : own], min(mine, theirs));
      changed = true;
    }
  }
}

// The place of an own cluster among those of the module, and their number.
__device__ int place_of(bool first, int& all) {
  __shared__ int parts[kWarps];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const unsigned firsts = __ballot_sync(0xffffffffU, first);
  if (lane == 0) parts[warp] = __popc(firsts);
  __syncthreads();
  int place = __popc(firsts & ((1U << lane) - 1));
  all = 0;
#pragma unroll
  for (int part = 0; part < kWarps; ++part) {
    if (part < warp) place += parts[part];
    all += parts[part];
  }
  return place;
}

// A block has a module, and a thread a pixel.
__global__ void __launch_bounds__(kPixels)
    find_clusters(Results* results, const Word* __restrict__ words, const Gain* __restrict__ gains) {
  __shared__ Word pixels[kPixels];
  __shared__ int labels[kPixels];
  __shared__ Cluster clusters[kPixels];
  const int own = static_cast<int>(threadIdx.x), module = static_cast<int>(blockIdx.x);
  const Word word = words[module * kPixels + own];
  const bool present = (word & 0xffU) != 0;
  pixels[own] = word;
  labels[own] = own;
  clusters[own] = {};
  const Gain gain = present ? gains[module * kChips + column_of(word) / kChip] : Gain{};
  const int charge = max(static_cast<int>(gain.factor * (static_cast<float>(word & 0xffU) - gain.base)), 1);
  __syncthreads();
  join(labels, present ? touching(pixels, own) : 0, own);
  if (present) {
    Cluster& cluster = clusters[labels[own]];
    atomicAdd(&cluster.charge, charge);
    atomicAdd(&cluster.columns, charge * column_of(word));
    atomicAdd(&cluster.rows, charge * row_of(word));
    atomicAdd(&cluster.pixels, 1);
  }
  const bool first = present && labels[own] == own;
  int all = 0;
  const int place = place_of(first, all);
  if (first && place < kHits) {
    const auto sum = static_cast<float>(clusters[own].charge);
    results->hits[module][place] = make_float4(static_cast<float>(clusters[own].columns) / sum,
                                               static_cast<float>(clusters[own].rows) / sum, sum,
                                               static_cast<float>(clusters[own].pixels));
  }
  if (own == 0) results->counts[module] = min(all, kHits);
}

// A block has four modules, and a thread a hit. Modules lie one behind the other a layer apart.
__global__ void __launch_bounds__(kMatchThreads) match_layers(Results* results) {
  __shared__ float2 behind[kModulesEach][kHits];
  const int own = static_cast<int>(threadIdx.x) / kHits, hit = static_cast<int>(threadIdx.x) % kHits;
  const int module = static_cast<int>(blockIdx.x) * kModulesEach + own, next = (module + kRow) % kModules;
  const Hit other = results->hits[next][hit];
  behind[own][hit] = make_float2(other.x, other.y);
  __syncthreads();
  if (hit >= results->counts[module]) return;
  const Hit mine = results->hits[module][hit];
  float least = kColumns * kColumns;
  for (int i = 0; i < results->counts[next]; ++i) {
    const float column = behind[own][i].x - mine.x, row = behind[own][i].y - mine.y;
    least = fminf(least, column * column + row * row);
  }
  results->apart[module][hit] = sqrtf(least);
}

__global__ void __launch_bounds__(kPixels) make_gains(Gain* gains) {
  const unsigned i = blockIdx.x * kPixels + threadIdx.x;
  gains[i] = {4 * mixed_fraction(i), 80 + 40 * mixed_fraction(i + 0x40000000U)};
}

// Clusters of one to six pixels, from left to right. Modules differ in how many there are.
void make_module(Word* words, unsigned seed) {
  std::array<Word, kPixels> all{};
  const unsigned hits = 24 + mixed_bits(seed) % 24;
  int count = 0;
  for (unsigned hit = 0; hit < hits; ++hit) {
    const unsigned bits = mixed_bits(seed * 64 + hit + 1), column = bits % (kColumns - 3),
                   row = (bits >> 10) % (kRows - 2), size = 1 + (bits >> 20) % 6;
    for (unsigned i = 0; i < size && count < kPixels; ++i)
      all[count++] = (column + i / 2) << 16 | (row + i % 2) << 8 | (1 + mixed_bits(bits + i) % 255);
  }
  std::sort(all.begin(), all.begin() + count);
  // Two clusters may share a pixel.
  const auto same = [](Word one, Word other) { return one >> 8 == other >> 8; };
  const auto end = std::unique(all.begin(), all.begin() + count, same);
  std::fill(end, all.end(), Word{kColumns + 8} << 16);
  std::copy(all.begin(), all.end(), words);
}

Slot made_slot(unsigned number) {
  Slot slot{pinned_array<Word>(kWords),
            device_array<Word>(kWords),
            device_array<Results>(1),
            pinned_array<Results>(1),
            nullptr,
            nullptr};
  for (unsigned module = 0; module < kModules; ++module)
    make_module(slot.sent + std::size_t{module} * kPixels, number * kModules + module);
  CHECK(cudaMemset(slot.results, 0, sizeof(Results)));
  std::memset(slot.shown, 0, sizeof(Results));
  CHECK(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  return slot;
}

void compute(const Slot& slot, const Gain* gains) {
  CHECK(cudaMemcpyAsync(slot.words, slot.sent, kWords * sizeof(Word), cudaMemcpyHostToDevice, slot.stream));
  find_clusters<<<kModules, kPixels, 0, slot.stream>>>(slot.results, slot.words, gains);
  match_layers<<<kModules / kModulesEach, kMatchThreads, 0, slot.stream>>>(slot.results);
  CHECK(cudaMemcpyAsync(slot.shown, slot.results, sizeof(Results), cudaMemcpyDeviceToHost, slot.stream));
  CHECK(cudaEventRecord(slot.done, slot.stream));
}

struct Totals {
  unsigned round;
  double hits, apart;
};

Case make() {
  constexpr std::size_t kGains = std::size_t{kModules} * kChips;
  auto* gains = device_array<Gain>(kGains);
  make_gains<<<kGains / kPixels, kPixels>>>(gains);
  CHECK(cudaGetLastError());
  const std::array<Slot, kSlots> slots{made_slot(0), made_slot(1), made_slot(2)};
  CHECK(cudaDeviceSynchronize());
  auto totals = std::make_shared<Totals>(Totals{});
  return {[=] {
            const unsigned round = totals->round++;
            const Slot& slot = slots[round % kSlots];
            // Two batches are under way meanwhile. Then each module sees other charges.
            CHECK(cudaEventSynchronize(slot.done));
            for (unsigned module = 0; module < kModules; ++module) {
              totals->hits += slot.shown->counts[module];
              Word& word = slot.sent[std::size_t{module} * kPixels + (round + module) % 32];
              if ((word & 0xffU) != 0) word = (word & ~0xffU) | (1 + (word * 5 + round) % 255);
            }
            totals->apart += static_cast<double>(slot.shown->apart[round % kModules][0]);
            compute(slot, gains);
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return totals->hits + totals->apart;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
