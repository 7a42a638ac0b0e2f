// The Fourier transforms of 32,768 signals of 1024 complex points, each in the shared memory of a block.
// At fault: the points are put at their bit-reversed places, which for the lanes of a warp are 32 words apart
// and share a bank. The pattern is that of KAdamek/SMFFT, whose issue 2 speaks of the reordering with a
// stride of 33, and of codeplaysoftware/portFFT, whose pull request 12 pads against bank conflicts.
#include "../case.cuh"

namespace {

constexpr unsigned kPoints = 1024, kBits = 10, kThreads = kPoints / 2, kSignals = 32768;
constexpr float kTurn = 6.2831853F;

__device__ unsigned as_it_is(unsigned at) {
  return at;
}
__device__ unsigned padded(unsigned at) {
  return at + at / 32;
}

__device__ void turn(float* real, float* imaginary, unsigned low, unsigned high, float angle) {
  float sine = 0, cosine = 0;
  __sincosf(angle, &sine, &cosine);
  const float x = real[high] * cosine - imaginary[high] * sine,
              y = real[high] * sine + imaginary[high] * cosine;
  const float a = real[low], b = imaginary[low];
  real[low] = a + x, imaginary[low] = b + y;
  real[high] = a - x, imaginary[high] = b - y;
}

__global__ void __launch_bounds__(kThreads) transform_plain(float2* spectra, const float2* signals) {
  __shared__ float real[kPoints], imaginary[kPoints];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kPoints;
  const unsigned thread = threadIdx.x;
  for (unsigned i = thread; i < kPoints; i += kThreads) {
    const float2 point = signals[first + i];
    const unsigned at = as_it_is(__brev(i) >> (32 - kBits));
    real[at] = point.x;       // fault
    imaginary[at] = point.y;  // fault
  }
  for (unsigned half = 1; half < kPoints; half *= 2) {
    __syncthreads();
    const unsigned j = thread % half, low = (thread - j) * 2 + j;
    turn(real, imaginary, as_it_is(low), as_it_is(low + half),
         -kTurn * 0.5F * static_cast<float>(j) / static_cast<float>(half));
  }
  __syncthreads();
  for (unsigned i = thread; i < kPoints; i += kThreads) {
    spectra[first + i] = make_float2(real[as_it_is(i)], imaginary[as_it_is(i)]);
  }
}

__global__ void __launch_bounds__(kThreads) transform_padded(float2* spectra, const float2* signals) {
  __shared__ float real[kPoints + kPoints / 32], imaginary[kPoints + kPoints / 32];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kPoints;
  const unsigned thread = threadIdx.x;
  for (unsigned i = thread; i < kPoints; i += kThreads) {
    const float2 point = signals[first + i];
    const unsigned at = padded(__brev(i) >> (32 - kBits));
    real[at] = point.x;
    imaginary[at] = point.y;
  }
  for (unsigned half = 1; half < kPoints; half *= 2) {
    __syncthreads();
    const unsigned j = thread % half, low = (thread - j) * 2 + j;
    turn(real, imaginary, padded(low), padded(low + half),
         -kTurn * 0.5F * static_cast<float>(j) / static_cast<float>(half));
  }
  __syncthreads();
  for (unsigned i = thread; i < kPoints; i += kThreads) {
    spectra[first + i] = make_float2(real[padded(i)], imaginary[padded(i)]);
  }
}

// What a signal and its spectrum share, so that no rounding cancels in the sum.
double power_of(const float2* spectra) {
  constexpr std::size_t kCount = std::size_t{kPoints} * 1024;
  auto* host = pinned_array<float2>(kCount);
  CHECK(cudaMemcpy(host, spectra, kCount * sizeof(float2), cudaMemcpyDeviceToHost));
  double power = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double x = static_cast<double>(host[i].x), y = static_cast<double>(host[i].y);
    power += std::abs(x) + 0.5 * std::abs(y);
  }
  CHECK(cudaFreeHost(host));
  return power;
}

Case make(bool plain) {
  constexpr std::size_t kAll = std::size_t{kPoints} * kSignals;
  auto* signals = device_array<float2>(kAll);
  auto* spectra = device_array<float2>(kAll);
  fill_fractions(reinterpret_cast<float*>(signals), 2 * kAll, 1);
  return {[=] {
            auto* kernel = plain ? transform_plain : transform_padded;
            kernel<<<kSignals, kThreads>>>(spectra, signals);
          },
          [=] { return power_of(spectra); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
