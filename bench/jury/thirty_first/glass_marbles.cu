// A bowl of glass marbles: forty-eight of them roll and bump into each other, paths of light are followed
// through glass and off the floor, and a frame is smoothed, blended with the one before, and exposed. Eight
// frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kMarbles = 48, kWide = 1280, kHigh = 720, kPixels = kWide * kHigh, kPaths = 4, kBounces = 6;
constexpr int kTileWide = 32, kTileHigh = 8, kThreads = kTileWide * kTileHigh, kReach = 2;
constexpr int kPitch = kTileWide + 2 * kReach, kDeep = kTileHigh + 2 * kReach;
constexpr int kTilesWide = kWide / kTileWide, kTilesHigh = kHigh / kTileHigh,
              kParts = kTilesWide * kTilesHigh;
constexpr int kFramesOfRound = 8, kRounds = 360;
constexpr unsigned kMask = 0xffffffffU, kGolden = 2654435761U;
constexpr float kFar = 1e9F;

struct Table {
  float4 *marbles, *speeds;  // place and radius; way and colour
  float4 *light, *shown;     // light and how far what is seen there is
  uchar4* picture;
  float *parts, *exposure;
  cudaStream_t stream;
  unsigned frame = 0;
};

__device__ float3 operator+(float3 one, float3 other) {
  return make_float3(one.x + other.x, one.y + other.y, one.z + other.z);
}
__device__ float3 operator-(float3 one, float3 other) {
  return make_float3(one.x - other.x, one.y - other.y, one.z - other.z);
}
__device__ float3 operator*(float much, float3 one) {
  return make_float3(much * one.x, much * one.y, much * one.z);
}
__device__ float3 operator*(float3 one, float3 other) {
  return make_float3(one.x * other.x, one.y * other.y, one.z * other.z);
}
__device__ float dot(float3 one, float3 other) {
  return one.x * other.x + one.y * other.y + one.z * other.z;
}
__device__ float3 unit(float3 one) {
  return rsqrtf(fmaxf(dot(one, one), 1e-12F)) * one;
}
__device__ float3 place_of(float4 four) {
  return make_float3(four.x, four.y, four.z);
}

__device__ float chance_of(unsigned& seed) {
  seed = seed * 1664525U + 1013904223U;
  return static_cast<float>(mixed_bits(seed) >> 8) / static_cast<float>(1U << 24);
}

__device__ float3 colour_of(float hue) {
  return make_float3(0.65F + 0.35F * __cosf(hue), 0.65F + 0.35F * __cosf(hue + 2.1F),
                     0.65F + 0.35F * __cosf(hue + 4.2F));
}

// A lamp above, and a room that is brighter at one side.
__device__ float3 room_at(float3 way) {
  const float lamp = way.y > 0.9F ? 6.0F : 0.0F, sky = 0.5F + 0.3F * way.x;
  return make_float3(lamp + sky, lamp + sky, 0.9F * lamp + 1.1F * sky);
}

struct Hit {
  float far;
  int marble;  // -1: the floor
};

__device__ Hit nearest_hit(const float4* marbles, float3 from, float3 way) {
  Hit hit = {way.y < -1e-4F ? -from.y / way.y : kFar, -1};
  if (hit.far < 1e-3F) hit.far = kFar;
#pragma unroll 4
  for (int i = 0; i < kMarbles; ++i) {
    const float4 marble = marbles[i];
    const float3 away = from - place_of(marble);
    const float half = dot(away, way), root = half * half - dot(away, away) + marble.w * marble.w;
    if (root <= 0) continue;
    const float wide = sqrtf(root), near = -half - wide > 1e-3F ? -half - wide : -half + wide;
    if (near > 1e-3F && near < hit.far) hit = {near, i};
  }
  return hit;
}

// Glass turns a ray or throws it back, by chance (Schlick).
__device__ float3 through_glass(float3 way, float3 normal, unsigned& seed) {
  const bool inside = dot(way, normal) > 0;
  const float3 facing = inside ? -1 * normal : normal;
  const float ratio = inside ? 1.5F : 1 / 1.5F, cosine = fminf(-dot(way, facing), 1);
  const float left = 1 - ratio * ratio * (1 - cosine * cosine), grazing = 1 - cosine;
  const float back = 0.04F + 0.96F * grazing * grazing * grazing * grazing * grazing;
  if (left < 0 || chance_of(seed) < back) return unit(way + 2 * cosine * facing);
  return unit(ratio * way + (ratio * cosine - sqrtf(left)) * facing);
}

__device__ float3 off_floor(unsigned& seed) {
  const float square = chance_of(seed), around = 6.2831853F * chance_of(seed), flat = sqrtf(square);
  float sine = 0, cosine = 0;
  __sincosf(around, &sine, &cosine);
  return make_float3(flat * cosine, sqrtf(fmaxf(1 - square, 0)), flat * sine);
}

