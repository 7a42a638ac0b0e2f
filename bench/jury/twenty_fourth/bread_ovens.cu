// Bread in a tunnel oven: dough goes through on a belt and is heated from above and below, water leaves it,
// and eight substances react as the crust gets brown. Reactions are stiff, so each cell solves a system of
// eight equations in each step (Rosenbrock-Euler). A step a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kLong = 256, kWide = 256, kHigh = 64, kCells = kLong * kWide * kHigh, kThreads = 256;
constexpr int kSubstances = 8, kReactions = 9, kRounds = 6000, kProbes = 4096;
constexpr float kStep = 0.05F, kBelt = 0.02F, kSpreadHeat = 0.1F, kHot = 1.9F, kDrying = 0.02F;
constexpr unsigned kMask = 0xffffffffU;

// Starch, sugar, amino acids, yeast, gas, colour, aroma, caramel.
struct Reaction {
  int one, other, gives, also;
  float rate, needs_heat;
};

__device__ constexpr Reaction kReaction[kReactions] = {
    {0, 3, 1, 3, 1.5F, 2}, {1, 3, 4, 4, 4, 1}, {3, 4, 2, 4, 0.6F, 5},
    {1, 2, 5, 6, 3, 8},    {1, 1, 7, 7, 2, 9}, {6, 4, 5, 4, 0.8F, 3},
    {5, 7, 7, 6, 0.5F, 7}, {2, 7, 5, 6, 2, 6}, {4, 5, 4, 1, 0.2F, 4}};

// Fields of a substance follow one another.
struct Oven {
  float *dough, *next_dough, *heat, *next_heat, *water, *next_water, *probes;
  int step = 0;
};

__device__ int cell_at(int x, int y, int z) {
  return (z * kWide + y) * kLong + x;
}

// Heat spreads, goes along with the belt, and makes water leave. A block has a row.
__global__ void __launch_bounds__(kThreads)
    bake(float* __restrict__ next, float* __restrict__ next_water, const float* __restrict__ heat,
         const float* __restrict__ water, float oven) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  const int cell = cell_at(x, y, z);
  const float own = heat[cell], behind = x > 0 ? heat[cell - 1] : 0.2F, wet = water[cell];
  const float zone = oven * (0.6F + 0.4F * __sinf(0.0123F * static_cast<float>(x)));
  const float ahead = x < kLong - 1 ? heat[cell + 1] : own;
  const float left = y > 0 ? heat[cell - kLong] : own, right = y < kWide - 1 ? heat[cell + kLong] : own;
  const float below = z > 0 ? heat[cell - kLong * kWide] : zone;
  const float above = z < kHigh - 1 ? heat[cell + kLong * kWide] : zone;
  const float spread = behind + ahead + left + right + below + above - 6 * own;
  const float leaves = kDrying * wet * fmaxf(own - 1, 0);
  next[cell] = own + kSpreadHeat * spread - kBelt * (own - behind) - 0.5F * leaves;
  next_water[cell] = wet - leaves - kBelt * (wet - (x > 0 ? water[cell - 1] : 0.4F));
}

// Rates of all reactions at a cell, what they give, and the matrix 1 - step * (slopes of what they give).
__device__ __forceinline__ void find_slopes(float (&matrix)[kSubstances][kSubstances],
                                            float (&gain)[kSubstances], const float (&dough)[kSubstances],
                                            float heat, float wet) {
#pragma unroll
  for (int i = 0; i < kSubstances; ++i) {
    gain[i] = 0;  // fault
#pragma unroll
    for (int j = 0; j < kSubstances; ++j) matrix[i][j] = i == j ? 1 : 0;  // fault
  }
#pragma unroll
  for (int r = 0; r < kReactions; ++r) {
    constexpr float kHalf = 0.5F;
    const Reaction& of = kReaction[r];
    const float speed = kStep * of.rate * __expf(of.needs_heat * (heat - 1.5F)) * (kHalf + wet);
    const float by_one = speed * dough[of.other], by_other = speed * dough[of.one];
    const float amount = by_one * dough[of.one];
    gain[of.one] -= amount;                  // fault
    gain[of.other] -= amount;                // fault
    gain[of.gives] += amount;                // fault
    gain[of.also] += amount;                 // fault
    matrix[of.one][of.one] += by_one;        // fault
    matrix[of.one][of.other] += by_other;    // fault
    matrix[of.other][of.one] += by_one;      // fault
    matrix[of.other][of.other] += by_other;  // fault
    matrix[of.gives][of.one] -= by_one;      // fault
    matrix[of.gives][of.other] -= by_other;  // fault
    matrix[of.also][of.one] -= by_one;       // fault
    matrix[of.also][of.other] -= by_other;   // fault
  }
}

// Gauss, with the largest number of a column as its pivot.
struct SwapByIndex {
  __device__ void operator()(float (&matrix)[kSubstances][kSubstances], float (&right)[kSubstances],
                             int column, int pivot) const {
#pragma unroll
    for (int j = 0; j < kSubstances; ++j) {
      const float there = matrix[pivot][j];  // fault
      matrix[pivot][j] = matrix[column][j];  // fault
      matrix[column][j] = there;             // fault
    }
    const float there = right[pivot];  // fault
    right[pivot] = right[column];      // fault
    right[column] = there;             // fault
  }
};

struct SwapBySelection {
  __device__ void operator()(float (&matrix)[kSubstances][kSubstances], float (&right)[kSubstances],
                             int column, int pivot) const {
    const auto exchange = [](float& one, float& other, bool really) {
      const float there = other;
      other = really ? one : other;
      one = really ? there : one;
    };
#pragma unroll
    for (int row = 1; row < kSubstances; ++row) {
      if (row <= column) continue;
#pragma unroll
      for (int j = 0; j < kSubstances; ++j)
        if (j >= column) exchange(matrix[column][j], matrix[row][j], row == pivot);
      exchange(right[column], right[row], row == pivot);
    }
  }
};

