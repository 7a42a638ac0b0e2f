// A step of diffusion in two halves of a cube, each with a copy of four planes of the other.
// At fault: the planes go to the host and from there to the other half. The pattern is that of
// cholla-hydro/cholla, whose pull request 106 exchanges them on the device.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSize = 512, kPlanes = 128, kGhosts = 4, kThreads = 256, kRounds = 1000;
constexpr int kPlane = kSize * kSize, kStored = kPlanes + 2 * kGhosts;
constexpr std::size_t kPoints = std::size_t{kStored} * kPlane, kBytes = sizeof(float) * kGhosts * kPlane;

__global__ void spread(float* next, const float* now) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            row = static_cast<int>(blockIdx.y);
  const int at = (static_cast<int>(blockIdx.z) + kGhosts) * kPlane + row * kSize + column;
  const float left = column > 0 ? now[at - 1] : 0, right = column < kSize - 1 ? now[at + 1] : 0;
  const float above = row > 0 ? now[at - kSize] : 0, below = row < kSize - 1 ? now[at + kSize] : 0;
  const float before = now[at - kPlane], after = now[at + kPlane];
  next[at] = now[at] + 0.1F * (left + right + above + below + before + after - 6 * now[at]);
}

struct Half {
  float *now, *next;
};

using Halves = std::array<Half, 2>;

Halves made_halves() {
  Halves halves{};
  for (unsigned k = 0; k < 2; ++k) {
    halves[k] = {device_array<float>(kPoints), device_array<float>(kPoints)};
    fill_fractions(halves[k].now, kPoints, k * static_cast<unsigned>(kPoints));
    fill_fractions(halves[k].next, kPoints, k * static_cast<unsigned>(kPoints));
  }
  return halves;
}

void step(Halves& halves) {
  for (Half& half : halves) {
    spread<<<dim3(kSize / kThreads, kSize, kPlanes), kThreads>>>(half.next, half.now);
    std::swap(half.now, half.next);
  }
}

// The last planes of the first half and the ghosts before the second one; the first planes of the second half
// and the ghosts behind the first one.
float* last_planes(const Half& half) {
  return half.now + std::size_t{kPlanes} * kPlane;
}
float* ghosts_before(const Half& half) {
  return half.now;
}
float* first_planes(const Half& half) {
  return half.now + std::size_t{kGhosts} * kPlane;
}
float* ghosts_behind(const Half& half) {
  return half.now + std::size_t{kGhosts + kPlanes} * kPlane;
}

double sum_of(const Halves& halves) {
  return device_sum(last_planes(halves[0]), std::size_t{kGhosts} * kPlane) +
         device_sum(first_planes(halves[1]), std::size_t{kGhosts} * kPlane);
}

Case through_host() {
  auto* staged = pinned_array<float>(std::size_t{2} * kGhosts * kPlane);
  float* back = staged + std::size_t{kGhosts} * kPlane;
  auto halves = std::make_shared<Halves>(made_halves());
  return {[=] {
            step(*halves);
            const Half &a = (*halves)[0], &b = (*halves)[1];
            CHECK(cudaMemcpy(staged, last_planes(a), kBytes, cudaMemcpyDeviceToHost));    // fault
            CHECK(cudaMemcpy(ghosts_before(b), staged, kBytes, cudaMemcpyHostToDevice));  // fault
            CHECK(cudaMemcpy(back, first_planes(b), kBytes, cudaMemcpyDeviceToHost));     // fault
            CHECK(cudaMemcpy(ghosts_behind(a), back, kBytes, cudaMemcpyHostToDevice));    // fault
          },
          [=] { return sum_of(*halves); }, kRounds};
}

Case on_device() {
  auto halves = std::make_shared<Halves>(made_halves());
  return {[=] {
            step(*halves);
            const Half &a = (*halves)[0], &b = (*halves)[1];
            CHECK(cudaMemcpyAsync(ghosts_before(b), last_planes(a), kBytes, cudaMemcpyDeviceToDevice));
            CHECK(cudaMemcpyAsync(ghosts_behind(a), first_planes(b), kBytes, cudaMemcpyDeviceToDevice));
          },
          [=] { return sum_of(*halves); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, through_host, on_device);
}
