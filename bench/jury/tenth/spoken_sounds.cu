// Scores the sounds of speech: 1024 pieces of 32 frames, cut from utterances of different lengths, go through
// five layers of a network as one batch, and their scores go back beside the frames that they belong to.
// At fault: each piece comes into the batch by a copy of its own, and its scores leave it by another, 2048
// copies of 8 KB a batch. The pattern is that of kaldi-asr/kaldi, pull request 3351: a kernel copies many
// pieces at once and finds them in its parameters.
#include <array>
#include <cuda_pipeline.h>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kPieces = 1024, kFrames = 32, kFeatures = 64, kHidden = 512, kLayers = 5, kRounds = 500;
constexpr int kRows = kPieces * kFrames, kPieceFloats = kFrames * kFeatures, kListed = 128;
constexpr int kTileRows = 128, kTileColumns = 64, kDepth = 16, kThreads = 256, kOwnRows = kTileRows / 8;
constexpr std::size_t kPieceBytes = kPieceFloats * sizeof(float);
constexpr std::array<int, kLayers + 1> kWidths{kFeatures, kHidden, kHidden, kHidden, kHidden, kFeatures};

struct Tiles {
  float in[kTileRows][kDepth];
  float weights[kDepth][kTileColumns];
};

struct Piece {
  const float* from;
  float* to;
};

// What a launch copies, handed over with its parameters.
struct Pieces {
  Piece listed[kListed];
};

__device__ void stage(Tiles& tiles, const float* in, const float* weights, int inputs, int outputs, int row,
                      int column, int first) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = thread; i < kTileRows * kDepth / 4; i += kThreads) {
    const int own = i / (kDepth / 4), place = i % (kDepth / 4) * 4;
    __pipeline_memcpy_async(&tiles.in[own][place], &in[(row + own) * inputs + first + place], sizeof(float4));
  }
  const int depth = thread / (kTileColumns / 4), place = thread % (kTileColumns / 4) * 4;
  __pipeline_memcpy_async(&tiles.weights[depth][place], &weights[(first + depth) * outputs + column + place],
                          sizeof(float4));
}

__device__ void add_products(float2 (&sums)[kOwnRows], const Tiles& tiles, int own, int pair) {
#pragma unroll
  for (int depth = 0; depth < kDepth; depth += 4) {
    float2 weights[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      weights[i] = *reinterpret_cast<const float2*>(&tiles.weights[depth + i][pair]);
#pragma unroll
    for (int row = 0; row < kOwnRows; ++row) {
      const float4 in = *reinterpret_cast<const float4*>(&tiles.in[own + row][depth]);
      sums[row].x += in.x * weights[0].x + in.y * weights[1].x + in.z * weights[2].x + in.w * weights[3].x;
      sums[row].y += in.x * weights[0].y + in.y * weights[1].y + in.z * weights[2].y + in.w * weights[3].y;
    }
  }
}

// A block has 128 rows and 64 columns, and a warp 16 of the rows; the next tiles are under way meanwhile.
__global__ void __launch_bounds__(kThreads)
    apply_layer(float* out, const float* in, const float* weights, int inputs, int outputs) {
  __shared__ __align__(16) Tiles tiles[2];
  const int row = static_cast<int>(blockIdx.y) * kTileRows;
  const int column = static_cast<int>(blockIdx.x) * kTileColumns;
  const int own = static_cast<int>(threadIdx.x / 32) * kOwnRows,
            pair = static_cast<int>(threadIdx.x % 32) * 2;
  float2 sums[kOwnRows] = {};
  stage(tiles[0], in, weights, inputs, outputs, row, column, 0);
  __pipeline_commit();
  for (int first = 0; first < inputs; first += kDepth) {
    const int side = first / kDepth % 2, next = first + kDepth;
    if (next < inputs) stage(tiles[1 - side], in, weights, inputs, outputs, row, column, next);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    add_products(sums, tiles[side], own, pair);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwnRows; ++i) {
    const float2 sum = make_float2(fmaxf(sums[i].x, 0.1F * sums[i].x), fmaxf(sums[i].y, 0.1F * sums[i].y));
    *reinterpret_cast<float2*>(&out[(row + own + i) * outputs + column + pair]) = sum;
  }
}

__global__ void __launch_bounds__(kThreads) copy_pieces(const __grid_constant__ Pieces pieces) {
  const Piece& piece = pieces.listed[blockIdx.y];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  reinterpret_cast<float4*>(piece.to)[i] = reinterpret_cast<const float4*>(piece.from)[i];
}

__global__ void choose_weights(float* weights, int inputs, int outputs) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  weights[i] = (mixed_fraction(static_cast<unsigned>(i)) - 0.48F) * 4.5F * rsqrtf(static_cast<float>(inputs));
}

void copy_one_by_one(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    CHECK(cudaMemcpyAsync(piece.to, piece.from, kPieceBytes, cudaMemcpyDeviceToDevice));  // fault
  }
}

void copy_together(const std::vector<Piece>& pieces) {
  for (std::size_t first = 0; first < pieces.size(); first += kListed) {
    Pieces some{};
    std::copy_n(pieces.data() + first, kListed, some.listed);
    copy_pieces<<<dim3(kPieceFloats / 4 / kThreads, kListed), kThreads>>>(some);
  }
}

struct Batch {
  std::array<float*, kLayers + 1> rows;
  std::array<float*, kLayers> weights;
};

Batch made_batch() {
  Batch batch{};
  for (int layer = 0; layer <= kLayers; ++layer) {
    batch.rows[layer] = device_array<float>(std::size_t{kRows} * kWidths[layer]);
    if (layer == kLayers) break;
    const int inputs = kWidths[layer], outputs = kWidths[layer + 1];
    batch.weights[layer] = device_array<float>(std::size_t(inputs) * outputs);
    choose_weights<<<inputs * outputs / kThreads, kThreads>>>(batch.weights[layer], inputs, outputs);
    CHECK(cudaGetLastError());
  }
  return batch;
}

void score(const Batch& batch) {
  for (int layer = 0; layer < kLayers; ++layer) {
    const int inputs = kWidths[layer], outputs = kWidths[layer + 1];
    const dim3 blocks(outputs / kTileColumns, kRows / kTileRows);
    apply_layer<<<blocks, kThreads>>>(batch.rows[layer + 1], batch.rows[layer], batch.weights[layer], inputs,
                                      outputs);
  }
}

unsigned frames_of(unsigned utterance) {
  return 96 + mixed_bits(utterance) % 160;
}

Case make(bool together) {
  std::vector<std::size_t> starts{0};
  for (unsigned i = 0; i < kPieces; ++i)
    starts.push_back(starts.back() + std::size_t{frames_of(i)} * kFeatures);
  const std::size_t all = starts.back();
  auto* features = device_array<float>(all);
  auto* scores = device_array<float>(all);
  fill_fractions(features, all, 5);
  CHECK(cudaMemset(scores, 0, all * sizeof(float)));
  const Batch batch = made_batch();
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            std::vector<Piece> in, out;
            for (unsigned i = 0; i < kPieces; ++i) {
              const unsigned frame = mixed_bits(i + *number * kPieces) % (frames_of(i) - kFrames);
              const std::size_t place = starts[i] + std::size_t{frame} * kFeatures;
              in.push_back({features + place, batch.rows[0] + i * kPieceFloats});
              out.push_back({batch.rows[kLayers] + i * kPieceFloats, scores + place});
            }
            ++*number;
            together ? copy_together(in) : copy_one_by_one(in);
            score(batch);
            together ? copy_together(out) : copy_one_by_one(out);
          },
          [=] { return device_sum(scores, all); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
