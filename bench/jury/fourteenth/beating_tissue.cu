// Lets a sheet of heart tissue of 8192 x 4096 cells beat: a voltage spreads to the four neighbours and
// excites them, and a recovery follows it. 32 spots are paced; four steps a round.
// At fault: each step writes the voltages to a second array and then copies all 134 MB back to the first
// one. The pattern is that of arbor-sim/arbor, pull request 1027, and NVIDIA/cuml, pull request 3096:
// pointers change places instead of a copy.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 8192, kHigh = 4096, kAcross = 64, kDown = 4, kThreads = kAcross * kDown;
constexpr int kSteps = 4, kRounds = 7500, kPace = 4000, kPacedSteps = 50, kPacedCells = 96, kSpots = 1024;
constexpr std::size_t kCells = std::size_t{kWide} * kHigh;
constexpr float kTime = 0.02F, kSpread = 0.1F, kRate = 8, kThreshold = 0.15F;

// Both sides of the sheet meet, and so do its ends.
__device__ int cell_at(int column, int row) {
  return (row & (kHigh - 1)) * kWide + (column & (kWide - 1));
}

// A thread has a cell. Its recovery is nobody else's, so it stays where it is.
__global__ void __launch_bounds__(kThreads) conduct(float* __restrict__ next, const float* __restrict__ now,
                                                    float* __restrict__ recovery, float pace) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const float own = now[cell], held = recovery[cell];
  const float around = now[cell_at(column - 1, row)] + now[cell_at(column + 1, row)] +
                       now[cell_at(column, row - 1)] + now[cell_at(column, row + 1)];
  const float excited = kRate * own * (own - kThreshold) * (1 - own) - own * held;
  const float speed = 0.002F + 0.2F * held / (own + 0.3F);
  const float paced = column % kSpots < kPacedCells && row % kSpots < kPacedCells ? pace : 0;
  next[cell] = own + kSpread * (around - 4 * own) + kTime * (excited + paced);
  recovery[cell] = held + kTime * speed * (kRate * own * (1 + kThreshold - own) - held);
}

// Half of the patches of 128 x 128 cells begin excited, and all have recovered more or less.
__global__ void __launch_bounds__(kThreads) begin(float* voltage, float* recovery) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, patch = i / kWide / 128 * 64 + i % kWide / 128;
  voltage[i] = mixed_bits(patch) % 2 == 0 ? 0 : mixed_fraction(patch + 0x10000U);
  recovery[i] = mixed_fraction(patch + 0x20000U);
}

struct Sheet {
  float *now, *next, *recovery;
  int step;
};

void take_step(Sheet& sheet, bool copies) {
  const dim3 blocks(kWide / kAcross, kHigh / kDown), threads(kAcross, kDown);
  const float pace = sheet.step++ % kPace < kPacedSteps ? 0.5F : 0;
  conduct<<<blocks, threads>>>(sheet.next, sheet.now, sheet.recovery, pace);
  if (copies) {
    CHECK(cudaMemcpyAsync(sheet.now, sheet.next, kCells * sizeof(float), cudaMemcpyDeviceToDevice));  // fault
  } else {
    std::swap(sheet.now, sheet.next);
  }
}

Case make(bool copies) {
  const auto sheet = std::make_shared<Sheet>(
      Sheet{device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells), 0});
  begin<<<kCells / kThreads, kThreads>>>(sheet->now, sheet->recovery);
  CHECK(cudaGetLastError());
  return {[=] {
            for (int step = 0; step < kSteps; ++step) take_step(*sheet, copies);  // fault
          },
          [=] { return device_sum(sheet->now, kCells) + device_sum(sheet->recovery, kCells); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
