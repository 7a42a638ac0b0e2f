// Calls the genotypes of 4,194,304 sites from 48 reads each: likelihoods of none, one and two changed copies
// from the qualities of the reads, with a prior that differs from round to round.
// At fault: the tables of likelihoods lie in constant memory, but the lanes of a warp look up different
// qualities, so each lookup is served one value after the other. The pattern is that of JustVugg/colibri,
// pull request 935: the table goes to shared memory.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSites = 1 << 22, kReads = 48, kThreads = 256, kSitesEach = 4, kRounds = 2500;
constexpr int kWords = kSites / kSitesEach, kBlocks = kWords / kThreads, kQualities = 32;
constexpr unsigned kQualityBits = 31, kChangedBit = 32, kAbsentBit = 64;

// Logarithms of how likely a read is, by its quality.
struct Likelihoods {
  float same[kQualities], other[kQualities], mixed[kQualities];
};

// Sums for none, one and two changed copies.
struct Copies {
  float none, one, two;
};

__constant__ Likelihoods constant_likelihoods;

// A read of a site: its quality, and whether it is changed or absent.
__device__ void add_read(Copies& copies, unsigned read, float same, float other, float mixed) {
  if ((read & kAbsentBit) != 0) return;
  const bool changed = (read & kChangedBit) != 0;
  copies.none += changed ? other : same;
  copies.one += mixed;
  copies.two += changed ? same : other;
}

__device__ void add_by_constants(Copies& copies, unsigned read) {
  const unsigned quality = read & kQualityBits;
  const float same = constant_likelihoods.same[quality];    // fault
  const float other = constant_likelihoods.other[quality];  // fault
  const float mixed = constant_likelihoods.mixed[quality];  // fault
  add_read(copies, read, same, other, mixed);
}

// Each entry of a table has a bank of its own.
__device__ void add_by_table(Copies& copies, unsigned read, const Likelihoods& table) {
  const unsigned quality = read & kQualityBits;
  add_read(copies, read, table.same[quality], table.other[quality], table.mixed[quality]);
}

// How much better the best is than the next.
__device__ float margin(const Copies& copies, unsigned& best) {
  const float most = fmaxf(copies.none, fmaxf(copies.one, copies.two));
  const float least = fminf(copies.none, fminf(copies.one, copies.two));
  best = most == copies.none ? 0 : most == copies.one ? 1 : 2;
  return 2 * most + least - (copies.none + copies.one + copies.two);
}

// The calls of four sites are the bytes of a word.
__device__ void store_calls(unsigned* calls, float4* margins, const Copies (&sites)[kSitesEach], int word) {
  unsigned best[kSitesEach];
  const float4 found = make_float4(margin(sites[0], best[0]), margin(sites[1], best[1]),
                                   margin(sites[2], best[2]), margin(sites[3], best[3]));
  calls[word] = best[0] | best[1] << 8 | best[2] << 16 | best[3] << 24;
  margins[word] = found;
}

__device__ void begin_sites(Copies (&sites)[kSitesEach], float prior) {
#pragma unroll
  for (Copies& site : sites) site = {0, prior, 1.8F * prior};
}

// The first reads of all sites lie side by side, then the second ones.
__global__ void __launch_bounds__(kThreads)
    call_by_constants(unsigned* calls, float4* margins, const unsigned* __restrict__ reads, float prior) {
  const int word = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Copies sites[kSitesEach];
  begin_sites(sites, prior);
#pragma unroll 8
  for (int read = 0; read < kReads; ++read) {
    const unsigned four = reads[read * kWords + word];
#pragma unroll
    for (int site = 0; site < kSitesEach; ++site) add_by_constants(sites[site], four >> (8 * site));
  }
  store_calls(calls, margins, sites, word);
}

__global__ void __launch_bounds__(kThreads)
    call_by_table(unsigned* calls, float4* margins, const unsigned* __restrict__ reads, float prior,
                  const Likelihoods* likelihoods) {
  __shared__ Likelihoods table;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kQualities) {
    table.same[thread] = likelihoods->same[thread];
    table.other[thread] = likelihoods->other[thread];
    table.mixed[thread] = likelihoods->mixed[thread];
  }
  __syncthreads();
  const int word = static_cast<int>(blockIdx.x * kThreads) + thread;
  Copies sites[kSitesEach];
  begin_sites(sites, prior);
#pragma unroll 8
  for (int read = 0; read < kReads; ++read) {
    const unsigned four = reads[read * kWords + word];
#pragma unroll
    for (int site = 0; site < kSitesEach; ++site) add_by_table(sites[site], four >> (8 * site), table);
  }
  store_calls(calls, margins, sites, word);
}

// The machine tells eight qualities apart. A site has none, one or two changed copies; a few reads are
// missing.
__device__ unsigned made_read(unsigned site, unsigned read) {
  const unsigned bits = mixed_bits(site * kReads + read), kind = mixed_bits(site + 77) % 16;
  const unsigned chance = kind < 12 ? 1 : kind < 15 ? 32 : 62;
  const bool changed = (bits >> 8) % 64 < chance, absent = (bits >> 16) % 16 == 0;
  return (3 + 4 * (bits % 8)) | (changed ? kChangedBit : 0) | (absent ? kAbsentBit : 0);
}

__global__ void __launch_bounds__(kThreads) make_reads(unsigned* reads) {
  const unsigned word = blockIdx.x * kThreads + threadIdx.x;
  for (unsigned read = 0; read < kReads; ++read) {
    unsigned four = 0;
    for (unsigned site = 0; site < kSitesEach; ++site)
      four |= made_read(word * kSitesEach + site, read) << (8 * site);
    reads[read * kWords + word] = four;
  }
}

Likelihoods made_likelihoods() {
  Likelihoods table{};
  for (int quality = 0; quality < kQualities; ++quality) {
    const double wrong = std::min(0.7, std::pow(10.0, -0.1 * quality));
    table.same[quality] = static_cast<float>(std::log(1 - wrong));
    table.other[quality] = static_cast<float>(std::log(wrong / 3));
    table.mixed[quality] = static_cast<float>(std::log(0.5 * (1 - wrong) + 0.5 * wrong / 3));
  }
  return table;
}

Case make(bool constants) {
  auto* reads = device_array<unsigned>(std::size_t{kReads} * kWords);
  make_reads<<<kBlocks, kThreads>>>(reads);
  CHECK(cudaGetLastError());
  auto* calls = device_array<unsigned>(kWords);
  auto* margins = device_array<float4>(kWords);
  const Likelihoods table = made_likelihoods();
  auto* likelihoods = device_array<Likelihoods>(1);
  CHECK(cudaMemcpy(likelihoods, &table, sizeof(table), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(constant_likelihoods, &table, sizeof(table)));
  auto number = std::make_shared<int>(0);
  return {[=] {
            const float prior = -6 - 0.5F * static_cast<float>((*number)++ % 5);
            if (constants) {
              call_by_constants<<<kBlocks, kThreads>>>(calls, margins, reads, prior);
            } else {
              call_by_table<<<kBlocks, kThreads>>>(calls, margins, reads, prior, likelihoods);
            }
          },
          [=] { return device_sum(reinterpret_cast<const float*>(margins), kSites); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
