// A spinnaker in gusts: cloth of springs between points, held at three corners that the crew moves. Every
// second point goes to the host as a mesh, where drive and depth of the sail are found while the next frame
// is worked out. Four frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 768, kPoints = kSide * kSide, kMesh = kSide / 2, kMeshPoints = kMesh * kMesh;
constexpr int kTileWide = 32, kTileHigh = 8, kThreads = kTileWide * kTileHigh;
constexpr int kSteps = 96, kSlots = 2, kFramesOfRound = 4, kRounds = 330;
constexpr float kRest = 0.01F, kDiagonal = 1.41421356F * kRest, kDamped = 0.9995F, kWeight = 1e-8F;
constexpr float kPressure = 0.06F, kAirDrag = 1e4F;

// Where the three corners are, and how the wind blows.
struct Trim {
  float3 head, tack, clew, wind;
};

struct Slot {
  float4* made;        // by the GPU: points, then normals
  const float4* read;  // by the host
  cudaEvent_t worked, done;
};

struct Sail {
  Slot slots[kSlots];
  float4 *points, *before;
  cudaStream_t work, copies;
  double drive = 0, depth = 0;
  int frame = 0;
};

__device__ float3 minus(float4 one, float4 other) {
  return make_float3(one.x - other.x, one.y - other.y, one.z - other.z);
}

__device__ float3 cross(float3 one, float3 other) {
  return make_float3(one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
                     one.x * other.y - one.y * other.x);
}

// Adds what a spring does to a point.
__device__ void pull(float3& sum, float4 own, float4 other, float rest, float stiff) {
  const float3 far = minus(other, own);
  const float much = stiff * (1 - rest * rsqrtf(far.x * far.x + far.y * far.y + far.z * far.z + 1e-12F));
  sum = make_float3(sum.x + much * far.x, sum.y + much * far.y, sum.z + much * far.z);
}

// Springs to the neighbours, to those at the corners, and to those two away.
__device__ float3 springs(const float4* __restrict__ points, float4 own, int x, int y) {
  float3 sum = make_float3(0, 0, 0);
  const auto tie = [&](int across, int down, float rest, float stiff) {
    const int column = x + across, row = y + down;
    if (column >= 0 && column < kSide && row >= 0 && row < kSide)
      pull(sum, own, points[row * kSide + column], rest, stiff);
  };
#pragma unroll
  for (int sign = -1; sign <= 1; sign += 2) {
    tie(sign, 0, kRest, 0.2F);
    tie(0, sign, kRest, 0.2F);
    tie(sign, sign, kDiagonal, 0.1F);
    tie(sign, -sign, kDiagonal, 0.1F);
    tie(2 * sign, 0, 2 * kRest, 0.05F);
    tie(0, 2 * sign, 2 * kRest, 0.05F);
  }
  return sum;
}

// As long as the area of a point is large.
__device__ float3 normal_at(const float4* __restrict__ points, int x, int y) {
  const float3 across = minus(points[y * kSide + min(x + 1, kSide - 1)], points[y * kSide + max(x - 1, 0)]);
  const float3 down = minus(points[min(y + 1, kSide - 1) * kSide + x], points[max(y - 1, 0) * kSide + x]);
  return cross(across, down);
}

__device__ float4 at_corner(float3 corner) {
  return make_float4(corner.x, corner.y, corner.z, 0);
}

// A thread has a point, whose place two steps ago gives way to the next one.
__global__ void __launch_bounds__(kThreads)
    blow(float4* __restrict__ before, const float4* __restrict__ points, Trim trim) {
  const int x = static_cast<int>(blockIdx.x) * kTileWide + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kTileHigh + static_cast<int>(threadIdx.y);
  const int i = y * kSide + x;
  const float4 own = points[i], last = before[i];
  const float3 force = springs(points, own, x, y), normal = normal_at(points, x, y), moved = minus(own, last);
  const float pressure = kPressure * (normal.x * (trim.wind.x - kAirDrag * moved.x) +
                                      normal.y * (trim.wind.y - kAirDrag * moved.y) +
                                      normal.z * (trim.wind.z - kAirDrag * moved.z));
  const float3 next = make_float3(own.x + kDamped * moved.x + force.x + pressure * normal.x,
                                  own.y + kDamped * moved.y + force.y + pressure * normal.y - kWeight,
                                  own.z + kDamped * moved.z + force.z + pressure * normal.z);
  float4 place = make_float4(next.x, next.y, next.z, 0);
  if (y == 0 && x == kSide / 2) place = at_corner(trim.head);
  if (y == kSide - 1 && x == 0) place = at_corner(trim.tack);
  if (y == kSide - 1 && x == kSide - 1) place = at_corner(trim.clew);
  before[i] = place;
}

