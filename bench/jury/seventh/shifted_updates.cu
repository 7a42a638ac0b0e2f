// The updates of conjugate gradients for eight shifts of a matrix: solutions and directions of 16 million
// values each.
// At fault: each shift has a kernel of its own, which brings the residual from DRAM again. The pattern is
// that of lattice/quda, issue 113: one kernel for all shifts saves 20 % of the traffic.
#include "../case.cuh"

namespace {

constexpr int kValues = 1 << 24, kThreads = 256, kShifts = 8, kFours = kValues / 4;

struct Factors {
  float alpha, zeta, beta;
};

struct Shift {
  float4 *solution, *direction;
  Factors factors;
};

struct Shifts {
  Shift each[kShifts];
};

__device__ float4 added(float4 one, float factor, float4 other) {
  return make_float4(one.x + factor * other.x, one.y + factor * other.y, one.z + factor * other.z,
                     one.w + factor * other.w);
}

__device__ float4 scaled(float4 one, float factor) {
  return make_float4(factor * one.x, factor * one.y, factor * one.z, factor * one.w);
}

__device__ void update(const Shift& shift, float4 residual, int i) {
  const float4 direction = shift.direction[i];
  shift.solution[i] = added(shift.solution[i], shift.factors.alpha, direction);
  shift.direction[i] = added(scaled(residual, shift.factors.zeta), shift.factors.beta, direction);
}

__global__ void update_one_shift(Shift shift, const float4* residual) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  update(shift, residual[i], i);  // fault
}

__global__ void update_all_shifts(Shifts shifts, const float4* residual) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = residual[i];
#pragma unroll
  for (int number = 0; number < kShifts; ++number) update(shifts.each[number], own, i);
}

Case make(bool one_by_one) {
  auto* residual = device_array<float>(kValues);
  fill_fractions(residual, kValues, 1);
  Shifts shifts{};
  for (int number = 0; number < kShifts; ++number) {
    auto* solution = device_array<float>(kValues);
    auto* direction = device_array<float>(kValues);
    CHECK(cudaMemset(solution, 0, kValues * sizeof(float)));
    fill_fractions(direction, kValues, static_cast<unsigned>(number) + 2);
    const float part = static_cast<float>(number + 1) / kShifts;
    shifts.each[number] = {reinterpret_cast<float4*>(solution),
                           reinterpret_cast<float4*>(direction),
                           {0.01F * part, 0.5F * part, 0.5F * part}};
  }
  return {[=] {
            const auto* fours = reinterpret_cast<const float4*>(residual);
            if (one_by_one) {
              for (const Shift& shift : shifts.each) {
                update_one_shift<<<kFours / kThreads, kThreads>>>(shift, fours);  // fault
              }
            } else {
              update_all_shifts<<<kFours / kThreads, kThreads>>>(shifts, fours);
            }
          },
          [=] {
            double sum = 0;
            for (const Shift& shift : shifts.each) {
              sum += device_sum(reinterpret_cast<const float*>(shift.solution), kValues);
            }
            return sum;
          },
          300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
