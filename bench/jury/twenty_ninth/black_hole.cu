// A film of a black hole: rays of light are followed through curved space (Runge-Kutta), through a disc of
// glowing gas, to the stars behind; then glare, exposure as an eye would have it, and frames for the encoder.
// Two a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 2560, kHigh = 1440, kPixels = kWide * kHigh, kThreads = 256, kTile = 16;
constexpr int kShrink = 4, kSmallWide = kWide / kShrink, kSmallHigh = kHigh / kShrink;
constexpr int kSmall = kSmallWide * kSmallHigh, kBlocksWide = kWide / kThreads,
              kMeters = kBlocksWide * kSmallHigh;
constexpr int kReach = 12, kTaps = 2 * kReach + 1;
constexpr int kSteps = 400, kSlots = 3, kFramesOfRound = 2, kRounds = 300;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kInner = 3, kOuter = 11, kFar = 26, kPi = 3.1415927F;

__constant__ float bell[kTaps];

struct Camera {
  float3 eye, right, up, ahead;
  float moment;
};

struct Slot {
  uchar4 *made, *host;
  cudaEvent_t worked, done;
};

struct Film {
  Slot slots[kSlots];
  float4 *lights, *small, *blurred;
  float *meters, *exposure;
  cudaStream_t work, copies;
  double shown = 0;
  int frame = 0;
};

__host__ __device__ float3 operator+(float3 one, float3 other) {
  return make_float3(one.x + other.x, one.y + other.y, one.z + other.z);
}

__host__ __device__ float3 operator*(float much, float3 way) {
  return make_float3(much * way.x, much * way.y, much * way.z);
}

__host__ __device__ float dot(float3 one, float3 other) {
  return one.x * other.x + one.y * other.y + one.z * other.z;
}

__host__ __device__ float3 cross(float3 one, float3 other) {
  return make_float3(one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
                     one.x * other.y - one.y * other.x);
}

// How light bends around a mass whose horizon has the radius 1; `spin` is 1.5 times its squared angular
// momentum.
__device__ float3 pull_at(float3 place, float spin) {
  const float inverse = rsqrtf(dot(place, place)), square = inverse * inverse;
  return (-spin * square * square * inverse) * place;
}

struct Ray {
  float3 place, way;

  __device__ void go(float step, float spin) {
    const float3 pull_1 = pull_at(place, spin);
    const float3 way_2 = way + (0.5F * step) * pull_1;
    const float3 pull_2 = pull_at(place + (0.5F * step) * way, spin);
    const float3 way_3 = way + (0.5F * step) * pull_2;
    const float3 pull_3 = pull_at(place + (0.5F * step) * way_2, spin);
    const float3 way_4 = way + step * pull_3;
    const float3 pull_4 = pull_at(place + step * way_3, spin);
    place = place + (step / 6) * (way + 2 * (way_2 + way_3) + way_4);
    way = way + (step / 6) * (pull_1 + 2 * (pull_2 + pull_3) + pull_4);
  }
};

// Smooth chance, from the corners of a cell.
__device__ float noise_at(float x, float y) {
  const float left = floorf(x), low = floorf(y), right = x - left, above = y - low;
  const unsigned cell = static_cast<unsigned>(static_cast<int>(left) * 7919 + static_cast<int>(low) * 104729);
  const float lower = mixed_fraction(cell) * (1 - right) + mixed_fraction(cell + 7919) * right;
  const float upper = mixed_fraction(cell + 104729) * (1 - right) + mixed_fraction(cell + 112648) * right;
  return lower * (1 - above) + upper * above;
}

// Gas that comes nearer is brighter; inner gas is hotter, and goes around faster. The last number: how dense
// it is.
__device__ float4 gas_at(float3 place, float3 way, float moment) {
  const float radius = sqrtf(place.x * place.x + place.z * place.z);
  if (radius < kInner || radius > kOuter) return make_float4(0, 0, 0, 0);
  const float speed = rsqrtf(2 * radius), around = atan2f(place.z, place.x) - moment * speed / radius;
  const float swirl = 0.5F * (1 + __sinf(3 * around + 4 * __logf(radius)));
  const float grain = noise_at(3 * radius, 4 * (1 + __sinf(around)) + 2 * swirl);
  const float toward = (way.x * place.z - way.z * place.x) * rsqrtf(dot(way, way)) / radius;
  const float shift = sqrtf(1 - speed * speed) / (1 + speed * toward), boost = shift * shift * shift;
  const float fade = fminf((radius - kInner) * 2, 1) * (1 - radius / kOuter);
  const float hot = kInner / radius, power = 6 * boost * hot * hot * (0.3F + swirl * grain);
  return make_float4(power, power * (0.35F + 0.4F * hot * shift), power * (0.1F + 0.6F * hot * hot * shift),
                     fminf(1.5F * fade * (0.4F + grain), 1));
}

