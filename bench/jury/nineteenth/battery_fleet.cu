// Learns from what 96 kinds of batteries did in a fleet of cars how they behave, and lets 4.2 million of them
// grow older by it. Five numbers of each kind are fitted to 65,536 measured voltages by steps of Gauss and
// Newton, eight of them from the same guess; after each step the fleet drives another day. A step a round.
// At fault: a kind has one block, so 36 of 132 multiprocessors do nothing while residuals are summed, and the
// others have eight warps each; several blocks could share a kind. The pattern is that of NVIDIA/cudf, issue
// 23487 and pull request 23686: several blocks for a segment where there are few segments, and
// NVIDIA/cuml, pull request 2838.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kKinds = 96, kSamples = 65536, kNumbers = 5, kProducts = kNumbers * (kNumbers + 1) / 2;
constexpr int kSums = kProducts + kNumbers + 1, kThreads = 256, kWarps = kThreads / 32, kShared = 22;
constexpr int kCells = 1 << 22, kOfKind = kCells / kKinds + 1, kStepsOfFit = 8, kRounds = 25000;
constexpr unsigned kMask = 0xffffffffU;

// The numbers of a kind: the voltage when it is empty, how it grows with the charge, a resistance, and one
// that fades as it gets warm, with how fast it fades.
struct Kind {
  float numbers[kNumbers];
};

// What a car noted: how full a battery was, the current, how warm it was, and the voltage.
using Sample = float4;

// Of a part of a kind: the matrix of products of slopes, slopes times residuals, squares of residuals.
struct Sums {
  float values[kSums];
};

struct Fit {
  const Sample* samples;
  Sums* parts;
  Kind* kinds;
  int parts_of_kind;
};

struct Fleet {
  float2* cells;  // health and charge
  const Kind* kinds;
};

__device__ float voltage(const Kind& kind, float charge, float current, float warmth) {
  const float* n = kind.numbers;
  return n[0] + charge * n[1] - current * (n[2] + n[3] * __expf(-n[4] * warmth));
}

// Blocks of a kind take its samples in turn.
__global__ void __launch_bounds__(kThreads) sum_residuals(Fit fit) {
  __shared__ float warps[kWarps][kSums];
  const auto part = static_cast<int>(blockIdx.x), kind = static_cast<int>(blockIdx.y);
  const Sample* samples = fit.samples + kind * kSamples;
  const Kind own = fit.kinds[kind];
  float sums[kSums]{};
#pragma unroll 2
  for (int i = part * kThreads + static_cast<int>(threadIdx.x); i < kSamples;  // fault
       i += fit.parts_of_kind * kThreads) {
    const Sample sample = samples[i];
    const float fading = -sample.y * __expf(-own.numbers[4] * sample.z);
    const float slopes[kNumbers] = {1, sample.x, -sample.y, fading, -own.numbers[3] * sample.z * fading};
    const float residual = sample.w - voltage(own, sample.x, sample.y, sample.z);
    int at = 0;
#pragma unroll
    for (int row = 0; row < kNumbers; ++row) {
#pragma unroll
      for (int column = 0; column <= row; ++column) sums[at++] += slopes[row] * slopes[column];
    }
#pragma unroll
    for (int row = 0; row < kNumbers; ++row) sums[at++] += slopes[row] * residual;
    sums[at] += residual * residual;
  }
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    for (int far = 16; far > 0; far /= 2) sums[i] += __shfl_xor_sync(kMask, sums[i], far);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][i] = sums[i];
  }
  __syncthreads();
  if (threadIdx.x >= kSums) return;
  float sum = 0;
  for (const auto& warp : warps) sum += warp[threadIdx.x];
  fit.parts[kind * fit.parts_of_kind + part].values[threadIdx.x] = sum;
}

// Cholesky's factors of a matrix whose lower triangle lies row by row, and the solution in place.
__device__ void solve(double* matrix, double* right) {
  const auto at = [](int row, int column) { return row * (row + 1) / 2 + column; };
  for (int row = 0; row < kNumbers; ++row) {
    for (int column = 0; column <= row; ++column) {
      double left = matrix[at(row, column)];
      for (int i = 0; i < column; ++i) left -= matrix[at(row, i)] * matrix[at(column, i)];
      matrix[at(row, column)] = row == column ? sqrt(left) : left / matrix[at(column, column)];
    }
  }
  for (int row = 0; row < kNumbers; ++row) {
    for (int i = 0; i < row; ++i) right[row] -= matrix[at(row, i)] * right[i];
    right[row] /= matrix[at(row, row)];
  }
  for (int row = kNumbers - 1; row >= 0; --row) {
    for (int i = row + 1; i < kNumbers; ++i) right[row] -= matrix[at(i, row)] * right[i];
    right[row] /= matrix[at(row, row)];
  }
}

