// Cuts 1000 x 1000 pixels of 3 bytes out of each of 64 images of 2000 x 2000.
// At fault: a thread copies a byte. The pattern is that of NVIDIA/DALI, whose pull request 3568 lets a thread
// of a slice take several neighbouring bytes.
#include "../case.cuh"

namespace {

constexpr int kImages = 64, kRows = 2000, kRowBytes = 6000, kCropRows = 1000, kCropBytes = 3000,
              kThreads = 256;
constexpr int kTop = 500, kLeftBytes = 1500;
constexpr std::size_t kIn = static_cast<std::size_t>(kImages) * kRows * kRowBytes;
constexpr std::size_t kOut = static_cast<std::size_t>(kImages) * kCropRows * kCropBytes;

// Where the block's row begins, of the images and of the slices.
__device__ int row_in() {
  return static_cast<int>(blockIdx.z * kRows + blockIdx.y + kTop) * kRowBytes + kLeftBytes;
}

__device__ int row_out() {
  return static_cast<int>(blockIdx.z * kCropRows + blockIdx.y) * kCropBytes;
}

__global__ void slice_by_bytes(unsigned char* out, const unsigned char* in) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < kCropBytes) out[row_out() + at] = in[row_in() + at];  // fault
}

// Places, widths and the left edge are multiples of 4 bytes.
__global__ void slice_by_words(unsigned* out, const unsigned* in) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < kCropBytes / 4) out[row_out() / 4 + at] = in[row_in() / 4 + at];
}

dim3 grid_for(int columns) {
  return {blocks_for(static_cast<std::size_t>(columns), kThreads), kCropRows, kImages};
}

Case make(bool by_bytes) {
  static_assert(kRowBytes % 4 == 0 && kCropBytes % 4 == 0 && kLeftBytes % 4 == 0);
  auto* in = device_array<unsigned>(kIn / 4);
  auto* out = device_array<unsigned>(kOut / 4);
  fill_below(in, kIn / 4, 0xffffffffU, 1);
  return {[=] {
            if (by_bytes) {
              slice_by_bytes<<<grid_for(kCropBytes), kThreads>>>(reinterpret_cast<unsigned char*>(out),
                                                                 reinterpret_cast<const unsigned char*>(in));
            } else {
              slice_by_words<<<grid_for(kCropBytes / 4), kThreads>>>(out, in);
            }
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