template <class Swap>
__device__ __forceinline__ void solve(float (&matrix)[kSubstances][kSubstances], float (&right)[kSubstances],
                                      Swap swap) {
#pragma unroll
  for (int column = 0; column < kSubstances; ++column) {
    int pivot = column;
    float largest = fabsf(matrix[column][column]);  // fault
#pragma unroll
    for (int row = column + 1; row < kSubstances; ++row) {
      const float size = fabsf(matrix[row][column]);  // fault
      pivot = size > largest ? row : pivot;
      largest = fmaxf(size, largest);
    }
    swap(matrix, right, column, pivot);
    const float inverse = __frcp_rn(matrix[column][column]);  // fault
#pragma unroll
    for (int row = column + 1; row < kSubstances; ++row) {
      const float part = matrix[row][column] * inverse;  // fault
#pragma unroll
      for (int j = column + 1; j < kSubstances; ++j) matrix[row][j] -= part * matrix[column][j];  // fault
      right[row] -= part * right[column];                                                         // fault
    }
  }
#pragma unroll
  for (int row = kSubstances - 1; row >= 0; --row) {
#pragma unroll
    for (int j = row + 1; j < kSubstances; ++j) right[row] -= matrix[row][j] * right[j];  // fault
    right[row] *= __frcp_rn(matrix[row][row]);                                            // fault
  }
}

// Fresh dough comes in at the front. Gas leaves.
template <class Swap>
__global__ void __launch_bounds__(kThreads)
    react(float* __restrict__ next, const float* __restrict__ dough, const float* __restrict__ heat,
          const float* __restrict__ water, float sweet, Swap swap) {
  const auto x = static_cast<int>(threadIdx.x);
  const int cell = cell_at(x, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y));
  const float fresh[kSubstances] = {0.8F, sweet, 0.3F, 0.25F, 0.05F, 0, 0, 0};
  float own[kSubstances], matrix[kSubstances][kSubstances], gain[kSubstances];
#pragma unroll
  for (int i = 0; i < kSubstances; ++i) {
    const float here = dough[i * kCells + cell], behind = x > 0 ? dough[i * kCells + cell - 1] : fresh[i];
    own[i] = here - kBelt * (here - behind);
  }
  find_slopes(matrix, gain, own, fminf(heat[cell], 2), water[cell]);
  solve(matrix, gain, swap);
#pragma unroll
  for (int i = 0; i < kSubstances; ++i) {
    const float stays = i == 4 ? 0.98F : 1;
    next[i * kCells + cell] = stays * fminf(fmaxf(own[i] + gain[i], 0), 4);
  }
}

// A warp has a probe in a crust and looks at 32 cells along the belt. `probes` are over all steps.
__global__ void __launch_bounds__(kThreads)
    look_at_crust(float* __restrict__ probes, const float* __restrict__ dough,
                  const float* __restrict__ water) {
  const auto probe = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const int cell = cell_at(probe % 8 * 32 + lane, probe / 8 % kWide, probe / 8 / kWide % 2 * (kHigh - 1));
  float sum = dough[5 * kCells + cell] + dough[6 * kCells + cell] + water[cell];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane == 0) probes[probe] += 1e-2F * sum;
}

__global__ void __launch_bounds__(kThreads) knead(float* dough, float* heat, float* water) {
  const auto cell = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  for (unsigned i = 0; i < kSubstances; ++i)
    dough[i * kCells + cell] = (i < 5 ? 0.3F : 0.01F) * (0.5F + mixed_fraction(cell + i * 7919));
  heat[cell] = 0.3F + 0.5F * mixed_fraction(cell + 3);
  water[cell] = 0.35F + 0.1F * mixed_fraction(cell + 5);
}

template <class Swap>
void step(Oven& oven, Swap swap) {
  const dim3 rows(kWide, kHigh);
  const auto now = static_cast<float>(oven.step++);
  bake<<<rows, kThreads>>>(oven.next_heat, oven.next_water, oven.heat, oven.water,
                           kHot * (1 + 0.1F * std::sin(0.01F * now)));
  std::swap(oven.heat, oven.next_heat);
  std::swap(oven.water, oven.next_water);
  react<<<rows, kThreads>>>(oven.next_dough, oven.dough, oven.heat, oven.water,  // fault
                            0.3F + 0.1F * std::sin(0.007F * now), swap);
  std::swap(oven.dough, oven.next_dough);
  look_at_crust<<<kProbes * 32 / kThreads, kThreads>>>(oven.probes, oven.dough, oven.water);
}

template <class Swap>
Case make(Swap swap) {
  const auto oven = std::make_shared<Oven>();
  for (float** dough : {&oven->dough, &oven->next_dough})
    *dough = device_array<float>(std::size_t{kSubstances} * kCells);
  for (float** field : {&oven->heat, &oven->next_heat, &oven->water, &oven->next_water})
    *field = device_array<float>(kCells);
  knead<<<kCells / kThreads, kThreads>>>(oven->dough, oven->heat, oven->water);
  oven->probes = device_array<float>(kProbes);
  CHECK(cudaMemset(oven->probes, 0, kProbes * sizeof(float)));
  return {[=] { step(*oven, swap); }, [=] { return device_sum(oven->probes, kProbes); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(SwapByIndex{}); }, [] { return make(SwapBySelection{}); });
}
