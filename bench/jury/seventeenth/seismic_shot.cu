// Simulates a shot of a seismic survey: the wave equation on 512 x 512 x 256 cells of rock, of order eight in
// space, with a source and 512 receivers. Eight steps a round, which are launched as a graph.
// Nothing is at fault. Blocks march downwards with a plane in shared memory and the column of each thread in
// registers, so each cell is read about once from DRAM; the arrays of the pressure change places. The pattern
// is that of BLAST-WarpX/warpx, issue 4807, and devitocodes/opesci-fd, issue 43: planes in shared memory, 25
// points.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 512, kDeep = 512, kHigh = 256, kOrder = 4, kLine = kWide + 64,
              kPlane = kLine * (kDeep + 8);
constexpr int kTileWide = 32, kTileDeep = 16, kMarch = kHigh / 2, kColumn = 2 * kOrder + 1;
constexpr int kStepsOfGraph = 8, kReceivers = 512, kKept = 4096, kRounds = 1600;
constexpr int kFirst = kOrder * kPlane + kOrder * kLine + 32;  // the first cell within borders of zeros
constexpr int kSource = kFirst + kHigh / 2 * kPlane + kDeep / 2 * kLine + kWide / 2;
constexpr std::size_t kAll = static_cast<std::size_t>(kPlane) * (kHigh + 2 * kOrder);

__constant__ float c_weights[kOrder + 1];

// Of a plane, with the cells around it.
using Tile = float[kTileDeep + 2 * kOrder][kTileWide + 2 * kOrder];

// Each thread loads its own cell, and some load those around the tile.
__device__ void load_plane(Tile& tile, const float* plane, float own) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  tile[y + kOrder][x + kOrder] = own;
  if (y < kOrder) tile[y][x + kOrder] = plane[-kOrder * kLine];
  if (y >= kTileDeep - kOrder) tile[y + 2 * kOrder][x + kOrder] = plane[kOrder * kLine];
  if (x < kOrder) tile[y + kOrder][x] = plane[-kOrder];
  if (x >= kTileWide - kOrder) tile[y + kOrder][x + 2 * kOrder] = plane[kOrder];
}

// `next` holds the step before; `speeds` are squares, by the cell and the step.
__global__ void __launch_bounds__(kTileWide* kTileDeep)
    step_waves(float* __restrict__ next, const float* __restrict__ now, const float* __restrict__ speeds,
               int* step) {
  __shared__ Tile tiles[2];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * kTileWide + x,
            row = static_cast<int>(blockIdx.y) * kTileDeep + y;
  int at = kFirst + static_cast<int>(blockIdx.z) * kMarch * kPlane + row * kLine + column;
  float queue[kColumn];
  for (int i = 1; i < kColumn; ++i) queue[i] = now[at + (i - 1 - kOrder) * kPlane];
  for (int level = 0; level < kMarch; ++level, at += kPlane) {
#pragma unroll
    for (int i = 1; i < kColumn; ++i) queue[i - 1] = queue[i];
    queue[kColumn - 1] = now[at + kOrder * kPlane];
    Tile& tile = tiles[level % 2];
    load_plane(tile, now + at, queue[kOrder]);
    __syncthreads();
    float sum = 3 * c_weights[0] * queue[kOrder];
#pragma unroll
    for (int i = 1; i <= kOrder; ++i)
      sum += c_weights[i] * (queue[kOrder - i] + queue[kOrder + i] + tile[y + kOrder][x + kOrder - i] +
                             tile[y + kOrder][x + kOrder + i] + tile[y + kOrder - i][x + kOrder] +
                             tile[y + kOrder + i][x + kOrder]);
    next[at] = 2 * queue[kOrder] - next[at] + speeds[at] * sum;
  }
  if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && x + y == 0) ++*step;
}

// The receivers lie in a line near the top; the source gives Ricker's wavelet.
__global__ void __launch_bounds__(kReceivers) exchange(float* traces, float* now, const int* step) {
  const int receiver = static_cast<int>(threadIdx.x), number = *step;
  traces[number % kKept * kReceivers + receiver] = now[kFirst + 8 * kPlane + kDeep / 2 * kLine + receiver];
  if (receiver != 0) return;
  const float time = 0.06F * static_cast<float>(number % 2048 - 100), square = time * time;
  now[kSource] += (1 - 2 * square) * __expf(-square);
}

__global__ void __launch_bounds__(256) lay_rock(float* speeds) {
  const auto i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= kAll) return;
  const auto level = static_cast<unsigned>(i / kPlane);
  speeds[i] = 0.03F + 0.04F * mixed_fraction(level / 16) + 0.0003F * static_cast<float>(level);
}

struct Survey {
  float *now, *next, *speeds, *traces;
  int* step;
};

cudaGraphExec_t record_steps(Survey survey) {
  const dim3 blocks(kWide / kTileWide, kDeep / kTileDeep, kHigh / kMarch), threads(kTileWide, kTileDeep);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kStepsOfGraph; ++i) {
    step_waves<<<blocks, threads, 0, stream>>>(survey.next, survey.now, survey.speeds, survey.step);
    exchange<<<1, kReceivers, 0, stream>>>(survey.traces, survey.next, survey.step);
    std::swap(survey.now, survey.next);
  }
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t steps = nullptr;
  CHECK(cudaGraphInstantiate(&steps, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return steps;
}

float* zeros(std::size_t n) {
  auto* array = device_array<float>(n);
  CHECK(cudaMemset(array, 0, n * sizeof(float)));
  return array;
}

Case make() {
  constexpr float kWeights[] = {-205.0F / 72, 8.0F / 5, -1.0F / 5, 8.0F / 315, -1.0F / 560};
  CHECK(cudaMemcpyToSymbol(c_weights, kWeights, sizeof kWeights));
  constexpr std::size_t kTraces = std::size_t{kKept} * kReceivers;
  const Survey survey{zeros(kAll), zeros(kAll), device_array<float>(kAll), zeros(kTraces),
                      device_array<int>(1)};
  CHECK(cudaMemset(survey.step, 0, sizeof(int)));
  lay_rock<<<blocks_for(kAll, 256), 256>>>(survey.speeds);
  CHECK(cudaGetLastError());
  cudaGraphExec_t steps = record_steps(survey);
  return {[=] { CHECK(cudaGraphLaunch(steps, nullptr)); },
          [=] {
            float* host = pinned_array<float>(kTraces);
            CHECK(cudaMemcpy(host, survey.traces, kTraces * sizeof(float), cudaMemcpyDeviceToHost));
            double sum = 0;
            for (std::size_t i = 0; i < kTraces; ++i) sum += std::abs(static_cast<double>(host[i]));
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
