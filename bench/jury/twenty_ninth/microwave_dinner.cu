// A dinner in a microwave oven: Maxwell's equations in the oven (Yee's grid, finite differences in time),
// walls of metal, a magnetron at one side, and food that gets warm where the field is strong. Twelve steps a
// round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 256, kDeep = 256, kHigh = 192, kQuads = kWide / 4, kPlane = kQuads * kDeep;
constexpr int kCells = kWide * kDeep * kHigh, kCellQuads = kCells / 4, kRows = 4, kThreads = kQuads * kRows;
constexpr int kStepsOfRound = 12, kRounds = 460;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kCourant = 0.5F, kAirLoss = 2e-4F, kWarmest = 90;

struct Field {
  float4 *x, *y, *z;
};

struct Oven {
  Field electric, magnetic;
  float4 *keep, *push;  // what matter leaves of a field, and how strongly a curl moves it
  float4* warmth;
  cudaStream_t stream;
  int step = 0;
};

struct Place {
  int quad, y, z, i;
};

__device__ Place own_place() {
  const auto quad = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x * kRows + threadIdx.y);
  const auto z = static_cast<int>(blockIdx.y);
  return {quad, y, z, z * kPlane + y * kQuads + quad};
}

// The four values one place further, or one place before; two warps have a row. Walls are zero.
__device__ float4 further(const float4* __restrict__ field, const Place& at, float4 own) {
  float last = __shfl_down_sync(kMask, own.x, 1);
  if (at.quad % 32 == 31) last = at.quad + 1 < kQuads ? field[at.i + 1].x : 0;
  return make_float4(own.y, own.z, own.w, last);
}

__device__ float4 before(const float4* __restrict__ field, const Place& at, float4 own) {
  float first = __shfl_up_sync(kMask, own.w, 1);
  if (at.quad % 32 == 0) first = at.quad > 0 ? field[at.i - 1].w : 0;
  return make_float4(first, own.x, own.y, own.z);
}

__device__ float4 zero() {
  return make_float4(0, 0, 0, 0);
}

// field += much * ((a - b) - (c - d))
__device__ float4 moved(float4 field, float much, float4 a, float4 b, float4 c, float4 d) {
  return make_float4(
      field.x + much * ((a.x - b.x) - (c.x - d.x)), field.y + much * ((a.y - b.y) - (c.y - d.y)),
      field.z + much * ((a.z - b.z) - (c.z - d.z)), field.w + much * ((a.w - b.w) - (c.w - d.w)));
}

// field = keep * field + push * ((a - b) - (c - d))
__device__ float4 driven(float4 field, float4 keep, float4 push, float4 a, float4 b, float4 c, float4 d) {
  return make_float4(keep.x * field.x + push.x * ((a.x - b.x) - (c.x - d.x)),
                     keep.y * field.y + push.y * ((a.y - b.y) - (c.y - d.y)),
                     keep.z * field.z + push.z * ((a.z - b.z) - (c.z - d.z)),
                     keep.w * field.w + push.w * ((a.w - b.w) - (c.w - d.w)));
}

__global__ void __launch_bounds__(kThreads)
    step_magnetic(Field magnetic, const float4* __restrict__ ex, const float4* __restrict__ ey,
                  const float4* __restrict__ ez) {
  const Place at = own_place();
  const bool inner_y = at.y + 1 < kDeep, inner_z = at.z + 1 < kHigh;
  const float4 x = ex[at.i], y = ey[at.i], z = ez[at.i];
  const float4 x_behind = inner_y ? ex[at.i + kQuads] : zero(),
               z_behind = inner_y ? ez[at.i + kQuads] : zero();
  const float4 x_above = inner_z ? ex[at.i + kPlane] : zero(), y_above = inner_z ? ey[at.i + kPlane] : zero();
  const float4 y_right = further(ey, at, y), z_right = further(ez, at, z);
  magnetic.x[at.i] = moved(magnetic.x[at.i], kCourant, y_above, y, z_behind, z);
  magnetic.y[at.i] = moved(magnetic.y[at.i], kCourant, z_right, z, x_above, x);
  magnetic.z[at.i] = moved(magnetic.z[at.i], kCourant, x_behind, x, y_right, y);
}

// Along a wall of metal there is no electric field.
__global__ void __launch_bounds__(kThreads)
    step_electric(Field electric, const float4* __restrict__ hx, const float4* __restrict__ hy,
                  const float4* __restrict__ hz, const float4* __restrict__ keep,
                  const float4* __restrict__ push, float magnetron) {
  const Place at = own_place();
  const bool inner_y = at.y > 0, inner_z = at.z > 0;
  const float4 x = hx[at.i], y = hy[at.i], z = hz[at.i], kept = keep[at.i], pushed = push[at.i];
  const float4 x_front = inner_y ? hx[at.i - kQuads] : zero(), z_front = inner_y ? hz[at.i - kQuads] : zero();
  const float4 x_below = inner_z ? hx[at.i - kPlane] : zero(), y_below = inner_z ? hy[at.i - kPlane] : zero();
  const float4 y_left = before(hy, at, y), z_left = before(hz, at, z);
  const float4 ex = driven(electric.x[at.i], kept, pushed, z, z_front, y, y_below);
  float4 ey = driven(electric.y[at.i], kept, pushed, x, x_below, z, z_left);
  float4 ez = driven(electric.z[at.i], kept, pushed, y, y_left, x, x_front);
  if (at.quad == 0) ey.x = ez.x = 0;
  if (at.quad == 1 && at.y >= 96 && at.y < 160 && at.z >= 112 && at.z < 144) ey.x += magnetron;
  electric.x[at.i] = inner_y && inner_z ? ex : zero();
  electric.y[at.i] = inner_z ? ey : zero();
  electric.z[at.i] = inner_y ? ez : zero();
}

