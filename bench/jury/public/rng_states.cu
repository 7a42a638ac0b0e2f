// Advances the random number generators of 4 million walkers, and draws four numbers from each.
// At fault: the state of a walker is a record of 48 bytes, of which 24 are used, so that the lanes of a warp
// read and write words 48 bytes apart. The pattern is that of pangenome/odgi, src/cuda/layout.h, which keeps
// the states of its generators word by word instead.
#include "../case.cuh"

namespace {

constexpr int kWalkers = 4 << 20, kThreads = 256, kStateWords = 6, kDraws = 4;

// As wide as the state of a library's generator, which also holds what is left of pairs of normal numbers.
struct WalkerState {
  unsigned weyl, shift[5];
  int has_spare, has_spare_double;
  float spare;
  double spare_double;
};

struct Generator {
  unsigned weyl, shift[5];

  __device__ float next() {
    const unsigned t = shift[0] ^ (shift[0] >> 2);
    shift[0] = shift[1], shift[1] = shift[2], shift[2] = shift[3], shift[3] = shift[4];
    shift[4] = (shift[4] ^ (shift[4] << 4)) ^ (t ^ (t << 1));
    weyl += 362437;
    return static_cast<float>((weyl + shift[4]) >> 8) / static_cast<float>(1U << 24);
  }
};

__device__ float mean_of_draws(Generator& generator) {
  float sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) sum += generator.next();
  return sum / kDraws;
}

__global__ void draw_records(float* means, WalkerState* states) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kWalkers) return;
  Generator generator{};
  generator.weyl = states[i].weyl;                                      // fault
  for (int k = 0; k < 5; ++k) generator.shift[k] = states[i].shift[k];  // fault
  means[i] = mean_of_draws(generator);
  states[i].weyl = generator.weyl;                                      // fault
  for (int k = 0; k < 5; ++k) states[i].shift[k] = generator.shift[k];  // fault
}

__global__ void draw_words(float* means, unsigned* states) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kWalkers) return;
  Generator generator{};
  generator.weyl = states[i];
  for (int k = 0; k < 5; ++k) generator.shift[k] = states[(k + 1) * kWalkers + i];
  means[i] = mean_of_draws(generator);
  states[i] = generator.weyl;
  for (int k = 0; k < 5; ++k) states[(k + 1) * kWalkers + i] = generator.shift[k];
}

__device__ unsigned first_word(int walker, int word) {
  return mixed_bits(static_cast<unsigned>(walker * kStateWords + word) + 1);
}

__global__ void seed_records(WalkerState* states) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kWalkers) return;
  states[i] = {};
  states[i].weyl = first_word(i, 0);
  for (int k = 0; k < 5; ++k) states[i].shift[k] = first_word(i, k + 1);
}

__global__ void seed_words(unsigned* states) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kWalkers) return;
  for (int k = 0; k < kStateWords; ++k) states[k * kWalkers + i] = first_word(i, k);
}

constexpr int kRounds = 2000;

Case records() {
  static_assert(sizeof(WalkerState) == 48);
  auto* states = device_array<WalkerState>(kWalkers);
  auto* means = device_array<float>(kWalkers);
  seed_records<<<blocks_for(kWalkers, kThreads), kThreads>>>(states);
  return {[=] { draw_records<<<blocks_for(kWalkers, kThreads), kThreads>>>(means, states); },
          [=] { return device_sum(means, kWalkers); }, kRounds};
}

Case words() {
  auto* states = device_array<unsigned>(std::size_t{kStateWords} * kWalkers);
  auto* means = device_array<float>(kWalkers);
  seed_words<<<blocks_for(kWalkers, kThreads), kThreads>>>(states);
  return {[=] { draw_words<<<blocks_for(kWalkers, kThreads), kThreads>>>(means, states); },
          [=] { return device_sum(means, kWalkers); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, records, words);
}
