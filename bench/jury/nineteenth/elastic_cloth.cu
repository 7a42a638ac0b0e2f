// Lets a cloth of 2048 x 2048 knots fall on a ball: twelve springs a knot, to neighbours beside, aslant and
// two away, friction, gravity, and a floor. Normals for a renderer are made each eighth step, and how far the
// cloth is stretched is summed each sixteenth. A step a round. Nothing is at fault. Forces, movement and the
// ball are one kernel that reads each knot from DRAM once, and its neighbours from caches; old and new knots
// change places. Blocks are wide for whole lines and high so that neighbours above and below are their own.
// The pattern is that of newton-physics/newton, pull request 3995: a thread gathers the forces of its
// particle, and google-deepmind/mujoco_warp, pull request 1478.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kKnots = kSide * kSide, kTileWide = 32, kTileHigh = 8, kThreads = 256;
constexpr int kTilesWide = kSide / kTileWide, kTiles = kTilesWide * (kSide / kTileHigh),
              kWarps = kThreads / 32;
constexpr int kNormalsEvery = 8, kSumEvery = 16, kRounds = 28000;
constexpr float kStep = 0.05F, kStiff = 25, kDamping = 0.4F, kGravity = 0.02F, kRadius = 500,
                kDiagonal = 1.41421356F;
constexpr unsigned kMask = 0xffffffffU;

// Places, whose fourth number is 0 where a knot is held; and speeds.
struct Cloth {
  float4 *places, *speeds;
};

__device__ float3 apart(float4 one, float4 other) {
  return make_float3(one.x - other.x, one.y - other.y, one.z - other.z);
}

__device__ float product(float3 one, float3 other) {
  return one.x * other.x + one.y * other.y + one.z * other.z;
}

__device__ void add(float3& sum, float share, float3 more) {
  sum.x += share * more.x;
  sum.y += share * more.y;
  sum.z += share * more.z;
}

struct Knot {
  int column, row;

  __device__ int number() const { return row * kSide + column; }
};

__device__ Knot own_knot() {
  return {static_cast<int>(blockIdx.x * kTileWide + threadIdx.x % kTileWide),
          static_cast<int>(blockIdx.y * kTileHigh + threadIdx.x / kTileWide)};
}

// The spring to a knot some columns and rows away, which are known to the compiler.
template <int kColumns, int kRows>
__device__ void pull(float3& force, Knot knot, float4 place, const float4* places) {
  const int column = knot.column + kColumns, row = knot.row + kRows;
  if (column < 0 || column >= kSide || row < 0 || row >= kSide) return;
  constexpr bool kAslant = kColumns != 0 && kRows != 0, kFar = kColumns * kColumns + kRows * kRows == 4;
  constexpr float kRest = kAslant ? kDiagonal : kFar ? 2 : 1;
  const float3 way = apart(places[row * kSide + column], place);
  const float length = fmaxf(sqrtf(product(way, way)), 0.01F);
  add(force, kStiff * fmaxf(-0.5F, fminf(length - kRest, 0.5F)) / length, way);
}

// A ball in the middle, and a floor below it.
__device__ void collide(float4& place, float3& speed) {
  const float3 out = make_float3(place.x - kSide * 0.5F, place.y - kSide * 0.5F, place.z + kRadius);
  const float far = sqrtf(product(out, out));
  if (far < kRadius) {
    const float inwards = fminf(product(out, speed) / (far * far + 1e-6F), 0);
    add(speed, -inwards, out);
    speed = make_float3(0.98F * speed.x, 0.98F * speed.y, 0.98F * speed.z);
    const float share = kRadius / fmaxf(far, 1.0F) - 1;
    place.x += share * out.x;
    place.y += share * out.y;
    place.z += share * out.z;
  }
  if (place.z < -2 * kRadius) {
    place.z = -2 * kRadius;
    speed = make_float3(0.5F * speed.x, 0.5F * speed.y, 0);
  }
}

