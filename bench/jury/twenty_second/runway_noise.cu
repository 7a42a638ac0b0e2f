// Draws the noise of planes around an airport: each flight's noise is spread over 2048 x 2048 points of land,
// and lines of equal noise are drawn for four levels, each piece of a line in its place of one list, so that
// maps can be shown and lines measured. A flight a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kPoints = kSide * kSide, kTile = 8, kTilePoints = kTile * kTile, kThreads = 256;
constexpr int kTilesWide = kSide / kTile, kTiles = kTilesWide * kTilesWide,
              kTilesOfBlock = kThreads / kTilePoints;
constexpr int kLevels = 4, kPath = 24, kChunk = 1024, kChunks = kTiles / kChunk, kMostPieces = 1 << 21;
constexpr int kMeasureBlocks = 264, kRounds = 17000;
constexpr float kLowest = 45, kBetween = 5, kSpace = 10;
constexpr unsigned kMask = 0xffffffffU;

// Where a plane makes noise, and how much.
struct Flight {
  float4 path[kPath];
};

struct Airport {
  float* noise;
  int *counts, *starts, *totals;
  int *host_counts, *host_starts;
  float4* pieces;
  double* lengths;
  cudaStream_t stream;
  int flight;
};

// A thread has a point of land.
__global__ void __launch_bounds__(kThreads) spread_noise(float* __restrict__ noise, const Flight flight) {
  const auto point = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(point % kSide) * kSpace, y = static_cast<float>(point / kSide) * kSpace;
  float sum = 1e-6F;
#pragma unroll 8
  for (int i = 0; i < kPath; ++i) {
    const float4 plane = flight.path[i];
    const float dx = x - plane.x, dy = y - plane.y;
    const float far = dx * dx + dy * dy + plane.z * plane.z;
    sum += __fdividef(plane.w * (1 + 2e-8F * plane.z * plane.z), far + 1e-4F * far * sqrtf(far));
  }
  const float hills = 2 * __sinf(0.004F * x) * __cosf(0.005F * y);
  noise[point] = 4.3429448F * __logf(sum) + hills;
}

// The four corners of a square of land, and which of them are louder than a level.
struct Square {
  float low_left, low_right, high_left, high_right;

  __device__ unsigned louder(float level) const {
    return (low_left > level ? 1U : 0U) | (low_right > level ? 2U : 0U) | (high_right > level ? 4U : 0U) |
           (high_left > level ? 8U : 0U);
  }
};

__device__ int pieces_of(unsigned louder) {
  return louder == 0 || louder == 15 ? 0 : louder == 5 || louder == 10 ? 2 : 1;
}

// A block has four tiles side by side; tiles are numbered row by row.
struct Place {
  int tile, x, y;
};

__device__ Place place_of_thread() {
  const auto thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x) * kTilesOfBlock + thread / kTilePoints,
            at = thread % kTilePoints;
  return {tile, tile % kTilesWide * kTile + at % kTile, tile / kTilesWide * kTile + at / kTile};
}

// Squares at the last row and column are as loud as their first corner.
__device__ Square read_square(const float* noise, int x, int y) {
  const int right = x + 1 < kSide ? 1 : 0, up = y + 1 < kSide ? kSide : 0;
  const float* own = noise + y * kSide + x;
  return {own[0], own[right], own[up], own[up + right]};
}

__device__ int count_pieces(const Square& square) {
  int count = 0;
#pragma unroll
  for (int i = 0; i < kLevels; ++i)
    count += pieces_of(square.louder(kLowest + kBetween * static_cast<float>(i)));
  return count;
}

__global__ void __launch_bounds__(kThreads)
    count_lines(int* __restrict__ counts, const float* __restrict__ noise) {
  __shared__ int halves[kThreads / 32];
  const Place place = place_of_thread();
  const int own = count_pieces(read_square(noise, place.x, place.y));
  const int sum = __reduce_add_sync(kMask, own);
  if (threadIdx.x % 32 == 0) halves[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x % kTilePoints == 0)
    counts[place.tile] = halves[threadIdx.x / 32] + halves[threadIdx.x / 32 + 1];
}

