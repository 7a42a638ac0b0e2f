// A step of 16 million cells of an artificial world: signals spread to the four neighbours, leak, and the
// cells move.
// At fault: signals spread in blocks of eight threads, so a warp has eight lanes at work and reads 32 bytes
// at a time. The pattern is that of chrxh/alien, whose pull request 833 packs the same threads into blocks of
// 128.
#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kCells = kSide * kSide, kFew = 8, kPacked = 128, kWorkers = 1 << 17;
constexpr int kThreads = 256;

// Each thread takes many cells; the world has no edges.
__global__ void spread_signals(float* out, const float* in) {
  const int workers = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kCells; i += workers) {  // fault
    const int row = i & ~(kSide - 1);
    const float left = in[row | ((i - 1) & (kSide - 1))], right = in[row | ((i + 1) & (kSide - 1))];  // fault
    const float above = in[(i - kSide) & (kCells - 1)], below = in[(i + kSide) & (kCells - 1)];       // fault
    out[i] = 0.6F * in[i] + 0.1F * (left + right + above + below);                                    // fault
  }
}

__global__ void leak_signals(float4* signals, float4* energies, const float4* spread) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float4 signal = spread[i], energy = energies[i];
  energy = make_float4(0.99F * energy.x + 0.01F * signal.x, 0.99F * energy.y + 0.01F * signal.y,
                       0.99F * energy.z + 0.01F * signal.z, 0.99F * energy.w + 0.01F * signal.w);
  signal = make_float4(0.95F * signal.x + 0.05F * energy.x, 0.95F * signal.y + 0.05F * energy.y,
                       0.95F * signal.z + 0.05F * energy.z, 0.95F * signal.w + 0.05F * energy.w);
  energies[i] = energy;
  signals[i] = signal;
}

__global__ void move_cells(float2* positions, const float* signals) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float step = 0.001F * signals[i];
  float2 position = positions[i];
  position.x = 0.999F * position.x + step;
  position.y = 0.999F * position.y - step;
  positions[i] = position;
}

Case make(int threads) {
  auto* signals = device_array<float>(kCells);
  auto* spread = device_array<float>(kCells);
  auto* energies = device_array<float>(kCells);
  auto* positions = device_array<float2>(kCells);
  fill_fractions(signals, kCells, 1);
  fill_fractions(energies, kCells, 2);
  fill_fractions(reinterpret_cast<float*>(positions), std::size_t{2} * kCells, 3);
  return {[=] {
            const auto blocks = static_cast<unsigned>(kWorkers / threads);
            spread_signals<<<blocks, static_cast<unsigned>(threads)>>>(spread, signals);  // fault
            leak_signals<<<kCells / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(signals),
                                                              reinterpret_cast<float4*>(energies),
                                                              reinterpret_cast<const float4*>(spread));
            move_cells<<<kCells / kThreads, kThreads>>>(positions, signals);
          },
          [=] { return device_sum(energies, kCells) + device_sum(&positions->x, kCells); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(kFew); }, [] { return make(kPacked); });
}
