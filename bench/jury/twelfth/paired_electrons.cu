// Sums, over configurations of a Monte Carlo run, how two electrons of a cluster move together: 16
// momenta and 64 frequencies each, and 16 transfers between them. In each round vertices at random
// times give the propagator of one electron as a matrix, and products of its entries are added to the
// sums.
// At fault: the sums have momenta before frequencies, while neighbouring threads have neighbouring
// frequencies, so lanes load and store 2 KB apart. The pattern is that of CompFUSE/DCA, pull request
// 112: the indices of the sums are rearranged.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kMomenta = 16, kFrequencies = 64, kStates = kMomenta * kFrequencies, kVertices = 32;
constexpr int kMomentumSteps = 4, kFrequencySteps = 4, kTransfers = kMomentumSteps * kFrequencySteps;
constexpr int kPairs = kStates * kStates, kThreads = 256, kTile = 32, kTileRows = 8, kRounds = 16000;
constexpr int kOwnRows = kTile / kTileRows;
constexpr float kKept = 0.995F;

// Of the vertices at each state: one of an electron that comes, and one of an electron that goes.
struct Phases {
  float2 *coming, *going;
};

// The matrix and its transpose, and for each transfer what lies beside its diagonal, above and below.
struct Propagators {
  float2 *straight, *turned, *above, *below;
};

__device__ float2 product(float2 one, float2 two) {
  return make_float2(one.x * two.x - one.y * two.y, one.x * two.y + one.y * two.x);
}

// Frequencies of a momentum lie side by side. Both are in a ring.
__device__ int moved(int state, int transfer) {
  const int momentum = (state / kFrequencies + 5 * (transfer / kFrequencySteps)) % kMomenta;
  const int frequency = (state + 4 * (transfer % kFrequencySteps)) % kFrequencies;
  return momentum * kFrequencies + frequency;
}

// Where the sums of a pair lie, with momenta before frequencies or in the order of the states.
template <bool kMomentaFirst>
__device__ int place_of(int one, int other) {
  if constexpr (kMomentaFirst) {
    const int frequencies = (one % kFrequencies) * kFrequencies + other % kFrequencies;
    return (frequencies * kMomenta + one / kFrequencies) * kMomenta + other / kFrequencies;
  } else {
    return one * kStates + other;
  }
}

// A vertex has a time and a site, and its phases have no zero mean.
__global__ void __launch_bounds__(kThreads) find_phases(Phases phases, int round) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), state = i % kStates;
  const unsigned vertex = static_cast<unsigned>(round * kVertices + i / kStates);
  const float frequency = (static_cast<float>(state % kFrequencies) - 31.5F) / kFrequencies;
  const float momentum = static_cast<float>(state / kFrequencies) / kMomenta;
  const float turn = frequency * mixed_fraction(2 * vertex) + momentum * mixed_fraction(2 * vertex + 1);
  const float2 phase = make_float2(0.2F * cospif(turn), 0.2F * sinpif(turn));
  phases.coming[i] = phase;
  phases.going[i] = make_float2(phase.x, -phase.y);
}

// A block has a tile of the matrix, and a thread four entries of a column.
__global__ void __launch_bounds__(kTile* kTileRows)
    multiply(float2* __restrict__ out, const float2* __restrict__ left, const float2* __restrict__ right) {
  __shared__ float2 rows[kVertices][kTile], columns[kVertices][kTile];
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kTile,
            first_column = static_cast<int>(blockIdx.x) * kTile;
#pragma unroll
  for (int vertex = row; vertex < kVertices; vertex += kTileRows) {
    rows[vertex][column] = left[vertex * kStates + first_row + column];
    columns[vertex][column] = right[vertex * kStates + first_column + column];
  }
  __syncthreads();
  float2 sums[kOwnRows] = {};
#pragma unroll 8
  for (int vertex = 0; vertex < kVertices; ++vertex) {
    const float2 other = columns[vertex][column];
#pragma unroll
    for (int own = 0; own < kOwnRows; ++own) {
      const float2 more = product(rows[vertex][row + own * kTileRows], other);
      sums[own] = make_float2(sums[own].x + more.x, sums[own].y + more.y);
    }
  }
#pragma unroll
  for (int own = 0; own < kOwnRows; ++own) {
    const int state = first_row + row + own * kTileRows;
    const float free = state == first_column + column ? 1 : 0;
    out[state * kStates + first_column + column] = make_float2(free - sums[own].x, -sums[own].y);
  }
}

__global__ void __launch_bounds__(kThreads) take_diagonals(Propagators propagators) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), state = i % kStates;
  const int there = moved(state, i / kStates);
  propagators.above[i] = propagators.straight[state * kStates + there];
  propagators.below[i] = propagators.straight[there * kStates + state];
}

// A thread has a pair of states and all transfers.
template <bool kMomentaFirst>
__global__ void __launch_bounds__(kThreads)
    add_pairs(float2* __restrict__ sums, const Propagators propagators) {
  const int one = static_cast<int>(blockIdx.y);
  const int other = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int place = place_of<kMomentaFirst>(one, other);
  const float2 straight = propagators.straight[one * kStates + other];
#pragma unroll
  for (int transfer = 0; transfer < kTransfers; ++transfer) {
    const int one_moved = moved(one, transfer), other_moved = moved(other, transfer);
    const float2 apart =
        product(propagators.above[transfer * kStates + one], propagators.below[transfer * kStates + other]);
    const float2 exchanged = product(straight, propagators.turned[one_moved * kStates + other_moved]);
    float2& sum = sums[transfer * kPairs + place];
    const float2 before = sum;                                    // fault
    sum = make_float2(kKept * before.x + apart.x - exchanged.x,   // fault
                      kKept * before.y + apart.y - exchanged.y);  // fault
  }
}

Case make(bool momenta_first) {
  const Phases phases{device_array<float2>(kVertices * kStates), device_array<float2>(kVertices * kStates)};
  const Propagators propagators{device_array<float2>(kPairs), device_array<float2>(kPairs),
                                device_array<float2>(kTransfers * kStates),
                                device_array<float2>(kTransfers * kStates)};
  constexpr std::size_t kSums = std::size_t{kTransfers} * kPairs;
  auto* sums = device_array<float2>(kSums);
  CHECK(cudaMemset(sums, 0, kSums * sizeof(float2)));
  auto number = std::make_shared<int>(0);
  return {[=] {
            find_phases<<<kVertices * kStates / kThreads, kThreads>>>(phases, (*number)++);
            const dim3 tiles(kStates / kTile, kStates / kTile), tile(kTile, kTileRows);
            multiply<<<tiles, tile>>>(propagators.straight, phases.coming, phases.going);
            multiply<<<tiles, tile>>>(propagators.turned, phases.going, phases.coming);
            take_diagonals<<<kTransfers * kStates / kThreads, kThreads>>>(propagators);
            const dim3 blocks(kStates / kThreads, kStates);
            if (momenta_first) {
              add_pairs<true><<<blocks, kThreads>>>(sums, propagators);
            } else {
              add_pairs<false><<<blocks, kThreads>>>(sums, propagators);
            }
          },
          [=] { return device_sum(reinterpret_cast<const float*>(sums), 2 * kSums); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