__device__ int sum_up_to_lane(int own) {
  const auto lane = static_cast<int>(threadIdx.x % 32);
  for (int far = 1; far < 32; far *= 2) {
    const int before = __shfl_up_sync(kMask, own, static_cast<unsigned>(far));
    if (lane >= far) own += before;
  }
  return own;
}

// Where the pieces of a tile start among those of its chunk. A thread has a tile, a block a chunk.
__global__ void __launch_bounds__(kChunk)
    sum_chunks(int* __restrict__ starts, int* __restrict__ totals, const int* __restrict__ counts) {
  __shared__ int warps[kChunk / 32];
  const auto tile = static_cast<int>(blockIdx.x * kChunk + threadIdx.x);
  const int warp = static_cast<int>(threadIdx.x / 32), own = counts[tile];
  const int up_to = sum_up_to_lane(own);
  if (threadIdx.x % 32 == 31) warps[warp] = up_to;
  __syncthreads();
  if (warp == 0) warps[threadIdx.x] = sum_up_to_lane(warps[threadIdx.x]);
  __syncthreads();
  starts[tile] = up_to - own + (warp > 0 ? warps[warp - 1] : 0);
  if (threadIdx.x == 0) totals[blockIdx.x] = warps[kChunk / 32 - 1];
}

// Adds what is in the chunks before. The last start is how many pieces there are.
__global__ void __launch_bounds__(kChunk)
    join_chunks(int* __restrict__ starts, const int* __restrict__ totals) {
  __shared__ int before;
  const auto chunk = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (thread < 32) {
    int sum = 0;
    for (int i = thread; i < chunk; i += 32) sum += totals[i];
    sum = __reduce_add_sync(kMask, sum);
    if (thread == 0) before = sum;
  }
  __syncthreads();
  starts[chunk * kChunk + thread] += before;
  if (chunk == kChunks - 1 && thread == 0) starts[kTiles] = before + totals[chunk];
}

// Where a level is met between two corners.
__device__ float share_of(float from, float to, float level) {
  return fminf(fmaxf(__fdividef(level - from, to - from), 0), 1);
}

// A piece goes from the first to the second of the sides that the level meets: left, low, right, high. Where
// it meets all of them, there are two pieces.
__device__ int write_pieces(float4* pieces, int at, const Square& square, float x, float y, float level) {
  const unsigned louder = square.louder(level);
  const int count = pieces_of(louder);
  if (count == 0) return at;
  const bool low_left = louder & 1, low_right = louder & 2, high_right = louder & 4, high_left = louder & 8;
  const float2 left = make_float2(x, y + share_of(square.low_left, square.high_left, level));
  const float2 low = make_float2(x + share_of(square.low_left, square.low_right, level), y);
  const float2 right = make_float2(x + 1, y + share_of(square.low_right, square.high_right, level));
  const float2 high = make_float2(x + share_of(square.high_left, square.high_right, level), y + 1);
  const bool meets_left = low_left != high_left, meets_low = low_left != low_right;
  const bool meets_right = low_right != high_right;
  const float2 from = meets_left ? left : meets_low ? low : right;
  const float2 to = meets_left && meets_low ? low : meets_right && (meets_left || meets_low) ? right : high;
  if (at < kMostPieces) pieces[at] = make_float4(from.x, from.y, to.x, to.y);
  if (count == 2 && at + 1 < kMostPieces) pieces[at + 1] = make_float4(right.x, right.y, high.x, high.y);
  return at + count;
}

__global__ void __launch_bounds__(kThreads)
    write_lines(float4* __restrict__ pieces, const int* __restrict__ starts,
                const float* __restrict__ noise) {
  __shared__ int halves[kThreads / 32];
  const Place place = place_of_thread();
  const Square square = read_square(noise, place.x, place.y);
  const int own = count_pieces(square), up_to = sum_up_to_lane(own);
  if (threadIdx.x % 32 == 31) halves[threadIdx.x / 32] = up_to;
  __syncthreads();
  int at =
      starts[place.tile] + up_to - own + (threadIdx.x % kTilePoints >= 32 ? halves[threadIdx.x / 32 - 1] : 0);
  if (own == 0) return;
#pragma unroll
  for (int i = 0; i < kLevels; ++i)
    at = write_pieces(pieces, at, square, static_cast<float>(place.x), static_cast<float>(place.y),
                      kLowest + kBetween * static_cast<float>(i));
}

