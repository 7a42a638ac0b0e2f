// A step of an interior point method with two million unknowns: the affine direction, the corrected direction
// that needs it, and the step.
// At fault: to keep the affine direction it is copied to the host and from there back to other arrays of the
// device. The pattern is that of NVIDIA/cuopt, whose pull request 1397 keeps it by a copy on the device.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kUnknowns = 2 << 20, kThreads = 256, kBlocks = kUnknowns / kThreads, kRounds = 500;
constexpr std::size_t kBytes = kUnknowns * sizeof(double);

// Unknowns and their duals, or a direction of both.
struct Vectors {
  double *primal, *dual;
};

Vectors made_vectors() {
  return {device_array<double>(kUnknowns), device_array<double>(kUnknowns)};
}

__global__ void find_affine(Vectors direction, Vectors at) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  direction.primal[i] = -0.5 * at.primal[i];
  direction.dual[i] = -0.5 * at.dual[i];
}

__global__ void correct(Vectors direction, Vectors affine, Vectors at, double centre) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const double primal = affine.primal[i], dual = affine.dual[i], x = at.primal[i], z = at.dual[i];
  const double missing = 0.5 * (centre - x * z - primal * dual);
  direction.primal[i] = primal + missing / z;
  direction.dual[i] = dual + missing / x;
}

__global__ void advance(Vectors at, Vectors direction) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  at.primal[i] = fmin(fmax(at.primal[i] + 0.2 * direction.primal[i], 0.1), 10.0);
  at.dual[i] = fmin(fmax(at.dual[i] + 0.2 * direction.dual[i], 0.1), 10.0);
}

void keep_through_host(const Vectors& affine, const Vectors& direction, const Vectors& host) {
  CHECK(cudaMemcpyAsync(host.primal, direction.primal, kBytes, cudaMemcpyDeviceToHost));  // fault
  CHECK(cudaMemcpyAsync(host.dual, direction.dual, kBytes, cudaMemcpyDeviceToHost));      // fault
  CHECK(cudaStreamSynchronize(nullptr));                                                  // fault
  CHECK(cudaMemcpyAsync(affine.primal, host.primal, kBytes, cudaMemcpyHostToDevice));     // fault
  CHECK(cudaMemcpyAsync(affine.dual, host.dual, kBytes, cudaMemcpyHostToDevice));         // fault
}

void keep_on_device(const Vectors& affine, const Vectors& direction) {
  CHECK(cudaMemcpyAsync(affine.primal, direction.primal, kBytes, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpyAsync(affine.dual, direction.dual, kBytes, cudaMemcpyDeviceToDevice));
}

Case make(bool through_host) {
  const Vectors at = made_vectors(), direction = made_vectors(), affine = made_vectors();
  const Vectors host{pinned_array<double>(kUnknowns), pinned_array<double>(kUnknowns)};
  fill_fractions(at.primal, kUnknowns, 1);
  fill_fractions(at.dual, kUnknowns, 2);
  CHECK(cudaMemset(direction.primal, 0, kBytes));
  CHECK(cudaMemset(direction.dual, 0, kBytes));
  advance<<<kBlocks, kThreads>>>(at, direction);  // away from zero
  auto number = std::make_shared<int>(0);
  return {[=] {
            const double centre = 1 + 0.05 * ((*number)++ % 16);
            find_affine<<<kBlocks, kThreads>>>(direction, at);
            if (through_host) {
              keep_through_host(affine, direction, host);  // fault
            } else {
              keep_on_device(affine, direction);
            }
            correct<<<kBlocks, kThreads>>>(direction, affine, at, centre);
            advance<<<kBlocks, kThreads>>>(at, direction);
          },
          [=] { return device_sum(at.primal, kUnknowns); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
