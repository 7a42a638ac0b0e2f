// Projections of a volume of 256 x 256 x 256 with attenuation, as in emission tomography, one view a
// round.
// At fault: volume and attenuation are uploaded for each view, though nothing changes them. The pattern is
// that of UCL/STIR, pull request 1687: uploads belong before the views.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSize = 256, kViews = 64, kRounds = 400;
constexpr std::size_t kVolume = std::size_t{kSize} * kSize * kSize, kBytes = kVolume * sizeof(float);
constexpr int kView = kSize * kSize;

// A thread follows a ray through the columns of a layer; layers are contiguous.
__global__ void project_view(float* view, const float* volume, const float* attenuation, float cosine,
                             float sine) {
  const int layer = static_cast<int>(threadIdx.x), ray = static_cast<int>(blockIdx.x);
  const float across = static_cast<float>(ray) - 0.5F * kSize;
  float passed = 0, sum = 0;
#pragma unroll 8
  for (int step = 0; step < kSize; ++step) {
    const float along = static_cast<float>(step) - 0.5F * kSize;
    const int x = __float2int_rd(cosine * across - sine * along + 0.5F * kSize);
    const int y = __float2int_rd(sine * across + cosine * along + 0.5F * kSize);
    const bool inside = x >= 0 && x < kSize && y >= 0 && y < kSize;
    const int at = inside ? (y * kSize + x) * kSize + layer : layer;
    passed += inside ? 0.01F * attenuation[at] : 0;
    sum += inside ? volume[at] * __expf(-passed) : 0;
  }
  view[ray * kSize + layer] = sum;
}

float* fractions_on_host(unsigned seed) {
  auto* host = pinned_array<float>(kVolume);
  for (std::size_t i = 0; i < kVolume; ++i) host[i] = mixed_fraction(static_cast<unsigned>(i) + seed);
  return host;
}

void upload(float* to, const float* from) {
  CHECK(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyHostToDevice));  // fault
}

Case make(bool uploads_each_time) {
  auto* volume = device_array<float>(kVolume);
  auto* attenuation = device_array<float>(kVolume);
  auto* views = device_array<float>(std::size_t{kViews} * kView);
  float *host_volume = fractions_on_host(1), *host_attenuation = fractions_on_host(2);
  upload(volume, host_volume);
  upload(attenuation, host_attenuation);
  auto number = std::make_shared<int>(0);
  return {[=] {
            if (uploads_each_time) {
              upload(volume, host_volume);            // fault
              upload(attenuation, host_attenuation);  // fault
            }
            const int view = (*number)++ % kViews;
            const float angle = static_cast<float>(view) * 6.2831853F / kViews;
            project_view<<<kSize, kSize>>>(views + std::size_t{kView} * static_cast<std::size_t>(view),
                                           volume, attenuation, std::cos(angle), std::sin(angle));
          },
          [=] { return device_sum(views, std::size_t{kViews} * kView); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