// `lengths` are over all flights, block by block.
__global__ void __launch_bounds__(kThreads)
    measure_lines(double* __restrict__ lengths, const float4* __restrict__ pieces,
                  const int* __restrict__ starts) {
  __shared__ float warps[kThreads / 32];
  const int count = min(starts[kTiles], kMostPieces);
  float sum = 0;
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < count;
       i += kMeasureBlocks * kThreads) {
    const float4 piece = pieces[i];
    const float x = piece.z - piece.x, y = piece.w - piece.y;
    sum += sqrtf(x * x + y * y);
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum += warps[i];
  lengths[blockIdx.x] += static_cast<double>(sum);
}

// A plane climbs from the runway and turns.
Flight new_flight(int number) {
  Flight flight = {};
  const auto seed = static_cast<unsigned>(number) * 64;
  float x = 0.5F * kSide * kSpace, y = (0.3F + 0.4F * mixed_fraction(seed)) * kSide * kSpace, z = 20;
  float way = 6.2831853F * mixed_fraction(seed + 1);
  const float turn = 0.3F * (mixed_fraction(seed + 2) - 0.5F), climb = 60 + 60 * mixed_fraction(seed + 3);
  for (float4& place : flight.path) {
    place = make_float4(x, y, z, 1e10F);
    x += 400 * std::cos(way);
    y += 400 * std::sin(way);
    z += climb;
    way += turn;
  }
  return flight;
}

void find_starts_on_host(const Airport& airport) {
  CHECK(cudaMemcpyAsync(airport.host_counts, airport.counts, kTiles * sizeof(int),  // fault
                        cudaMemcpyDeviceToHost, airport.stream));
  CHECK(cudaStreamSynchronize(airport.stream));  // fault
  int sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    airport.host_starts[tile] = sum;
    sum += airport.host_counts[tile];
  }
  airport.host_starts[kTiles] = sum;
  CHECK(cudaMemcpyAsync(airport.starts, airport.host_starts, (kTiles + 1) * sizeof(int),  // fault
                        cudaMemcpyHostToDevice, airport.stream));
}

void find_starts(const Airport& airport) {
  sum_chunks<<<kChunks, kChunk, 0, airport.stream>>>(airport.starts, airport.totals, airport.counts);
  join_chunks<<<kChunks, kChunk, 0, airport.stream>>>(airport.starts, airport.totals);
}

void draw_flight(Airport& airport, bool on_host) {
  spread_noise<<<kPoints / kThreads, kThreads, 0, airport.stream>>>(airport.noise,
                                                                    new_flight(airport.flight++));
  count_lines<<<kPoints / kThreads, kThreads, 0, airport.stream>>>(airport.counts, airport.noise);
  if (on_host)
    find_starts_on_host(airport);
  else
    find_starts(airport);
  write_lines<<<kPoints / kThreads, kThreads, 0, airport.stream>>>(airport.pieces, airport.starts,
                                                                   airport.noise);
  measure_lines<<<kMeasureBlocks, kThreads, 0, airport.stream>>>(airport.lengths, airport.pieces,
                                                                 airport.starts);
}

Case make(bool on_host) {
  const auto airport = std::make_shared<Airport>();
  *airport = {device_array<float>(kPoints),
              device_array<int>(kTiles),
              device_array<int>(kTiles + 1),
              device_array<int>(kChunks),
              pinned_array<int>(kTiles),
              pinned_array<int>(kTiles + 1),
              device_array<float4>(kMostPieces),
              device_array<double>(kMeasureBlocks),
              nullptr,
              0};
  CHECK(cudaMemset(airport->lengths, 0, kMeasureBlocks * sizeof(double)));
  CHECK(cudaStreamCreateWithFlags(&airport->stream, cudaStreamNonBlocking));
  return {[=] { draw_flight(*airport, on_host); },
          [=] { return device_sum(airport->lengths, kMeasureBlocks); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
