// Lets atoms of two kinds find their order in an alloy of 16,384 x 16,384 places: an atom becomes of the
// one kind or of the other by chance, the likelier the more of its four neighbours are of that kind. Places
// are coloured like a chessboard; all of one colour change at once, and then all of the other. Both a round.
// Nothing is at fault. A colour has an array of its own with eight places a word, and neighbours are counted
// for eight places at once. The second kernel needs what the first one wrote in all blocks around, so the
// two cannot be one. The pattern is that of NVIDIA/ising-gpu, optimized/cuIsingModel.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kHigh = 16384, kEach = 8, kWords = 16384 / 2 / kEach, kAll = kHigh * kWords;
constexpr int kAcross = 64, kDown = 4, kThreads = kAcross * kDown, kTop = 32 - 4, kRounds = 14000;
constexpr unsigned kOnes = 0x11111111U;
constexpr double kOrder = 0.8;  // how much a neighbour counts; above 0.88, one kind prevails

// Of 65536: how often a place becomes 1 where so many of its neighbours are 1.
struct Chances {
  unsigned none, one, two, three, four;
};

// Both ends meet.
__device__ int word_at(int word, int row) {
  return (row & (kHigh - 1)) * kWords + (word & (kWords - 1));
}

__device__ unsigned chance(const Chances& chances, unsigned neighbours) {
  const unsigned few = neighbours == 0 ? chances.none : chances.one;
  const unsigned many = neighbours == 3 ? chances.three : chances.four;
  return neighbours < 2 ? few : neighbours > 2 ? many : chances.two;
}

// Beside a place is the one of the other colour with its number, and the one before or after that.
__global__ void __launch_bounds__(kThreads)
    change(unsigned* __restrict__ own, const unsigned* __restrict__ other, int colour, unsigned turn,
           Chances chances) {
  const int word = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), i = word_at(word, row);
  const unsigned here = other[i];
  const unsigned beside = (row + colour) % 2 == 0 ? here << 4 | other[word_at(word - 1, row)] >> kTop
                                                  : here >> 4 | other[word_at(word + 1, row)] << kTop;
  const unsigned counts = here + beside + other[word_at(word, row - 1)] + other[word_at(word, row + 1)];
  unsigned random = mixed_bits(static_cast<unsigned>(i) ^ turn), changed = 0;
#pragma unroll
  for (int place = 0; place < kEach; ++place) {
    if (place % 2 == 0) random = mixed_bits(random + 0x9e3779b9U);
    const unsigned drawn = place % 2 == 0 ? random >> 16 : random & 0xffffU;
    changed |= (drawn < chance(chances, counts >> 4 * place & 7U) ? 1U : 0U) << 4 * place;
  }
  own[i] = changed;
}

__global__ void __launch_bounds__(kThreads) mix(unsigned* own, unsigned seed) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  own[i] = mixed_bits(i + seed) & kOnes;
}

__global__ void __launch_bounds__(kThreads) count_ones(unsigned* ones, const unsigned* own) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  ones[i] = static_cast<unsigned>(__popc(own[i]));
}

Chances find_chances() {
  const auto of = [](double more) { return static_cast<unsigned>(65536 / (1 + std::exp(-kOrder * more))); };
  return {of(-2), of(-1), of(0), of(1), of(2)};
}

Case make() {
  const dim3 blocks(kWords / kAcross, kHigh / kDown), threads(kAcross, kDown);
  auto *white = device_array<unsigned>(kAll), *black = device_array<unsigned>(kAll);
  mix<<<kAll / kThreads, kThreads>>>(white, 0);
  mix<<<kAll / kThreads, kThreads>>>(black, 0x40000000U);
  CHECK(cudaGetLastError());
  const Chances chances = find_chances();
  auto turn = std::make_shared<unsigned>(0);
  return {[=] {
            const unsigned first = mixed_bits((*turn)++), second = mixed_bits((*turn)++);
            change<<<blocks, threads>>>(white, black, 0, first, chances);
            change<<<blocks, threads>>>(black, white, 1, second, chances);
          },
          [=] {
            auto* ones = device_array<unsigned>(kAll);
            count_ones<<<kAll / kThreads, kThreads>>>(ones, white);
            const double total = device_sum(ones, kAll);
            count_ones<<<kAll / kThreads, kThreads>>>(ones, black);
            return total + device_sum(ones, kAll);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