__device__ float stars_at(float3 way) {
  const float around = atan2f(way.z, way.x) * (180 / kPi), high = way.y * rsqrtf(dot(way, way)) * 60;
  const float column = floorf(around), row = floorf(high);
  const unsigned cell =
      static_cast<unsigned>(static_cast<int>(column) * 7919 + static_cast<int>(row) * 131071);
  const float bright = mixed_fraction(cell);
  const float dx = around - column - mixed_fraction(cell + 3), dy = high - row - mixed_fraction(cell + 5);
  return bright > 0.8F ? 12 * (bright - 0.8F) * __expf(-80 * (dx * dx + dy * dy)) : 0;
}

// A warp has 8 by 4 pixels, as neighbours end alike.
__global__ void __launch_bounds__(kThreads) trace(float4* __restrict__ lights, Camera camera) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * kTile + thread % 8 + thread / 32 % 2 * 8;
  const int y = static_cast<int>(blockIdx.y) * kTile + thread / 8 % 4 + thread / 64 * 4;
  const float across = (static_cast<float>(x) + 0.5F - kWide / 2) / (kHigh / 2);
  const float down = (static_cast<float>(y) + 0.5F - kHigh / 2) / (kHigh / 2);
  const float3 aim = camera.ahead + (0.6F * across) * camera.right + (-0.6F * down) * camera.up;
  Ray ray = {camera.eye, rsqrtf(dot(aim, aim)) * aim};
  const float3 turns = cross(ray.place, ray.way);
  const float spin = 1.5F * dot(turns, turns);
  float4 light = make_float4(0, 0, 0, 0);
  float passes = 1, square = dot(ray.place, ray.place);
  bool swallowed = false;
  for (int step = 0; step < kSteps; ++step) {
    const float3 last = ray.place;
    ray.go(0.06F * sqrtf(square), spin);
    square = dot(ray.place, ray.place);
    if (last.y * ray.place.y < 0) {
      const float part = last.y / (last.y - ray.place.y);
      const float4 gas = gas_at((1 - part) * last + part * ray.place, ray.way, camera.moment);
      light = make_float4(light.x + passes * gas.w * gas.x, light.y + passes * gas.w * gas.y,
                          light.z + passes * gas.w * gas.z, 0);
      passes *= 1 - gas.w;
    }
    swallowed = square < 1.0201F;
    if (swallowed || square > kFar * kFar || passes < 0.01F) break;
  }
  const float stars = swallowed ? 0 : passes * stars_at(ray.way);
  lights[y * kWide + x] = make_float4(light.x + stars, light.y + stars, light.z + stars, 1);
}

// A thread adds up four pixels of a column, and four lanes make one pixel of sixteen. A block measures how
// bright its part of the picture is, as an eye would (logarithms).
__global__ void __launch_bounds__(kThreads)
    shrink(float4* __restrict__ small, float* __restrict__ meters, const float4* __restrict__ lights) {
  __shared__ float warps[kThreads / 32];
  const auto x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int row = 0; row < kShrink; ++row) {
    const float4 own = lights[(y * kShrink + row) * kWide + x];
    sum = make_float4(sum.x + own.x, sum.y + own.y, sum.z + own.z, 0);
  }
  for (int far = 1; far < kShrink; far *= 2)
    sum = make_float4(sum.x + __shfl_xor_sync(kMask, sum.x, far), sum.y + __shfl_xor_sync(kMask, sum.y, far),
                      sum.z + __shfl_xor_sync(kMask, sum.z, far), 0);
  constexpr float kShare = 1.0F / (kShrink * kShrink);
  if (x % kShrink == 0)
    small[y * kSmallWide + x / kShrink] = make_float4(sum.x * kShare, sum.y * kShare, sum.z * kShare, 0);
  float bright = __logf(1e-3F + kShare * (0.3F * sum.x + 0.6F * sum.y + 0.1F * sum.z));
  for (int far = 16; far > 0; far /= 2) bright += __shfl_down_sync(kMask, bright, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = bright;
  __syncthreads();
  if (threadIdx.x != 0) return;
  bright = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) bright += warps[warp];
  meters[y * kBlocksWide + static_cast<int>(blockIdx.x)] = bright;
}

// A bell over 25 pixels of a row or of a column.
template <bool kAcross>
__global__ void __launch_bounds__(kThreads)
    blur(float4* __restrict__ blurred, const float4* __restrict__ small) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kSmallWide, y = i / kSmallWide;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int tap = 0; tap < kTaps; ++tap) {
    const int column = kAcross ? min(max(x + tap - kReach, 0), kSmallWide - 1) : x;
    const int row = kAcross ? y : min(max(y + tap - kReach, 0), kSmallHigh - 1);
    const float4 own = small[row * kSmallWide + column];
    sum = make_float4(sum.x + bell[tap] * own.x, sum.y + bell[tap] * own.y, sum.z + bell[tap] * own.z, 0);
  }
  blurred[i] = sum;
}