__global__ void __launch_bounds__(kThreads)
    make_mesh(float4* __restrict__ mesh, const float4* __restrict__ points) {
  const int column = static_cast<int>(blockIdx.x) * kTileWide + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTileHigh + static_cast<int>(threadIdx.y);
  const int i = row * kMesh + column;
  const float3 normal = normal_at(points, 2 * column, 2 * row);
  mesh[i] = points[2 * row * kSide + 2 * column];
  mesh[kMeshPoints + i] = make_float4(normal.x, normal.y, normal.z, 0);
}

__global__ void __launch_bounds__(kThreads) hoist(float4* points, float4* before) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kSide - kSide / 2), y = static_cast<float>(i / kSide);
  const float belly = 0.02F * __sinf(0.01F * y) * __cosf(0.008F * x);
  points[i] = make_float4(kRest * x, -kRest * y, belly, 0);
  before[i] = points[i];
}

// How a mesh comes to the host.
struct Common {
  static void make(Slot& slot) {
    CHECK(cudaMallocManaged(&slot.made, 2 * kMeshPoints * sizeof(float4)));  // fault
    slot.read = slot.made;                                                   // fault
  }
  static void fetch(const Sail& sail, const Slot& slot) { CHECK(cudaEventRecord(slot.done, sail.work)); }
};

struct Apart {
  static void make(Slot& slot) {
    slot.made = device_array<float4>(2 * kMeshPoints);
    slot.read = pinned_array<float4>(2 * kMeshPoints);
  }
  static void fetch(const Sail& sail, const Slot& slot) {
    CHECK(cudaEventRecord(slot.worked, sail.work));
    CHECK(cudaStreamWaitEvent(sail.copies, slot.worked, 0));
    CHECK(cudaMemcpyAsync(const_cast<float4*>(slot.read), slot.made, 2 * kMeshPoints * sizeof(float4),
                          cudaMemcpyDeviceToHost, sail.copies));
    CHECK(cudaEventRecord(slot.done, sail.copies));
  }
};

// The crew eases and hauls, and gusts come and go.
Trim trim_at(int frame) {
  const auto time = static_cast<float>(frame);
  const float half = kRest * (kSide / 2 - 1), low = -kRest * (kSide - 1);
  const float eased = 0.97F + 0.03F * std::cos(0.02F * time);
  const float gust = 1 + 0.4F * std::sin(0.05F * time) + 0.2F * std::sin(0.017F * time);
  return {{0, 0, 0},
          {-eased * half, eased * low, 0},
          {eased * half, eased * low, 0.2F * half * std::sin(0.01F * time)},
          {0.2F * std::sin(0.03F * time), 0, gust}};
}

// Drive is what pulls forward; depth is how far the sail reaches.
void judge(Sail& sail, const float4* mesh) {
  double drive = 0;
  float deepest = 0;
  for (int i = 0; i < kMeshPoints; ++i) {
    const float4 point = mesh[i], normal = mesh[kMeshPoints + i];  // fault
    drive += normal.z;
    deepest = std::max(deepest, std::abs(point.z));
  }
  sail.drive += std::abs(drive);
  sail.depth += deepest;
}

template <class Mesh>
void next_frame(Sail& sail) {
  const int frame = sail.frame++;
  Slot& slot = sail.slots[frame % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (frame >= kSlots) judge(sail, slot.read);  // fault
  const Trim trim = trim_at(frame);
  const dim3 tile(kTileWide, kTileHigh);
  for (int step = 0; step < kSteps; ++step) {
    blow<<<dim3(kSide / kTileWide, kSide / kTileHigh), tile, 0, sail.work>>>(sail.before, sail.points, trim);
    std::swap(sail.before, sail.points);
  }
  make_mesh<<<dim3(kMesh / kTileWide, kMesh / kTileHigh), tile, 0, sail.work>>>(slot.made,     // fault
                                                                                sail.points);  // fault
  Mesh::fetch(sail, slot);
}

template <class Mesh>
Case make() {
  const auto sail = std::make_shared<Sail>();
  sail->points = device_array<float4>(kPoints);
  sail->before = device_array<float4>(kPoints);
  hoist<<<kPoints / kThreads, kThreads>>>(sail->points, sail->before);
  for (Slot& slot : sail->slots) {
    Mesh::make(slot);  // fault
    for (cudaEvent_t* event : {&slot.worked, &slot.done})
      CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  for (cudaStream_t* stream : {&sail->work, &sail->copies})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame<Mesh>(*sail);
  };
  const auto sum = [=] { return sail->drive + sail->depth; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Common>, make<Apart>);
}
