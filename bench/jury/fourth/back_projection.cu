// An image of 2048 x 2048 from 360 projections of a parallel beam: each pixel adds up what the beams
// through it saw.
// Nothing is wrong: the projections are a texture, and the angles are the same for all lanes. After
// CERN/TIGRE, Common/CUDA/voxel_backprojection_parallel.cu.
#include "../case.cuh"

namespace {

constexpr int kSize = 2048, kAngles = 360, kWide = 32, kHigh = 8;
constexpr std::size_t kPixels = std::size_t{kSize} * kSize;

__constant__ float2 kDirections[kAngles];

__global__ void back_project(float* image, cudaTextureObject_t projections) {
  const int column = static_cast<int>(blockIdx.x * kWide + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kHigh + threadIdx.y);
  const float x = static_cast<float>(column) - 0.5F * kSize, y = static_cast<float>(row) - 0.5F * kSize;
  float sum = 0;
#pragma unroll 4
  for (int angle = 0; angle < kAngles; ++angle) {
    const float2 direction = kDirections[angle];
    const float at = x * direction.x + y * direction.y + 0.5F * kSize;
    sum += tex2D<float>(projections, at + 0.5F, static_cast<float>(angle) + 0.5F);
  }
  image[row * kSize + column] = sum / kAngles;
}

void set_directions() {
  float2 directions[kAngles];
  for (int k = 0; k < kAngles; ++k) {
    const double angle = 3.14159265358979 * k / kAngles;
    directions[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  CHECK(cudaMemcpyToSymbol(kDirections, directions, sizeof(directions)));
}

cudaTextureObject_t texture_of_projections() {
  auto* values = device_array<float>(std::size_t{kSize} * kAngles);
  fill_fractions(values, std::size_t{kSize} * kAngles, 1);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, kSize, kAngles));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values, kSize * sizeof(float), kSize * sizeof(float), kAngles,
                            cudaMemcpyDeviceToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

Case make() {
  auto* image = device_array<float>(kPixels);
  set_directions();
  const cudaTextureObject_t projections = texture_of_projections();
  return {
      [=] { back_project<<<dim3(kSize / kWide, kSize / kHigh), dim3(kWide, kHigh)>>>(image, projections); },
      [=] { return device_sum(image, kPixels); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