// The exposure follows slowly.
__global__ void __launch_bounds__(kThreads) adapt(float* exposure, const float* __restrict__ meters) {
  __shared__ float warps[kThreads / 32];
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kMeters; i += kThreads) sum += meters[i];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum = 0;
  for (float warp : warps) sum += warp;
  *exposure = 0.9F * *exposure + 0.1F * fminf(0.18F * __expf(-sum / kPixels), 20);
}

__device__ unsigned char encoded_of(float light) {
  const float toned = light * (2.51F * light + 0.03F) / (light * (2.43F * light + 0.59F) + 0.14F);
  return static_cast<unsigned char>(255 * __powf(fminf(fmaxf(toned, 1e-6F), 1), 1 / 2.2F));
}

__global__ void __launch_bounds__(kThreads)
    develop(uchar4* __restrict__ made, const float4* __restrict__ lights, const float4* __restrict__ glare,
            const float* __restrict__ exposure) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 own = lights[i], soft = glare[i / kWide / kShrink * kSmallWide + i % kWide / kShrink];
  const float much = *exposure;
  made[i] = make_uchar4(encoded_of(much * (0.85F * own.x + 0.15F * soft.x)),
                        encoded_of(much * (0.85F * own.y + 0.15F * soft.y)),
                        encoded_of(much * (0.85F * own.z + 0.15F * soft.z)), 255);
}

// The camera goes around once in some 1200 frames, and rises and sinks.
Camera camera_at(int frame) {
  const auto time = static_cast<float>(frame);
  const float around = 0.005F * time, high = 0.15F + 0.12F * std::sin(0.011F * time);
  const float3 away =
      make_float3(std::cos(high) * std::cos(around), std::sin(high), std::cos(high) * std::sin(around));
  const float3 right = make_float3(-std::sin(around), 0, std::cos(around)), ahead = -1.0F * away;
  return {18.0F * away, right, cross(ahead, right), ahead, 0.1F * time};
}

// What the encoder takes.
double taken(const Slot& slot) {
  double sum = 0;
  for (int x = 0; x < kWide; ++x)
    sum += slot.host[kHigh / 2 * kWide + x].x + slot.host[kHigh / 3 * kWide + x].z;
  return sum;
}

void next_frame(Film& film) {
  const int frame = film.frame++;
  Slot& slot = film.slots[frame % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (frame >= kSlots) film.shown += taken(slot);
  trace<<<dim3(kWide / kTile, kHigh / kTile), kThreads, 0, film.work>>>(film.lights, camera_at(frame));
  shrink<<<dim3(kBlocksWide, kSmallHigh), kThreads, 0, film.work>>>(film.small, film.meters, film.lights);
  adapt<<<1, kThreads, 0, film.work>>>(film.exposure, film.meters);
  blur<true><<<kSmall / kThreads, kThreads, 0, film.work>>>(film.blurred, film.small);
  blur<false><<<kSmall / kThreads, kThreads, 0, film.work>>>(film.small, film.blurred);
  develop<<<kPixels / kThreads, kThreads, 0, film.work>>>(slot.made, film.lights, film.small, film.exposure);
  CHECK(cudaEventRecord(slot.worked, film.work));
  CHECK(cudaStreamWaitEvent(film.copies, slot.worked, 0));
  CHECK(cudaMemcpyAsync(slot.host, slot.made, kPixels * sizeof(uchar4), cudaMemcpyDeviceToHost, film.copies));
  CHECK(cudaEventRecord(slot.done, film.copies));
}

void upload_bell() {
  float table[kTaps], sum = 0;
  for (int tap = 0; tap < kTaps; ++tap)
    sum += table[tap] = std::exp(-0.02F * static_cast<float>((tap - kReach) * (tap - kReach)));
  for (float& part : table) part /= sum;
  CHECK(cudaMemcpyToSymbol(bell, table, sizeof table));
}

Case make() {
  const auto film = std::make_shared<Film>();
  upload_bell();
  film->lights = device_array<float4>(kPixels);
  film->small = device_array<float4>(kSmall);
  film->blurred = device_array<float4>(kSmall);
  film->meters = device_array<float>(kMeters);
  film->exposure = device_array<float>(1);
  CHECK(cudaMemset(film->exposure, 0, sizeof(float)));
  for (Slot& slot : film->slots) {
    slot.made = device_array<uchar4>(kPixels);
    slot.host = pinned_array<uchar4>(kPixels);
    for (cudaEvent_t* event : {&slot.worked, &slot.done})
      CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  for (cudaStream_t* stream : {&film->work, &film->copies})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame(*film);
  };
  const auto sum = [=] { return film->shown; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
