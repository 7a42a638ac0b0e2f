// Essays that were copied: of each of 65536 essays, runs of three words become 128 least hashes (MinHash);
// bands of eight of them are sorted to find essays that may be alike, which are then compared. Four terms a
// round.
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEssays = 1 << 16, kWords = 512, kLanes = 32, kChunks = kWords / kLanes, kThreads = 256;
constexpr int kWarps = kThreads / kLanes, kHashes = 4 * kLanes, kBands = 16, kKeys = kEssays * kBands;
constexpr int kTermsOfRound = 4, kRounds = 400;
constexpr unsigned kMask = 0xffffffffU, kVocabulary = 60000, kGolden = 2654435761U;

struct School {
  unsigned* words;
  uint4* least;  // of an essay, four hashes for each lane
  unsigned *keys, *sorted_keys;
  int *owners, *sorted_owners;  // which essay a key is of
  int* likest;                  // how many hashes agree with those of the likest essay
  float* marks;
  void* temporary;
  std::size_t temporary_bytes = 0;
  cudaStream_t stream;
  unsigned term = 0;
};

// Frequent words have small numbers.
__device__ unsigned word_of(unsigned bits) {
  const float fraction = static_cast<float>(bits >> 8) / static_cast<float>(1U << 24);
  return static_cast<unsigned>(kVocabulary * fraction * fraction);
}

// An eighth of the essays follow another one, and change some of its words.
__global__ void __launch_bounds__(kThreads) write_essays(uint4* __restrict__ words, unsigned term) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, essay = i / (kWords / 4),
                 place = i % (kWords / 4) * 4;
  const unsigned nature = mixed_bits(essay ^ term * kGolden);
  const bool copies = nature % 8 == 0;
  const unsigned writer = copies ? (nature >> 8) % kEssays : essay;
  const unsigned changed = copies ? 8 + 16 * (nature >> 4 & 3) : 0;  // of 1024 words
  const auto word_at = [=](unsigned at) {
    const unsigned text = mixed_bits((writer * kWords + at) ^ (term + 77) * kGolden);
    const unsigned own = mixed_bits(text + essay * 31 + 1);
    return word_of(own % 1024 < changed ? mixed_bits(own) : text);
  };
  words[i] = make_uint4(word_at(place), word_at(place + 1), word_at(place + 2), word_at(place + 3));
}

// The lane's hashes of a run of words.
__device__ void keep_least(uint4& least, uint4 factor, uint4 shift, unsigned run) {
  least.x = min(least.x, factor.x * run + shift.x);
  least.y = min(least.y, factor.y * run + shift.y);
  least.z = min(least.z, factor.z * run + shift.z);
  least.w = min(least.w, factor.w * run + shift.w);
}

__device__ uint4 chance_of(unsigned seed) {
  return make_uint4(mixed_bits(seed), mixed_bits(seed + 1), mixed_bits(seed + 2), mixed_bits(seed + 3));
}

// The run that begins with the lane's word; its last words may be those of the next chunk.
__device__ unsigned run_at(unsigned own, unsigned next, unsigned lane) {
  const unsigned second = __shfl_sync(kMask, lane < 1 ? next : own, (lane + 1) % kLanes);
  const unsigned third = __shfl_sync(kMask, lane < 2 ? next : own, (lane + 2) % kLanes);
  return mixed_bits(own * 0x9e3779b1U + second * 0x85ebca77U + third * 0xc2b2ae3dU);
}

// A warp has an essay. Two lanes have the eight hashes of a band.
__global__ void __launch_bounds__(kThreads)
    sign(uint4* __restrict__ all_least, unsigned* __restrict__ keys, const unsigned* __restrict__ words) {
  const unsigned lane = threadIdx.x % kLanes, essay = blockIdx.x * kWarps + threadIdx.x / kLanes;
  const unsigned* text = words + essay * kWords + lane;
  uint4 factor = chance_of(8 * lane + 1000);
  factor = make_uint4(factor.x | 1, factor.y | 1, factor.z | 1, factor.w | 1);
  const uint4 shift = chance_of(8 * lane + 1004);
  uint4 least = make_uint4(kMask, kMask, kMask, kMask);
  unsigned own = text[0];
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const bool last = chunk + 1 == kChunks;
    const unsigned next = last ? 0 : text[(chunk + 1) * kLanes];
    unsigned run = run_at(own, next, lane);
    // The last two lanes have no run at the end of the text, and repeat the one before.
    if (last) run = __shfl_sync(kMask, run, min(lane, kLanes - 3U));
#pragma unroll
    for (int from = 0; from < kLanes; ++from) keep_least(least, factor, shift, __shfl_sync(kMask, run, from));
    own = next;
  }
  all_least[essay * kLanes + lane] = least;
  const unsigned half = mixed_bits(least.x + mixed_bits(least.y + mixed_bits(least.z + mixed_bits(least.w))));
  const unsigned key = mixed_bits(half + 3 * __shfl_down_sync(kMask, half, 1));
  if (lane % 2 == 0) keys[essay * kBands + lane / 2] = lane / 2 << 28 | key >> 4;
}

