// A7: threads that take a byte or two each keep too few bytes under way to fill the bandwidth.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kElementWords = 32 * kMiB;
constexpr unsigned kBrighter = 40;

__global__ void brighten_bytes(Word* out, const Word* in) {
  const unsigned pixel = reinterpret_cast<const std::uint8_t*>(in)[thread_index()];  // fault: byte_elements
  const unsigned brighter = min(pixel + kBrighter, 255U);
  reinterpret_cast<std::uint8_t*>(out)[thread_index()] = static_cast<std::uint8_t>(brighter);
}

__device__ inline Word brightened(Word pixels) {
  return __vaddus4(pixels, kBrighter * 0x01010101U);
}
__global__ void brighten_vectors(Word* out, const Word* in) {
  const uint4 pixels = reinterpret_cast<const uint4*>(in)[thread_index()];
  reinterpret_cast<uint4*>(out)[thread_index()] = {brightened(pixels.x), brightened(pixels.y),
                                                   brightened(pixels.z), brightened(pixels.w)};
}

__global__ void halve_shorts(Word* out, const Word* in) {
  const unsigned sample =
      reinterpret_cast<const std::uint16_t*>(in)[thread_index()];  // fault: short_elements
  reinterpret_cast<std::uint16_t*>(out)[thread_index()] = static_cast<std::uint16_t>(sample / 2);
}

__host__ __device__ constexpr Word halved(Word samples) {
  return samples / 2 & 0x7FFF7FFFU;
}
__global__ void halve_vectors(Word* out, const Word* in) {
  const uint4 samples = reinterpret_cast<const uint4*>(in)[thread_index()];
  reinterpret_cast<uint4*>(out)[thread_index()] = {halved(samples.x), halved(samples.y), halved(samples.z),
                                                   halved(samples.w)};
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Computation over_elements(Kernel kernel, int element_bytes, Word (*expected)(Word)) {
  const SharedWords in = filled_words(kElementWords, InOrder());
  const SharedWords out = device_words(kElementWords);
  const unsigned blocks = blocks_of(kElementWords * kWordBytes / element_bytes);
  return {[=] { kernel<<<blocks, kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kElementWords},
                                 [=](std::int64_t i) { return expected(input_word(i)); });
          }};
}

Word brightened_on_host(Word pixels) {
  Word brighter = 0;
  for (unsigned bit = 0; bit < 32; bit += 8)
    brighter |= std::min((pixels >> bit & 255U) + kBrighter, 255U) << bit;
  return brighter;
}

}  // namespace

std::vector<TwinCode> element_twins() {
  return {{"byte_elements",
           [](Side side) {
             return side == Side::fault ? over_elements(brighten_bytes, 1, brightened_on_host)
                                        : over_elements(brighten_vectors, 16, brightened_on_host);
           }},
          {"short_elements", [](Side side) {
             return side == Side::fault ? over_elements(halve_shorts, 2, halved)
                                        : over_elements(halve_vectors, 16, halved);
           }}};
}

}  // namespace coalescope::kernels
