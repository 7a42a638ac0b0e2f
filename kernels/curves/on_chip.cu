// B1, B5, B7: what an SM's shared memory, its constant cache, and atomics at L2 do in a second, over what
// makes them slow. Counted answers of these families are in patterns/; here is their price.

#include <array>
#include <numeric>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

constexpr unsigned kSharedRing = 1024, kConstantRing = 256;
// A launch and the filling of shared memory take some 5 us: they are to be below 1 % of the shortest chase.
constexpr int kRounds = 16'384;

__constant__ Word constant_words[kConstantRing];

// Lanes are `Degree` words apart, so that many of them share a bank; each load says where the next one goes,
// one row of banks further. A power of two: gcd(Degree, 32) is Degree.
template <int Degree>
__global__ void chase_shared(Word* ends) {
  __shared__ Word next[kSharedRing];
  for (unsigned i = threadIdx.x; i < kSharedRing; i += blockDim.x) next[i] = (i + 32) % kSharedRing;
  __syncthreads();
  Word at = threadIdx.x % 32 * Degree;
#pragma unroll 8
  for (int round = 0; round < kRounds; ++round) at = next[at];
  ends[thread_index()] = at;
}

// A warp's lanes ask for `Distinct` different words.
template <int Distinct>
__global__ void chase_constant(Word* ends) {
  Word at = threadIdx.x % Distinct;
#pragma unroll 8
  for (int round = 0; round < kRounds; ++round) at = constant_words[at];
  ends[thread_index()] = at;
}

// In assembly, as the compiler would add up a warp's atomics before.
__global__ void add_to_counters(Word* counters, unsigned mask, int rounds) {
  Word* const own = counters + (thread_index() & mask);
  for (int round = 0; round < rounds; ++round)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(own), "r"(1U) : "memory");
}

namespace {

using Chase = void (*)(Word*);

double requests_of(const Bench& bench) {
  return static_cast<double>(bench.full_grid()) * (kBlockThreads / 32) * kRounds;
}

// Where a chase of a row of `period` words ends, summed over the grid. `start` is a lane's first word.
template <class Start>
Word ends_of(const Bench& bench, unsigned period, const Start& start) {
  Word sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) sum += (start(lane) + 32U * kRounds) % period;
  return sum * bench.full_grid() * (kBlockThreads / 32);
}

// The rate at 1 over the parameter: as many wavefronts as the parameter says, one after the other.
void chase(Bench& bench, const char* name, int parameter, Chase kernel, Word expected_ends,
           double& rate_at_one) {
  const Sums ends(bench.full_grid());
  const Times times = bench.on_gpu(
      15, [&](cudaStream_t stream) { kernel<<<bench.full_grid(), kBlockThreads, 0, stream>>>(ends.get()); });
  if (parameter == 1) rate_at_one = requests_of(bench) / quartiles(times).median;
  bench.rate({name, parameter, {}}, requests_of(bench), times, rate_at_one / parameter);
  bench.check(name, expected_ends, ends.total());
}

template <int... Log2>
void all_shared(Bench& bench, std::integer_sequence<int, Log2...>) {
  double rate_at_one = 0;
  const auto ends = [&](unsigned degree) {
    return ends_of(bench, kSharedRing, [=](unsigned lane) { return lane * degree; });
  };
  (chase(bench, "shared_conflicts", 1 << Log2, chase_shared<1 << Log2>, ends(1U << Log2), rate_at_one), ...);
}

template <int... Log2>
void all_constant(Bench& bench, std::integer_sequence<int, Log2...>) {
  double rate_at_one = 0;
  const auto ends = [&](unsigned distinct) {
    return ends_of(bench, kConstantRing, [=](unsigned lane) { return lane % distinct; });
  };
  (chase(bench, "constant_loads", 1 << Log2, chase_constant<1 << Log2>, ends(1U << Log2), rate_at_one), ...);
}

}  // namespace

void measure_shared_conflicts(Bench& bench) {
  all_shared(bench, std::make_integer_sequence<int, 6>());
}

void measure_constant_loads(Bench& bench) {
  std::array<Word, kConstantRing> next{};
  for (unsigned i = 0; i < kConstantRing; ++i) next[i] = (i + 32) % kConstantRing;
  check_cuda(cudaMemcpyToSymbol(constant_words, next.data(), sizeof next), "cudaMemcpyToSymbol");
  all_constant(bench, std::make_integer_sequence<int, 6>());
}

void measure_atomics(Bench& bench) {
  // So many for each thread that a launch does not weigh; few where one takes the time of hundreds.
  constexpr int kFewAdds = 8, kManyAdds = 256;
  constexpr unsigned kContended = 256;
  constexpr unsigned kMostCounters = 1U << 18;
  const OnDevice<Word> counters = device_array<Word>(kMostCounters * kWordBytes);
  for (unsigned addresses = 1; addresses <= kMostCounters; addresses *= 4) {
    const int rounds = addresses < kContended ? kFewAdds : kManyAdds;
    const double adds = static_cast<double>(bench.full_grid()) * kBlockThreads * rounds;
    const auto clear = [&](cudaStream_t stream) {
      check_cuda(cudaMemsetAsync(counters.get(), 0, kMostCounters * kWordBytes, stream), "cudaMemset");
    };
    const Times times = bench.on_gpu(
        9,
        [&](cudaStream_t stream) {
          add_to_counters<<<bench.full_grid(), kBlockThreads, 0, stream>>>(counters.get(), addresses - 1,
                                                                           rounds);
        },
        clear);
    bench.rate({"atomics", static_cast<double>(addresses), {}}, adds, times);
    std::vector<Word> found(addresses);
    check_cuda(cudaMemcpy(found.data(), counters.get(), found.size() * sizeof(Word), cudaMemcpyDeviceToHost),
               "cudaMemcpy");
    bench.check("atomics", static_cast<Word>(adds), std::accumulate(found.begin(), found.end(), Word{0}));
  }
}

}  // namespace coalescope::kernels
