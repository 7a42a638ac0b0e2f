// Brings images of 16-bit elements from planes to interleaved channels.
// Fault: neighbouring lanes store 128 channels apart. Repair: a tile in shared memory, two elements for each
// thread.
#include "../case.cuh"

namespace {

constexpr unsigned kImages = 192, kChannels = 128, kPixels = 56 * 56, kTile = 64;
constexpr unsigned kCount = kImages * kChannels * kPixels;
static_assert(kPixels % kTile == 0 && kChannels % kTile == 0);

using Element = unsigned short;

__global__ void interleave_naive(const Element* in, Element* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  const unsigned pixel = i % kPixels, channel = i / kPixels % kChannels, image = i / (kPixels * kChannels);
  out[(image * kPixels + pixel) * kChannels + channel] = in[i];  // fault
}

// Grid: tiles of pixels, tiles of channels, images. Block: 32 x 8.
__global__ void interleave_tiles(const ushort2* in, ushort2* out) {
  __shared__ Element tile[kTile][kTile + 1];
  const unsigned first_pixel = blockIdx.x * kTile, first_channel = blockIdx.y * kTile, image = blockIdx.z;
  const unsigned pair = threadIdx.x;
  for (unsigned k = threadIdx.y; k < kTile; k += blockDim.y) {
    const ushort2 two = in[((image * kChannels + first_channel + k) * kPixels + first_pixel) / 2 + pair];
    tile[k][2 * pair] = two.x;
    tile[k][2 * pair + 1] = two.y;
  }
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kTile; k += blockDim.y)
    out[((image * kPixels + first_pixel + k) * kChannels + first_channel) / 2 + pair] =
        make_ushort2(tile[2 * pair][k], tile[2 * pair + 1][k]);
}

Element* images() {
  Element* in = device_array<Element>(kCount);
  fill_below(reinterpret_cast<unsigned*>(in), kCount / 2, 0xffffffffU, 16);
  return in;
}

Case fault() {
  const Element* in = images();
  Element* out = device_array<Element>(kCount);
  return {[=] { interleave_naive<<<blocks_for(kCount, 256), 256>>>(in, out); },
          [=] { return device_sum(out, 16 * kChannels); }, 1000};
}

Case clean() {
  const ushort2* in = reinterpret_cast<const ushort2*>(images());
  Element* out = device_array<Element>(kCount);
  const dim3 grid(kPixels / kTile, kChannels / kTile, kImages), block(32, 8);
  return {[=] { interleave_tiles<<<grid, block>>>(in, reinterpret_cast<ushort2*>(out)); },
          [=] { return device_sum(out, 16 * kChannels); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
