// Converts frames of video with 16 bits a channel from luma and interleaved chroma to interleaved RGB.
// At fault: a thread takes one pixel, reads two bytes at a time and stores three times two bytes, 6 bytes
// apart. The pattern is that of meta-pytorch/torchcodec, src/torchcodec/_core/P016ToRGB16.cu, before pull
// request 1459.
#include "../case.cuh"

namespace {

constexpr int kWidth = 4096, kHeight = 2160, kFrames = 4, kThreads = 128;

__device__ unsigned short clamped(float value) {
  return static_cast<unsigned short>(fminf(fmaxf(value, 0.0F), 65535.0F));
}

struct Colour {
  unsigned short r, g, b;
};

__device__ Colour colour_of(unsigned short luma, unsigned short blue, unsigned short red) {
  const float y = 1.164F * (static_cast<float>(luma) - 4096);
  const float u = static_cast<float>(blue) - 32768, v = static_cast<float>(red) - 32768;
  return {clamped(y + 1.793F * v), clamped(y - 0.213F * u - 0.533F * v), clamped(y + 2.112F * u)};
}

__global__ void rgb_of_pixel(unsigned short* rgb, const unsigned short* luma, const unsigned short* chroma) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  if (x >= kWidth) return;
  const std::size_t frame = blockIdx.z, pixel = (frame * kHeight + y) * kWidth + x;
  const std::size_t pair = (frame * (kHeight / 2) + y / 2) * kWidth + x / 2 * 2;
  const Colour colour = colour_of(luma[pixel], chroma[pair], chroma[pair + 1]);  // fault
  rgb[pixel * 3] = colour.r;                                                     // fault
  rgb[pixel * 3 + 1] = colour.g;                                                 // fault
  rgb[pixel * 3 + 2] = colour.b;                                                 // fault
}

// A thread converts 2 x 2 pixels; the block stores its two rows as words, in order.
__global__ void rgb_of_square(unsigned* rgb, const ushort2* luma, const ushort2* chroma) {
  constexpr int kRow = kThreads * 3;  // words of a row of the block
  __shared__ unsigned rows[2][kRow];
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), thread = static_cast<int>(threadIdx.x);
  const std::size_t frame = blockIdx.z, row = blockIdx.y;
  const ushort2 uv = chroma[(frame * (kHeight / 2) + row) * (kWidth / 2) + x];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const ushort2 two = luma[(frame * kHeight + row * 2 + half) * (kWidth / 2) + x];
    const Colour left = colour_of(two.x, uv.x, uv.y), right = colour_of(two.y, uv.x, uv.y);
    rows[half][thread * 3] = left.r | static_cast<unsigned>(left.g) << 16;
    rows[half][thread * 3 + 1] = left.b | static_cast<unsigned>(right.r) << 16;
    rows[half][thread * 3 + 2] = right.g | static_cast<unsigned>(right.b) << 16;
  }
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::size_t first = (frame * kHeight + row * 2 + half) * (kWidth / 2 * 3) + blockIdx.x * kRow;
#pragma unroll
    for (int word = thread; word < kRow; word += kThreads) rgb[first + word] = rows[half][word];
  }
}

Case make(bool by_pixel) {
  static_assert(kWidth % (2 * kThreads) == 0 && kHeight % 2 == 0);
  constexpr std::size_t kPixels = static_cast<std::size_t>(kWidth) * kHeight * kFrames;
  auto* luma = device_array<unsigned short>(kPixels);
  auto* chroma = device_array<unsigned short>(kPixels / 2);
  auto* rgb = device_array<unsigned short>(kPixels * 3);
  fill_below(luma, kPixels, 65536, 1);
  fill_below(chroma, kPixels / 2, 65536, 2);
  return {[=] {
            if (by_pixel) {
              rgb_of_pixel<<<dim3(kWidth / kThreads, kHeight, kFrames), kThreads>>>(rgb, luma, chroma);
            } else {
              rgb_of_square<<<dim3(kWidth / 2 / kThreads, kHeight / 2, kFrames), kThreads>>>(
                  reinterpret_cast<unsigned*>(rgb), reinterpret_cast<const ushort2*>(luma),
                  reinterpret_cast<const ushort2*>(chroma));
            }
          },
          [=] { return device_sum(rgb + kPixels * 3 / 2 + 1234, 3 * 4096); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