// A block has a kind: lanes add up its parts, and one of them solves. `errors` are added over all steps.
__global__ void __launch_bounds__(32) improve(Fit fit, double* __restrict__ errors, bool afresh) {
  __shared__ double sums[kSums];
  const auto lane = static_cast<int>(threadIdx.x), kind = static_cast<int>(blockIdx.x);
  if (lane < kSums) {
    double sum = 0;
    for (int part = 0; part < fit.parts_of_kind; ++part)
      sum += fit.parts[kind * fit.parts_of_kind + part].values[lane];
    sums[lane] = sum;
  }
  __syncwarp();
  if (lane != 0) return;
  errors[kind] += sums[kSums - 1] / kSamples;
  double matrix[kProducts], step[kNumbers];
#pragma unroll
  for (int i = 0; i < kProducts; ++i) matrix[i] = sums[i];
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) {
    step[i] = sums[kProducts + i];
    matrix[i * (i + 1) / 2 + i] += 0.01;
  }
  solve(matrix, step);
  const float guess[kNumbers] = {3.2F, 0.6F, 0.03F, 0.08F, 1.7F};
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) {
    float& number = fit.kinds[kind].numbers[i];
    number = afresh ? guess[i] : number + 0.7F * static_cast<float>(step[i]);
  }
}

// A day of eight trips; batteries of a kind lie together.
__global__ void __launch_bounds__(kThreads) drive(Fleet fleet, unsigned day) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Kind kind = fleet.kinds[cell / kOfKind];
  float2 state = fleet.cells[cell];
  const unsigned bits = mixed_bits(static_cast<unsigned>(cell) + day * 0x9e3779b9U);
#pragma unroll
  for (int trip = 0; trip < 8; ++trip) {
    const float current = static_cast<float>(bits >> trip * 4 & 15) * 0.125F - 0.9F;
    const float volts = voltage(kind, state.y, current, 0.5F);
    state.y = __saturatef(state.y - 0.05F * current / fmaxf(state.x, 0.1F));
    state.x -= 1e-6F * fabsf(current) * fmaxf(volts - 3.0F, 0);
  }
  fleet.cells[cell] = state;
}

// What a kind truly is, which its fit does not know.
__device__ Kind true_kind(int kind) {
  const auto seed = static_cast<unsigned>(kind) * 8;
  return {{3.3F + 0.2F * mixed_fraction(seed), 0.5F + 0.4F * mixed_fraction(seed + 1),
           0.02F + 0.04F * mixed_fraction(seed + 2), 0.05F + 0.1F * mixed_fraction(seed + 3),
           1.5F + 0.5F * mixed_fraction(seed + 4)}};
}

__global__ void __launch_bounds__(kThreads) note_samples(Sample* samples) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float charge = mixed_fraction(i), current = 2 * mixed_fraction(i + 0x1000193U) - 1,
              warmth = mixed_fraction(i + 0x2000327U), noise = 0.02F * (mixed_fraction(~i) - 0.5F);
  const Kind kind = true_kind(static_cast<int>(i) / kSamples);
  samples[i] = make_float4(charge, current, warmth, voltage(kind, charge, current, warmth) + noise);
}

__global__ void __launch_bounds__(kThreads) deliver(float2* cells) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  cells[i] = make_float2(1 - 0.1F * mixed_fraction(i), 0.5F);
}

struct Company {
  Fit fit;
  Fleet fleet;
  double* errors;
  int step;
};

void take_step(Company& company) {
  const Fit& fit = company.fit;
  const bool afresh = company.step % kStepsOfFit == 0;
  const auto day = static_cast<unsigned>(company.step++);
  sum_residuals<<<dim3(static_cast<unsigned>(fit.parts_of_kind), kKinds), kThreads>>>(fit);
  improve<<<kKinds, 32>>>(fit, company.errors, afresh);
  drive<<<kCells / kThreads, kThreads>>>(company.fleet, day);
}

Case make(int parts_of_kind) {
  constexpr std::size_t kAll = std::size_t{kKinds} * kSamples;
  const auto company = std::make_shared<Company>();
  auto* samples = device_array<Sample>(kAll);
  auto* kinds = device_array<Kind>(kKinds);
  const auto parts = static_cast<std::size_t>(kKinds) * static_cast<std::size_t>(parts_of_kind);
  *company = {{samples, device_array<Sums>(parts), kinds, parts_of_kind},
              {device_array<float2>(kCells), kinds},
              device_array<double>(kKinds),
              0};
  CHECK(cudaMemset(kinds, 0, kKinds * sizeof(Kind)));
  CHECK(cudaMemset(company->errors, 0, kKinds * sizeof(double)));
  note_samples<<<kAll / kThreads, kThreads>>>(samples);
  deliver<<<kCells / kThreads, kThreads>>>(company->fleet.cells);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*company); },
          [=] {
            return device_sum(company->errors, kKinds) + device_sum(&kinds->numbers[0], kKinds * kNumbers) +
                   1e-3 * device_sum(&company->fleet.cells->x, 2 * std::size_t{kCells});
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(1); }, [] { return make(kShared); });
}
