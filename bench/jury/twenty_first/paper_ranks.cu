// Ranks two million papers by who cites them: a paper gets a share of the rank of each paper that cites it,
// and readers who begin anew choose papers of the journal of the day more often. The rank of journals is
// summed up. A pass over all papers a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kJournals = 2048, kOfJournal = 1024, kPapers = kJournals * kOfJournal, kThreads = 256;
constexpr int kFewest = 4, kSpread = 17, kNear = 1 << 16, kRounds = 9500;
constexpr float kFollow = 0.85F;
constexpr unsigned kMask = 0xffffffffU;

// The papers that cite a paper lie side by side, from its start to the start of the next one.
struct Citations {
  unsigned *starts, *citing;
};

struct Library {
  Citations citations;
  float *ranks, *shares, *inverse_cited;
  double* journals;
  int pass;
};

// What a paper gives to each paper that it cites.
__global__ void __launch_bounds__(kThreads)
    share_ranks(float4* __restrict__ shares, const float4* __restrict__ ranks,
                const float4* __restrict__ inverse_cited) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 rank = ranks[i], inverse = inverse_cited[i];
  shares[i] = make_float4(rank.x * inverse.x, rank.y * inverse.y, rank.z * inverse.z, rank.w * inverse.w);
}

// Several lanes have a paper.
template <int kOfPaper>
__global__ void __launch_bounds__(kThreads)
    collect_ranks(float* __restrict__ ranks, const float* __restrict__ shares,
                  const unsigned* __restrict__ starts, const unsigned* __restrict__ citing, int journal) {
  const auto thread = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int paper = thread / kOfPaper, lane = thread % kOfPaper;
  const unsigned end = starts[paper + 1];
  float sum = 0;
  for (unsigned i = starts[paper] + static_cast<unsigned>(lane); i < end; i += kOfPaper)  // fault
    sum += shares[citing[i]];                                                             // fault
#pragma unroll
  for (int far = kOfPaper / 2; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);  // fault
  const float anew = paper / kOfJournal == journal ? 4.0F : 1.0F;
  if (lane == 0) ranks[paper] = (1 - kFollow) * anew + kFollow * sum;  // fault
}

// A block has a journal. Its rank is summed over passes.
__global__ void __launch_bounds__(kThreads)
    rank_journals(double* __restrict__ journals, const float4* __restrict__ ranks) {
  __shared__ float warps[kThreads / 32];
  const float4 own = ranks[blockIdx.x * kThreads + threadIdx.x];
  float sum = own.x + own.y + own.z + own.w;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum += warps[i];
  journals[blockIdx.x] += sum;
}

// Most papers are cited by papers of about their age.
__global__ void __launch_bounds__(kThreads)
    fill_citations(unsigned* __restrict__ citing, unsigned* __restrict__ cited,
                   const unsigned* __restrict__ starts) {
  const unsigned paper = blockIdx.x * kThreads + threadIdx.x;
  for (unsigned i = starts[paper]; i < starts[paper + 1]; ++i) {
    const unsigned bits = mixed_bits(i + 0x1b873593U);
    const unsigned later = bits % 4 == 0 ? bits / 4 % kPapers : 1 + bits / 4 % kNear;
    citing[i] = (paper + later) % kPapers;
    atomicAdd(cited + citing[i], 1U);
  }
}

__global__ void __launch_bounds__(kThreads)
    invert(float* __restrict__ inverse, const unsigned* __restrict__ counts) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  inverse[i] = counts[i] == 0 ? 0 : 1.0F / static_cast<float>(counts[i]);
}

Library open_library() {
  auto* starts = pinned_array<unsigned>(kPapers + 1);
  starts[0] = 0;
  for (unsigned paper = 0; paper < kPapers; ++paper)
    starts[paper + 1] = starts[paper] + kFewest + mixed_bits(paper + 77) % kSpread;
  const Library library{{device_array<unsigned>(kPapers + 1), device_array<unsigned>(starts[kPapers])},
                        device_array<float>(kPapers),
                        device_array<float>(kPapers),
                        device_array<float>(kPapers),
                        device_array<double>(kJournals),
                        0};
  CHECK(
      cudaMemcpy(library.citations.starts, starts, (kPapers + 1) * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(starts));
  auto* cited = device_array<unsigned>(kPapers);
  CHECK(cudaMemset(cited, 0, kPapers * sizeof(unsigned)));
  fill_citations<<<kPapers / kThreads, kThreads>>>(library.citations.citing, cited, library.citations.starts);
  invert<<<kPapers / kThreads, kThreads>>>(library.inverse_cited, cited);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(cited));
  fill_fractions(library.ranks, kPapers, 0x85ebca6bU);
  CHECK(cudaMemset(library.journals, 0, kJournals * sizeof(double)));
  return library;
}

template <int kOfPaper>
void pass_once(Library& library) {
  const int journal = library.pass++ % kJournals;
  share_ranks<<<kPapers / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(library.shares),
                                                    reinterpret_cast<const float4*>(library.ranks),
                                                    reinterpret_cast<const float4*>(library.inverse_cited));
  collect_ranks<kOfPaper><<<kPapers / (kThreads / kOfPaper), kThreads>>>(
      library.ranks, library.shares, library.citations.starts, library.citations.citing, journal);
  rank_journals<<<kJournals, kThreads>>>(library.journals, reinterpret_cast<const float4*>(library.ranks));
}

template <int kOfPaper>
Case make() {
  const auto library = std::make_shared<Library>(open_library());
  return {[=] { pass_once<kOfPaper>(*library); },
          [=] { return 1e-6 * device_sum(library->journals, kJournals); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<32>(); }, [] { return make<8>(); });
}