__global__ void __launch_bounds__(kThreads)
    move_knots(Cloth next, const float4* __restrict__ places, const float4* __restrict__ speeds) {
  const Knot knot = own_knot();
  const int number = knot.number();
  float4 place = places[number];
  const float4 before = speeds[number];
  float3 force = make_float3(0, 0, -kGravity);
  pull<-1, 0>(force, knot, place, places);
  pull<1, 0>(force, knot, place, places);
  pull<0, -1>(force, knot, place, places);
  pull<0, 1>(force, knot, place, places);
  pull<-1, -1>(force, knot, place, places);
  pull<1, -1>(force, knot, place, places);
  pull<-1, 1>(force, knot, place, places);
  pull<1, 1>(force, knot, place, places);
  pull<-2, 0>(force, knot, place, places);
  pull<2, 0>(force, knot, place, places);
  pull<0, -2>(force, knot, place, places);
  pull<0, 2>(force, knot, place, places);
  float3 speed = make_float3(before.x, before.y, before.z);
  speed = make_float3(speed.x * (1 - kStep * kDamping), speed.y * (1 - kStep * kDamping),
                      speed.z * (1 - kStep * kDamping));
  add(speed, kStep * place.w, force);
  place.x += kStep * place.w * speed.x;
  place.y += kStep * place.w * speed.y;
  place.z += kStep * place.w * speed.z;
  collide(place, speed);
  next.places[number] = place;
  next.speeds[number] = make_float4(speed.x, speed.y, speed.z, 0);
}

// Where the cloth ends, the knot itself stands for the neighbour.
__global__ void __launch_bounds__(kThreads)
    make_normals(float4* __restrict__ normals, const float4* __restrict__ places) {
  const Knot knot = own_knot();
  const int number = knot.number();
  const float4 west = places[number - (knot.column > 0 ? 1 : 0)],
               east = places[number + (knot.column < kSide - 1 ? 1 : 0)];
  const float4 south = places[number - (knot.row > 0 ? kSide : 0)],
               north = places[number + (knot.row < kSide - 1 ? kSide : 0)];
  const float3 across = apart(east, west), along = apart(north, south);
  const float3 up =
      make_float3(across.y * along.z - across.z * along.y, across.z * along.x - across.x * along.z,
                  across.x * along.y - across.y * along.x);
  const float shrink = rsqrtf(fmaxf(product(up, up), 1e-12F));
  normals[number] = make_float4(shrink * up.x, shrink * up.y, shrink * up.z, 0);
}

// Of each tile, by its block.
__global__ void __launch_bounds__(kThreads)
    sum_stretch(float* __restrict__ stretch, const float4* __restrict__ places) {
  __shared__ float warps[kWarps];
  const Knot knot = own_knot();
  const int number = knot.number();
  const float4 own = places[number];
  const float3 across = apart(places[number + (knot.column < kSide - 1 ? 1 : 0)], own);
  const float3 along = apart(places[number + (knot.row < kSide - 1 ? kSide : 0)], own);
  float sum = sqrtf(product(across, across)) + sqrtf(product(along, along));
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) sum += warps[i];
  stretch[blockIdx.y * kTilesWide + blockIdx.x] = sum / kThreads;
}

// Two corners are held.
__global__ void __launch_bounds__(kThreads) spread_out(Cloth cloth) {
  const Knot knot = own_knot();
  const int number = knot.number();
  const bool held = knot.row == 0 && (knot.column == 0 || knot.column == kSide - 1);
  const float bump = 0.02F * mixed_fraction(static_cast<unsigned>(number));
  cloth.places[number] =
      make_float4(static_cast<float>(knot.column), static_cast<float>(knot.row), bump, held ? 0.0F : 1.0F);
  cloth.speeds[number] = make_float4(0, 0, 0, 0);
}

struct Scene {
  Cloth now, next;
  float4* normals;
  float* stretch;
  int step;
};

void take_step(Scene& scene) {
  const dim3 tiles(kTilesWide, kSide / kTileHigh);
  move_knots<<<tiles, kThreads>>>(scene.next, scene.now.places, scene.now.speeds);
  std::swap(scene.now, scene.next);
  if (++scene.step % kNormalsEvery == 0) make_normals<<<tiles, kThreads>>>(scene.normals, scene.now.places);
  if (scene.step % kSumEvery == 0) sum_stretch<<<tiles, kThreads>>>(scene.stretch, scene.now.places);
}

Case make() {
  const auto scene = std::make_shared<Scene>();
  *scene = {{device_array<float4>(kKnots), device_array<float4>(kKnots)},
            {device_array<float4>(kKnots), device_array<float4>(kKnots)},
            device_array<float4>(kKnots),
            device_array<float>(kTiles),
            0};
  spread_out<<<dim3(kTilesWide, kSide / kTileHigh), kThreads>>>(scene->now);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*scene); },
          [=] {
            constexpr std::size_t kFloats = 4 * std::size_t{kKnots};
            return device_sum(scene->stretch, kTiles) +
                   1e-3 * device_sum(reinterpret_cast<const float*>(scene->normals), kFloats);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
