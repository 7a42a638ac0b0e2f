// Ranks 4.2 million papers by their citations, as hubs and authorities: the score of a paper is the sum of
// the scores of those that cite it, and of those that it cites. Both directions a round; every eighth round,
// the change of the scores is measured.
// At fault: a warp gathers the scores for a paper, but a paper has seven citations on average, so most lanes
// have nothing to read; eight lanes a paper are enough. The pattern is that of ginkgo-project/ginkgo, pull
// request 1046, and rapidsai/cugraph, pull request 1447: as many threads a vertex as its degree needs.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

namespace cg = cooperative_groups;

constexpr int kPapers = 1 << 22, kLeast = 3, kSpread = 9, kReach = 4096, kThreads = 256, kRounds = 5500;
constexpr int kBlocks = 132 * 8, kPaperBlocks = kPapers / kThreads, kMeasureEvery = 8, kPaperBits = 22;
constexpr float kAnyway = 1.0F / 1024;  // what each paper gets in any case
constexpr unsigned kMask = 0xffffffffU;

// The links of paper i are those from starts[i] on.
struct Links {
  int *starts, *papers;
};

__device__ int own_thread() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

__device__ void add_of_block(double* to, double value) {
  __shared__ double warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(kMask, value, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) value += warps[i];
  atomicAdd(to, value);
}

// Scores are divided by their length, of which `length` is the square, where they are read.
template <int kLanes>
__global__ void __launch_bounds__(kThreads)
    gather_scores(float* __restrict__ sums, double* squares, const float* __restrict__ scores,
                  const double* length, double* later, Links links) {
  const auto lanes = cg::tiled_partition<kLanes>(cg::this_thread_block());
  const int lane = static_cast<int>(lanes.thread_rank());
  const float scale = rsqrtf(static_cast<float>(*length));
  double total = 0;
  for (int paper = own_thread() / kLanes; paper < kPapers; paper += kBlocks * kThreads / kLanes) {
    const int end = links.starts[paper + 1];
    float sum = 0;
    for (int link = links.starts[paper] + lane; link < end; link += kLanes)
      sum += scores[links.papers[link]];  // fault
    sum = kAnyway + scale * cg::reduce(lanes, sum, cg::plus<float>());
    if (lane == 0) {
      sums[paper] = sum;
      total += sum * sum;
    }
  }
  add_of_block(squares, total);
  if (own_thread() == 0) *later = 0;
}

__global__ void __launch_bounds__(kThreads)
    measure_change(double* change, float* __restrict__ before, const float* __restrict__ scores) {
  double sum = 0;
  for (int paper = own_thread(); paper < kPapers; paper += kBlocks * kThreads) {
    const float score = scores[paper];
    sum += fabsf(score - before[paper]);
    before[paper] = score;
  }
  add_of_block(change, sum);
}

__device__ int citations_of(int paper) {
  return kLeast + static_cast<int>(mixed_bits(static_cast<unsigned>(paper)) % kSpread);
}

__global__ void __launch_bounds__(kThreads) count_citations(int* counts) {
  counts[own_thread()] = citations_of(own_thread());
}

// Papers cite what is near, that is of their field and time.
__global__ void __launch_bounds__(kThreads) cite(int* cited, int* citing, const int* starts) {
  const int paper = own_thread(), start = starts[paper], count = citations_of(paper);
  for (int i = 0; i < count; ++i) {
    const float far = mixed_fraction(static_cast<unsigned>(start + i) + 0x1b873593U);
    const int back = 1 + static_cast<int>(far * far * kReach);
    cited[start + i] = (paper - back) & (kPapers - 1);
    citing[start + i] = paper;
  }
}

__global__ void __launch_bounds__(kThreads) count_cited(int* counts, const int* cited, int links) {
  if (own_thread() < links) atomicAdd(counts + cited[own_thread()], 1);
}

void find_starts(int* starts, const int* counts) {
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, starts, kPapers + 1));
  auto* workspace = device_array<char>(bytes);
  CHECK(cub::DeviceScan::ExclusiveSum(workspace, bytes, counts, starts, kPapers + 1));
  CHECK(cudaFree(workspace));
}

void sort_links(const int* cited, int* sorted, const int* citing, int* papers, int count) {
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, cited, sorted, citing, papers, count, 0, kPaperBits));
  auto* workspace = device_array<char>(bytes);
  CHECK(
      cub::DeviceRadixSort::SortPairs(workspace, bytes, cited, sorted, citing, papers, count, 0, kPaperBits));
  CHECK(cudaFree(workspace));
}

struct Graph {
  Links out, in;
};

Graph read_papers() {
  auto *counts = device_array<int>(kPapers + 1), *out = device_array<int>(kPapers + 1);
  auto* in = device_array<int>(kPapers + 1);
  count_citations<<<kPaperBlocks, kThreads>>>(counts);
  find_starts(out, counts);
  int links = 0;
  CHECK(cudaMemcpy(&links, out + kPapers, sizeof links, cudaMemcpyDeviceToHost));
  auto *cited = device_array<int>(links), *citing = device_array<int>(links);
  cite<<<kPaperBlocks, kThreads>>>(cited, citing, out);
  CHECK(cudaMemset(counts, 0, (kPapers + 1) * sizeof(int)));
  count_cited<<<blocks_for(links, kThreads), kThreads>>>(counts, cited, links);
  find_starts(in, counts);
  auto *sorted = device_array<int>(links), *papers = device_array<int>(links);
  sort_links(cited, sorted, citing, papers, links);
  for (int* spent : {counts, citing, sorted}) CHECK(cudaFree(spent));
  return {{out, cited}, {in, papers}};
}

struct Scores {
  float *hubs, *authorities, *before;
  double *lengths, *change;  // squared lengths of three gatherings in turn
  int gathered, round;
};

template <int kLanes>
void gather(Scores& scores, float* to, const float* from, const Links& links) {
  double* lengths = scores.lengths;
  const int number = scores.gathered++;
  double *squares = lengths + (number + 1) % 3, *later = lengths + (number + 2) % 3;
  const double* length = lengths + number % 3;
  gather_scores<kLanes><<<kBlocks, kThreads>>>(to, squares, from, length, later, links);  // fault
}

template <int kLanes>
void rank(const Graph& graph, Scores& scores) {
  gather<kLanes>(scores, scores.authorities, scores.hubs, graph.in);
  gather<kLanes>(scores, scores.hubs, scores.authorities, graph.out);
  if (++scores.round % kMeasureEvery == 0)
    measure_change<<<kBlocks, kThreads>>>(scores.change, scores.before, scores.hubs);
}

template <int kLanes>
Case make() {
  const Graph graph = read_papers();
  const auto scores = std::make_shared<Scores>();
  *scores = {device_array<float>(kPapers),
             device_array<float>(kPapers),
             device_array<float>(kPapers),
             device_array<double>(3),
             device_array<double>(1),
             0,
             0};
  fill_fractions(scores->hubs, kPapers, 0x5bd1e995U);
  CHECK(cudaMemset(scores->before, 0, kPapers * sizeof(float)));
  CHECK(cudaMemset(scores->change, 0, sizeof(double)));
  const double lengths[3] = {kPapers / 3.0, 0, 0};
  CHECK(cudaMemcpy(scores->lengths, lengths, sizeof lengths, cudaMemcpyHostToDevice));
  return {[=] { rank<kLanes>(graph, *scores); },
          [=] { return device_sum(scores->hubs, kPapers / 3) + device_sum(scores->change, 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<32>, make<8>);
}
