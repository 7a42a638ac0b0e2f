// A12: warps whose lanes do not all take part.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 16 words, 8 bytes apart: 4 sectors a request, 50 %. The lanes that are off are paid for.
__global__ void alternate_lanes(Word* out, const Word* in) {
  const unsigned i = thread_index();
  if (i % 2 != 0) return;
  out[i] = in[i];
}

// Lanes words without a gap: Lanes / 8 sectors a request, rounded up; 100 % where Lanes is a multiple of 8.
template <int Lanes>
__global__ void first_lanes(Word* out, const Word* in) {
  const unsigned i = thread_index();
  if (i % kWarpThreads >= Lanes) return;
  out[i] = in[i];
}

// The last warp of every block has only block size mod 32 lanes, and blocks begin at multiples of the block
// size.
template <int BlockThreads>
__global__ void partial_block_copy(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i];
}

// 4 sectors a request but for the last, whose 28 lanes need 4 too; warps behind the end ask for nothing.
__global__ void guarded_copy(Word* out, const Word* in, unsigned words) {
  const unsigned i = thread_index();
  if (i >= words) return;
  out[i] = in[i];
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern lanes_pattern(std::string id, Kernel kernel, bool (*takes_part)(std::int64_t)) {
  return {
      std::move(id),
      [kernel](const Arrays& arrays) {
        kernel<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output, arrays.device.input);
      },
      [takes_part](std::int64_t i) { return takes_part(i) ? std::optional(input_word(i)) : std::nullopt; }};
}

template <int Lanes>
Pattern first_lanes_pattern() {
  return lanes_pattern("first_lanes/" + std::to_string(Lanes), first_lanes<Lanes>,
                       [](std::int64_t i) { return i % kWarpThreads < Lanes; });
}

template <int BlockThreads>
Pattern partial_block_pattern() {
  return {"partial_block_copy/" + std::to_string(BlockThreads),
          [](const Arrays& arrays) {
            partial_block_copy<BlockThreads>
                <<<kPartialBlocks, BlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [](std::int64_t i) {
            return i < kPartialBlocks * BlockThreads ? std::optional(input_word(i)) : std::nullopt;
          }};
}

}  // namespace

std::vector<Pattern> partial_warp_patterns() {
  return {lanes_pattern("alternate_lanes", alternate_lanes, [](std::int64_t i) { return i % 2 == 0; }),
          first_lanes_pattern<4>(),
          first_lanes_pattern<8>(),
          first_lanes_pattern<20>(),
          partial_block_pattern<33>(),
          partial_block_pattern<48>(),
          partial_block_pattern<100>(),
          {"guarded_copy",
           [](const Arrays& arrays) {
             guarded_copy<<<blocks_of(kArrayWords), kBlockThreads>>>(
                 arrays.device.output, arrays.device.input, static_cast<unsigned>(kGuardedWords));
           },
           [](std::int64_t i) { return i < kGuardedWords ? std::optional(input_word(i)) : std::nullopt; }}};
}

}  // namespace coalescope::kernels