// A warp looks at 32 keys. Essays whose keys are alike are compared by all lanes.
__global__ void __launch_bounds__(kThreads)
    compare(int* __restrict__ likest, const uint4* __restrict__ least, const unsigned* __restrict__ keys,
            const int* __restrict__ owners) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto lane = static_cast<int>(threadIdx.x % kLanes);
  const int own = owners[i], before = i > 0 ? owners[i - 1] : own;
  unsigned found = __ballot_sync(kMask, i > 0 && keys[i] == keys[i - 1]);
  while (found != 0) {
    const int from = __ffs(static_cast<int>(found)) - 1;
    found &= found - 1;
    const int one = __shfl_sync(kMask, own, from), other = __shfl_sync(kMask, before, from);
    const uint4 mine = least[one * kLanes + lane], theirs = least[other * kLanes + lane];
    const unsigned same =
        (mine.x == theirs.x) + (mine.y == theirs.y) + (mine.z == theirs.z) + (mine.w == theirs.w);
    const auto all = static_cast<int>(__reduce_add_sync(kMask, same));
    if (lane < 2) atomicMax(likest + (lane == 0 ? one : other), all);
  }
}

// Who copies gets worse marks.
__global__ void __launch_bounds__(kThreads) mark(float* __restrict__ marks, int* __restrict__ likest) {
  const auto essay = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float alike = static_cast<float>(likest[essay]) / kHashes;
  likest[essay] = 0;
  marks[essay] = 0.9F * marks[essay] + 0.1F * (alike > 0.5F ? 1 - alike : 1);
}

__global__ void __launch_bounds__(kThreads) enrol(int* owners, int* likest, float* marks) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  owners[i] = i / kBands;
  if (i >= kEssays) return;
  likest[i] = 0;
  marks[i] = 0.5F;
}

void next_term(School& own) {
  const unsigned term = own.term++;
  write_essays<<<kEssays / kThreads*(kWords / 4), kThreads, 0, own.stream>>>(
      reinterpret_cast<uint4*>(own.words), term);
  sign<<<kEssays / kWarps, kThreads, 0, own.stream>>>(own.least, own.keys, own.words);
  CHECK(cub::DeviceRadixSort::SortPairs(own.temporary, own.temporary_bytes, own.keys, own.sorted_keys,
                                        own.owners, own.sorted_owners, kKeys, 0, 32, own.stream));
  compare<<<kKeys / kThreads, kThreads, 0, own.stream>>>(own.likest, own.least, own.sorted_keys,
                                                         own.sorted_owners);
  mark<<<kEssays / kThreads, kThreads, 0, own.stream>>>(own.marks, own.likest);
}

Case make() {
  const auto school = std::make_shared<School>();
  school->words = device_array<unsigned>(static_cast<std::size_t>(kEssays) * kWords);
  school->least = device_array<uint4>(kEssays * kLanes);
  for (unsigned** keys : {&school->keys, &school->sorted_keys}) *keys = device_array<unsigned>(kKeys);
  for (int** owners : {&school->owners, &school->sorted_owners}) *owners = device_array<int>(kKeys);
  school->likest = device_array<int>(kEssays);
  school->marks = device_array<float>(kEssays);
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, school->temporary_bytes, school->keys, school->sorted_keys,
                                        school->owners, school->sorted_owners, kKeys, 0, 32));
  school->temporary = device_array<char>(school->temporary_bytes);
  enrol<<<kKeys / kThreads, kThreads>>>(school->owners, school->likest, school->marks);
  CHECK(cudaStreamCreateWithFlags(&school->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kTermsOfRound; ++i) next_term(*school);
  };
  const auto sum = [=] { return device_sum(school->marks, kEssays); };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