__device__ float warmer(float warmth, float keep, float x, float y, float z) {
  if (keep >= 0.99F) return warmth;
  const float heat = fminf(40 * (1 - keep) * (x * x + y * y + z * z), 10);
  return warmth + heat * (1 - warmth / kWarmest) - 1e-3F * warmth;
}

__device__ bool has_food(float4 keep) {
  return fminf(fminf(keep.x, keep.y), fminf(keep.z, keep.w)) < 0.99F;
}

// Most of the oven is air, which stays as it is.
__global__ void __launch_bounds__(kThreads)
    warm_food(float4* __restrict__ warmth, const float4* __restrict__ keep, const float4* __restrict__ ex,
              const float4* __restrict__ ey, const float4* __restrict__ ez) {
  const int i = own_place().i;
  const float4 kept = keep[i];
  if (!has_food(kept)) return;
  const float4 x = ex[i], y = ey[i], z = ez[i], own = warmth[i];
  warmth[i] = make_float4(warmer(own.x, kept.x, x.x, y.x, z.x), warmer(own.y, kept.y, x.y, y.y, z.y),
                          warmer(own.z, kept.z, x.z, y.z, z.z), warmer(own.w, kept.w, x.w, y.w, z.w));
}

// A plate with a roast, potatoes, and a glass of water.
__device__ float2 matter_at(float x, float y, float z) {
  const float dx = x - 128, dy = y - 128, from_axis = sqrtf(dx * dx + dy * dy);
  if (z > 28 && z <= 34 && from_axis < 84) return make_float2(4, kAirLoss);
  const float roast = dx * dx / 2500 + (dy - 20) * (dy - 20) / 900 + (z - 52) * (z - 52) / 330;
  if (roast < 1) return make_float2(9, 0.03F);
  const float row = fabsf(fmodf(dx + 120, 24) - 12),
              potato = row * row + (dy + 40) * (dy + 40) + (z - 45) * (z - 45);
  if (fabsf(dx) < 48 && potato < 110) return make_float2(7, 0.02F);
  const float glass = (dx - 62) * (dx - 62) + (dy + 2) * (dy + 2);
  if (z > 34 && z < 90 && glass < 150) return make_float2(16, 0.04F);
  return make_float2(1, kAirLoss);
}

__global__ void __launch_bounds__(kThreads) lay_table(float* keep, float* push) {
  const int first = 4 * own_place().i;
  for (int i = first; i < first + 4; ++i) {
    const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide % kDeep);
    const float2 matter = matter_at(x, y, static_cast<float>(i / (kWide * kDeep)));
    keep[i] = (1 - matter.y) / (1 + matter.y);
    push[i] = kCourant / matter.x / (1 + matter.y);
  }
}

dim3 all_places() {
  return dim3(kDeep / kRows, kHigh);
}

// The magnetron works in turns, as in most ovens.
float magnetron_at(int step) {
  const auto time = static_cast<float>(step % 100000);
  return 0.5F * std::sin(0.21F * time) * (0.6F + 0.4F * std::sin(0.004F * time));
}

void cook(Oven& oven) {
  const dim3 blocks = all_places(), threads(kQuads, kRows);
  const Field &electric = oven.electric, &magnetic = oven.magnetic;
  for (int i = 0; i < kStepsOfRound; ++i) {
    step_magnetic<<<blocks, threads, 0, oven.stream>>>(magnetic, electric.x, electric.y, electric.z);
    step_electric<<<blocks, threads, 0, oven.stream>>>(electric, magnetic.x, magnetic.y, magnetic.z,
                                                       oven.keep, oven.push, magnetron_at(oven.step++));
  }
  warm_food<<<blocks, threads, 0, oven.stream>>>(oven.warmth, oven.keep, electric.x, electric.y, electric.z);
}

float4* empty_map() {
  float4* map = device_array<float4>(kCellQuads);
  CHECK(cudaMemset(map, 0, kCellQuads * sizeof(float4)));
  return map;
}

Case make() {
  const auto oven = std::make_shared<Oven>();
  for (Field* field : {&oven->electric, &oven->magnetic}) *field = {empty_map(), empty_map(), empty_map()};
  oven->warmth = empty_map();
  oven->keep = device_array<float4>(kCellQuads);
  oven->push = device_array<float4>(kCellQuads);
  lay_table<<<all_places(), dim3(kQuads, kRows)>>>(reinterpret_cast<float*>(oven->keep),
                                                   reinterpret_cast<float*>(oven->push));
  CHECK(cudaStreamCreateWithFlags(&oven->stream, cudaStreamNonBlocking));
  const auto round = [=] { cook(*oven); };
  const auto sum = [=] {
    constexpr std::size_t kShelf = 28 * kWide * kDeep, kLayers = 64 * kWide * kDeep;
    return device_sum(reinterpret_cast<const float*>(oven->warmth) + kShelf, kLayers);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
