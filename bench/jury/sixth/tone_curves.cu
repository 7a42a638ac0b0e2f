// Brightness of a picture of 8192 x 8192 pixels, after each colour went through its own curve of 256
// values.
// At fault: the curves lie in constant memory, which serves one address of a warp at a time, though lanes
// look up different values. The pattern is that of NVlabs/cuda-oxide, pull request 684, whose table of
// 256 values is 49 times as slow in constant memory as in global memory.
#include "../case.cuh"

namespace {

constexpr int kAcross = 8192, kDown = 8192, kThreads = 256, kLevels = 256, kColours = 3;
constexpr std::size_t kPixels = std::size_t{kAcross} * kDown, kFours = kPixels / 4;

__constant__ float constant_curves[kColours * kLevels];

__global__ void fill_curves(float* curves) {
  const int i = static_cast<int>(threadIdx.x);
  const float level = static_cast<float>(i) / (kLevels - 1);
  curves[i] = __powf(level, 2.2F);
  curves[kLevels + i] = __powf(level, 1.8F);
  curves[2 * kLevels + i] = __powf(level, 2.4F);
}

// Slow gradients and noise; the fourth byte is not used.
__global__ void fill_picture(uchar4* picture) {
  const auto i = static_cast<unsigned>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned x = i % kAcross, y = i / kAcross, noise = mixed_bits(i);
  picture[i] = make_uchar4(static_cast<unsigned char>(x / 40 + noise % 48),
                           static_cast<unsigned char>(y / 40 + noise / 64 % 48),
                           static_cast<unsigned char>((x + y) / 80 + noise / 4096 % 48), 255);
}

__device__ float brightness(unsigned pixel, const float* curves) {
  const float red = curves[pixel & 255], green = curves[kLevels + (pixel >> 8 & 255)];           // fault
  return 0.2126F * red + 0.7152F * green + 0.0722F * curves[2 * kLevels + (pixel >> 16 & 255)];  // fault
}

__global__ void brighten_by_constants(float4* out, const uint4* picture) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 four = picture[i];
  out[i] = make_float4(brightness(four.x, constant_curves),   // fault
                       brightness(four.y, constant_curves),   // fault
                       brightness(four.z, constant_curves),   // fault
                       brightness(four.w, constant_curves));  // fault
}

__global__ void brighten_by_table(float4* out, const uint4* picture, const float* __restrict__ curves) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 four = picture[i];
  out[i] = make_float4(brightness(four.x, curves), brightness(four.y, curves), brightness(four.z, curves),
                       brightness(four.w, curves));
}

Case make(bool by_constants) {
  auto* picture = device_array<uchar4>(kPixels);
  auto* out = device_array<float>(kPixels);
  auto* curves = device_array<float>(kColours * kLevels);
  fill_picture<<<static_cast<unsigned>(kPixels / kThreads), kThreads>>>(picture);
  fill_curves<<<1, kLevels>>>(curves);
  CHECK(cudaMemcpyToSymbol(constant_curves, curves, sizeof constant_curves, 0, cudaMemcpyDeviceToDevice));
  return {[=] {
            constexpr auto kBlocks = static_cast<unsigned>(kFours / kThreads);
            auto* fours = reinterpret_cast<float4*>(out);
            const auto* pixels = reinterpret_cast<const uint4*>(picture);
            if (by_constants) {
              brighten_by_constants<<<kBlocks, kThreads>>>(fours, pixels);
            } else {
              brighten_by_table<<<kBlocks, kThreads>>>(fours, pixels, curves);
            }
          },
          [=] { return device_sum(out, kPixels); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
