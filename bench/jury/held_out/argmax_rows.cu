// The place of the largest of 32,000 scores, for each of 512 rows.
// At fault: a thread goes through a row, so that neighbouring lanes read 128,000 bytes apart, in 4 blocks.
// The pattern is that of ggml-org/llama.cpp, whose pull request 10441 gives a group of warps to a row.
#include "../case.cuh"

namespace {

constexpr int kRows = 512, kScores = 32000, kThreads = 1024, kRowThreads = 128;

struct Best {
  float score;
  int place;
};

__device__ Best better(const Best& one, const Best& other) {
  const bool first = one.score > other.score || (one.score == other.score && one.place < other.place);
  return first ? one : other;
}

__global__ void argmax_by_thread(int* places, const float* scores) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= kRows) return;
  Best best{-1, 0};
  for (int i = 0; i < kScores; ++i) best = better(best, {scores[row * kScores + i], i});  // fault
  places[row] = best.place;
}

__device__ Best best_of_warp(Best best) {
  for (int step = 16; step > 0; step /= 2)
    best = better(best, {__shfl_xor_sync(0xffffffffU, best.score, step),
                         __shfl_xor_sync(0xffffffffU, best.place, step)});
  return best;
}

__global__ void argmax_by_block(int* places, const float* scores) {
  __shared__ Best of_warps[kThreads / 32];
  const auto* row = reinterpret_cast<const float4*>(scores + static_cast<int>(blockIdx.x) * kScores);
  const int thread = static_cast<int>(threadIdx.x);
  Best best{-1, kScores};
  for (int i = thread; i < kScores / 4; i += kThreads) {
    const float4 four = row[i];
    best = better(best, {four.x, 4 * i});
    best = better(best, {four.y, 4 * i + 1});
    best = better(best, {four.z, 4 * i + 2});
    best = better(best, {four.w, 4 * i + 3});
  }
  best = best_of_warp(best);
  if (thread % 32 == 0) of_warps[thread / 32] = best;
  __syncthreads();
  if (thread >= 32) return;
  best = best_of_warp(of_warps[thread]);
  if (thread == 0) places[blockIdx.x] = best.place;
}

Case make(bool by_thread) {
  constexpr std::size_t kAll = std::size_t{kRows} * kScores;
  auto* scores = device_array<float>(kAll);
  auto* places = device_array<int>(kRows);
  fill_fractions(scores, kAll, 1);
  return {[=] {
            if (by_thread) {
              argmax_by_thread<<<kRows / kRowThreads, kRowThreads>>>(places, scores);
            } else {
              argmax_by_block<<<kRows, kThreads>>>(places, scores);
            }
          },
          [=] { return device_sum(places, kRows); }, 100};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
