// Refines an animated surface of a million vertices to four million (Catmull and Clark): each new vertex is a
// weighed sum of four to nine old ones, whose places, normals, colours and so on are 12 numbers side by side.
// At fault: a thread takes all numbers of a vertex, so lanes read and write 48 bytes apart. The pattern is
// that of PixarAnimationStudios/OpenSubdiv, pull request 69: several threads take the numbers of a vertex.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 1024, kOld = kSide * kSide, kNew = 4 * kOld, kFields = 12, kThreads = 192;
constexpr int kFace = 4, kEdge = 6, kPoint = 9, kEntries = kOld * (kFace + 2 * kEdge + kPoint);
constexpr int kFrames = 6, kRounds = 450;
constexpr std::size_t kOldFloats = std::size_t{kOld} * kFields, kNewFloats = std::size_t{kNew} * kFields;

// The old vertices of new vertex i are entries starts[i] to starts[i + 1].
struct Stencils {
  int *starts, *indices;
  float* weights;
};

// In a ring of rows and a ring of columns.
__device__ int vertex_at(int x, int y) {
  return (y + kSide) % kSide * kSide + (x + kSide) % kSide;
}

// New vertices of faces come first, then those of edges along both directions, then those of old vertices.
__global__ void list_stencils(Stencils stencils) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kNew) return;
  const int part = i / kOld, vertex = i % kOld, x = vertex % kSide, y = vertex / kSide;
  const int before = part == 0 ? 0 : kOld * (kFace + (part - 1) * kEdge);
  const int count = part == 0 ? kFace : part == 3 ? kPoint : kEdge;
  int place = before + vertex * count;
  stencils.starts[i] = place;
  if (i == kNew - 1) stencils.starts[kNew] = kEntries;
  const auto list = [&](int across, int down, float weight) {
    stencils.indices[place] = vertex_at(x + across, y + down);
    stencils.weights[place++] = weight;
  };
  if (part == 0) {
    for (int corner = 0; corner < kFace; ++corner) list(corner % 2, corner / 2, 0.25F);
  } else if (part == 3) {
    for (int near = 0; near < kPoint; ++near) {
      const int across = near % 3 - 1, down = near / 3 - 1, far = across * across + down * down;
      list(across, down, far == 0 ? 0.5625F : far == 1 ? 0.09375F : 0.015625F);
    }
  } else {
    for (int near = 0; near < kEdge; ++near) {
      const int along = near % 2, beside = near / 2 - 1;
      const float weight = beside == 0 ? 0.375F : 0.0625F;
      part == 1 ? list(along, beside, weight) : list(beside, along, weight);
    }
  }
}

__global__ void __launch_bounds__(kThreads) pose(float* old, const float* rest, float time) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < kOldFloats) old[i] = rest[i] * (1 + 0.1F * __sinf(time + 6.28F * rest[i]));
}

__global__ void __launch_bounds__(kThreads)
    refine_by_vertex(float* fresh, const float* __restrict__ old, Stencils stencils) {
  const int vertex = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (vertex >= kNew) return;
  float sums[kFields] = {};
  const int end = stencils.starts[vertex + 1];
  for (int i = stencils.starts[vertex]; i < end; ++i) {
    const float* own = old + stencils.indices[i] * kFields;
    const float weight = stencils.weights[i];
#pragma unroll
    for (int field = 0; field < kFields; ++field) sums[field] += weight * own[field];  // fault
  }
#pragma unroll
  for (int field = 0; field < kFields; ++field) fresh[vertex * kFields + field] = sums[field];  // fault
}

__global__ void __launch_bounds__(kThreads)
    refine_by_field(float* fresh, const float* __restrict__ old, Stencils stencils) {
  const int place = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int vertex = place / kFields, field = place % kFields;
  float sum = 0;
  const int end = stencils.starts[vertex + 1];
  for (int i = stencils.starts[vertex]; i < end; ++i) {
    sum += stencils.weights[i] * old[stencils.indices[i] * kFields + field];
  }
  fresh[place] = sum;
}

Stencils made_stencils() {
  const Stencils stencils{device_array<int>(kNew + 1), device_array<int>(kEntries),
                          device_array<float>(kEntries)};
  list_stencils<<<blocks_for(kNew, 256), 256>>>(stencils);
  CHECK(cudaGetLastError());
  return stencils;
}

Case make(bool by_vertex) {
  const Stencils stencils = made_stencils();
  auto* rest = device_array<float>(kOldFloats);
  auto* old = device_array<float>(kOldFloats);
  auto* fresh = device_array<float>(kNewFloats);
  fill_fractions(rest, kOldFloats, 3);
  auto time = std::make_shared<float>(0.0F);
  static_assert(kNewFloats % kThreads == 0);
  return {[=] {
            for (int frame = 0; frame < kFrames; ++frame) {
              *time += 0.01F;
              pose<<<blocks_for(kOldFloats, kThreads), kThreads>>>(old, rest, *time);
              if (by_vertex) {
                refine_by_vertex<<<blocks_for(kNew, kThreads), kThreads>>>(fresh, old, stencils);
              } else {
                refine_by_field<<<kNewFloats / kThreads, kThreads>>>(fresh, old, stencils);
              }
            }
          },
          [=] { return device_sum(fresh, kNewFloats); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
