// A12: lanes without work. They cost time where a kernel computes; a guard at the end of the data costs none.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kHashedWords = std::int64_t{48} * 64 * 4096;
constexpr unsigned kHashRounds = 256;

__host__ __device__ inline Word hashed(Word word) {
  for (unsigned round = 0; round < kHashRounds; ++round) word = (word ^ (word >> 15)) * 0x2C1B3C6DU + round;
  return word;
}

// A kernel as a whole is at fault where its blocks are no multiple of a warp.
__global__ void hash_words(Word* out, const Word* in) {
  out[thread_index()] = hashed(in[thread_index()]);
}

__global__ void hash_every_second(Word* out, const Word* in) {
  if (threadIdx.x % 2 == 1) return;
  const unsigned i = thread_index() / 2;
  out[i] = hashed(in[i]);  // fault: every_second_lane
}

constexpr std::int64_t kGuardedCopy = 32 * kMiB - 100;

__global__ void copy_guarded(Word* out, const Word* in, unsigned words) {
  const unsigned i = thread_index();
  if (i < words) out[i] = in[i];
}
__global__ void copy_whole(Word* out, const Word* in) {
  out[thread_index()] = in[thread_index()];
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Computation hashes(Kernel kernel, std::int64_t threads, unsigned block_threads) {
  const SharedWords in = filled_words(kHashedWords, InOrder());
  const SharedWords out = device_words(kHashedWords);
  const auto blocks = static_cast<unsigned>(threads / block_threads);
  return {[=] { kernel<<<blocks, block_threads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kHashedWords, 1009},
                                 [](std::int64_t i) { return hashed(input_word(i)); });
          }};
}

Computation every_second_lane(Side side) {
  return side == Side::fault ? hashes(hash_every_second, 2 * kHashedWords, kBlockThreads)
                             : hashes(hash_words, kHashedWords, kBlockThreads);
}

// The arrays of the clean side are as long as its blocks need them.
Computation guarded_tail(Side side) {
  constexpr std::int64_t kWholeWords = 32 * kMiB;
  const SharedWords in = filled_words(kWholeWords, InOrder());
  const SharedWords out = device_words(kWholeWords);
  const unsigned blocks = blocks_of(kWholeWords);
  return {[=] {
            if (side == Side::fault)
              copy_guarded<<<blocks, kBlockThreads>>>(out.get(), in.get(),
                                                      static_cast<unsigned>(kGuardedCopy));
            else
              copy_whole<<<blocks, kBlockThreads>>>(out.get(), in.get());
          },
          [=] { return first_mistake(out.get(), {kGuardedCopy}, input_word); }};
}

}  // namespace

std::vector<TwinCode> lane_twins() {
  return {{"block_of_48",
           [](Side side) { return hashes(hash_words, kHashedWords, side == Side::fault ? 48 : 64); }},
          {"every_second_lane", every_second_lane},
          {"guarded_tail", guarded_tail}};
}

}  // namespace coalescope::kernels