// The light that comes along one path; `far` is set to where it begins.
__device__ float3 follow(const float4* marbles, const float4* tints, float3 from, float3 way, unsigned& seed,
                         float& far) {
  float3 share = make_float3(1, 1, 1);
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    const Hit hit = nearest_hit(marbles, from, way);
    if (bounce == 0) far = fminf(hit.far, 100);
    if (hit.far >= kFar) return share * room_at(way);
    from = from + hit.far * way;
    if (hit.marble < 0) {
      const bool dark = ((__float2int_rd(from.x) + __float2int_rd(from.z)) & 1) != 0;
      share = (dark ? 0.35F : 0.75F) * share;
      way = off_floor(seed);
    } else {
      const float4 marble = marbles[hit.marble];
      share = share * place_of(tints[hit.marble]);
      way = through_glass(way, 1 / marble.w * (from - place_of(marble)), seed);
    }
    if (bounce < 2) continue;
    const float keep = fminf(fmaxf(share.x, fmaxf(share.y, share.z)), 0.95F);
    if (chance_of(seed) >= keep) break;
    share = 1 / keep * share;
  }
  return make_float3(0, 0, 0);
}

// A thread follows four paths of a pixel. The marbles wait in shared memory.
__global__ void __launch_bounds__(kThreads)
    trace(float4* __restrict__ light, const float4* __restrict__ marbles, const float4* __restrict__ speeds,
          unsigned frame) {
  __shared__ float4 own[kMarbles], tints[kMarbles];
  const auto thread = static_cast<int>(threadIdx.y * kTileWide + threadIdx.x);
  if (thread < kMarbles) {
    const float3 tint = colour_of(speeds[thread].w);
    own[thread] = marbles[thread];
    tints[thread] = make_float4(tint.x, tint.y, tint.z, 0);
  }
  __syncthreads();
  const unsigned x = blockIdx.x * kTileWide + threadIdx.x, y = blockIdx.y * kTileHigh + threadIdx.y;
  unsigned seed = mixed_bits(y * kWide + x ^ frame * kGolden);
  const float turn = 0.004F * static_cast<float>(frame);
  const float3 eye = make_float3(9 * __sinf(turn), 5, 9 * __cosf(turn));
  const float3 ahead = unit(make_float3(0, 0.8F, 0) - eye), right = unit(make_float3(-ahead.z, 0, ahead.x));
  const float3 up = make_float3(right.y * ahead.z - right.z * ahead.y, right.z * ahead.x - right.x * ahead.z,
                                right.x * ahead.y - right.y * ahead.x);
  float3 sum = make_float3(0, 0, 0);
  float far = 0;
  for (int path = 0; path < kPaths; ++path) {
    const float across = (static_cast<float>(x) + chance_of(seed) - kWide / 2) / kHigh;
    const float down = (static_cast<float>(y) + chance_of(seed) - kHigh / 2) / kHigh;
    sum = sum + follow(own, tints, eye, unit(ahead + across * right - down * up), seed, far);
  }
  light[y * kWide + x] = make_float4(sum.x / kPaths, sum.y / kPaths, sum.z / kPaths, far);
}

__device__ unsigned char shown_byte(float much) {
  return static_cast<unsigned char>(255.0F * sqrtf(__saturatef(much / (1 + much))));
}

// Neighbours count where what they see is as far away. A block tells how bright its tile is.
__global__ void __launch_bounds__(kThreads)
    develop(uchar4* __restrict__ picture, float4* __restrict__ shown, float* __restrict__ parts,
            const float4* __restrict__ light, const float* __restrict__ exposure) {
  __shared__ float4 tile[kDeep][kPitch];
  __shared__ float warps[kTileHigh];
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  for (int i = y * kTileWide + x; i < kDeep * kPitch; i += kThreads) {
    const int column = min(max(left + i % kPitch - kReach, 0), kWide - 1);
    const int row = min(max(top + i / kPitch - kReach, 0), kHigh - 1);
    tile[i / kPitch][i % kPitch] = light[row * kWide + column];
  }
  __syncthreads();
  const float far = tile[y + kReach][x + kReach].w;
  float3 sum = make_float3(0, 0, 0);
  float weights = 0;
#pragma unroll
  for (int row = 0; row <= 2 * kReach; ++row)
#pragma unroll
    for (int column = 0; column <= 2 * kReach; ++column) {
      const float4 other = tile[y + row][x + column];
      const float near = (row - kReach) * (row - kReach) + (column - kReach) * (column - kReach);
      const float weight = __expf(-0.3F * near - 4 * fabsf(other.w - far));
      sum = sum + weight * place_of(other);
      weights += weight;
    }
  const int i = (top + y) * kWide + left + x;
  const float3 last = place_of(shown[i]), now = last + 0.25F * (__fdividef(1, weights) * sum - last);
  shown[i] = make_float4(now.x, now.y, now.z, far);
  const float much = *exposure;
  picture[i] = make_uchar4(shown_byte(much * now.x), shown_byte(much * now.y), shown_byte(much * now.z), 255);
  float bright = 0.3F * now.x + 0.6F * now.y + 0.1F * now.z;
  for (int away = 16; away > 0; away /= 2) bright += __shfl_xor_sync(kMask, bright, away);
  if (x == 0) warps[y] = bright;
  __syncthreads();
  if (x != 0 || y != 0) return;
  bright = 0;
#pragma unroll
  for (const float warp : warps) bright += warp;
  parts[blockIdx.y * kTilesWide + blockIdx.x] = bright / kPixels;
}

// Marbles roll towards the middle of the bowl, and push each other.
__device__ void roll(float4* marbles, float4* speeds, float4* places, int i, unsigned frame) {
  float4 own = marbles[i], speed = speeds[i];
  float3 push = make_float3(-0.6F * own.x, 0, -0.6F * own.z);
  for (int other = 0; other < kMarbles; ++other) {
    const float3 away = place_of(own) - place_of(places[other]);
    const float square = dot(away, away), reach = own.w + places[other].w;
    if (other != i && square < reach * reach && square > 0)
      push = push + 40 * (reach * rsqrtf(square) - 1) * away;
  }
  const float swirl = 0.8F * __sinf(0.01F * static_cast<float>(frame)), lost = 0.985F, step = 0.02F;
  speed.x = lost * speed.x + step * (push.x - swirl * own.z);
  speed.z = lost * speed.z + step * (push.z + swirl * own.x);
  own.x = fminf(fmaxf(own.x + step * speed.x, -8), 8);
  own.z = fminf(fmaxf(own.z + step * speed.z, -8), 8);
  marbles[i] = own;
  speeds[i] = speed;
}

// What follows from a frame: how the next one is exposed, and where marbles are.
__global__ void __launch_bounds__(kThreads) prepare(float4* marbles, float4* speeds, float* exposure,
                                                    const float* __restrict__ parts, unsigned frame) {
  __shared__ float4 places[kMarbles];
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kMarbles) places[thread] = marbles[thread];
  float sum = 0;
  for (int i = thread; i < kParts; i += kThreads) sum += parts[i];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(kMask, sum, away);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread < kMarbles) roll(marbles, speeds, places, thread, frame);
  if (thread != kThreads - 1) return;
  sum = 0;
#pragma unroll
  for (const float warp : warps) sum += warp;
  *exposure = fminf(fmaxf(*exposure * (1 + 0.1F * (0.7F - sum * *exposure)), 0.1F), 10);
}

__global__ void __launch_bounds__(kThreads) lay_out(float4* marbles, float4* speeds) {
  const unsigned i = threadIdx.x;
  if (i >= kMarbles) return;
  const float radius = 0.3F + 0.4F * mixed_fraction(i + 5), around = 2.4F * static_cast<float>(i);
  const float far = 0.6F * sqrtf(static_cast<float>(i) + 0.5F);
  marbles[i] = make_float4(far * __cosf(around), radius, far * __sinf(around), radius);
  speeds[i] = make_float4(mixed_fraction(i + 100) - 0.5F, 0, mixed_fraction(i + 200) - 0.5F, around);
}

void next_frame(Table& table) {
  const unsigned frame = table.frame++;
  const dim3 tiles(kTilesWide, kTilesHigh), tile(kTileWide, kTileHigh);
  trace<<<tiles, tile, 0, table.stream>>>(table.light, table.marbles, table.speeds, frame);
  develop<<<tiles, tile, 0, table.stream>>>(table.picture, table.shown, table.parts, table.light,
                                            table.exposure);
  prepare<<<1, kThreads, 0, table.stream>>>(table.marbles, table.speeds, table.exposure, table.parts, frame);
}

Case make() {
  const auto table = std::make_shared<Table>();
  table->marbles = device_array<float4>(kMarbles);
  table->speeds = device_array<float4>(kMarbles);
  table->light = device_array<float4>(kPixels);
  table->shown = device_array<float4>(kPixels);
  table->picture = device_array<uchar4>(kPixels);
  table->parts = device_array<float>(kParts);
  table->exposure = device_array<float>(1);
  lay_out<<<1, kThreads>>>(table->marbles, table->speeds);
  CHECK(cudaMemset(table->shown, 0, kPixels * sizeof(float4)));
  const float one = 1;
  CHECK(cudaMemcpy(table->exposure, &one, sizeof one, cudaMemcpyHostToDevice));
  CHECK(cudaStreamCreateWithFlags(&table->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame(*table);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const unsigned char*>(table->picture), kPixels * sizeof(uchar4)) +
           1e6 * device_sum(table->exposure, 1);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, make);
}
