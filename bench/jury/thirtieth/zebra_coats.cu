// Coats of zebras: stripes that two substances make by reaction and diffusion (Gray and Scott), led by a
// hormone that comes in waves; pigment is laid down where the second one is dense. A round is a day of 256
// steps.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 1536, kSkin = kSide * kSide, kShrink = 4, kCoarse = kSide / kShrink;
constexpr int kHormones = kCoarse * kCoarse, kTileWide = 32, kTileHigh = 8;
constexpr int kThreads = kTileWide * kTileHigh, kParts = 264;
constexpr int kStepsOfRound = 256, kHormoneSteps = 4, kPigmentSteps = 16, kRounds = 400;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kSpreadOne = 1, kSpreadTwo = 0.5F;

struct Coat {
  float2 *skin, *next_skin;
  float *hormone, *next_hormone, *pigment, *parts, *history;
  cudaStream_t stream;
  int step = 0, day = 0;
};

struct Place {
  int x, y;
};

__device__ Place own_place() {
  return {static_cast<int>(blockIdx.x) * kTileWide + static_cast<int>(threadIdx.x),
          static_cast<int>(blockIdx.y) * kTileHigh + static_cast<int>(threadIdx.y)};
}

// The skin goes around in both directions.
template <int kAround>
__device__ int before(int place) {
  return place > 0 ? place - 1 : kAround - 1;
}

template <int kAround>
__device__ int after(int place) {
  return place + 1 < kAround ? place + 1 : 0;
}

// Nine points; neighbours at the sides count four times as much as those at the corners.
__device__ float2 spread_at(const float2* __restrict__ skin, int x, int y, float2 own) {
  const int left = before<kSide>(x), right = after<kSide>(x);
  const float2* above = skin + before<kSide>(y) * kSide;
  const float2* same = skin + y * kSide;
  const float2* below = skin + after<kSide>(y) * kSide;
  const float2 up = above[x], down = below[x], west = same[left], east = same[right];
  const float2 one = above[left], two = above[right], three = below[left], four = below[right];
  const float sides = up.x + down.x + west.x + east.x, corners = one.x + two.x + three.x + four.x;
  const float other_sides = up.y + down.y + west.y + east.y, other_corners = one.y + two.y + three.y + four.y;
  return make_float2(0.2F * sides + 0.05F * corners - own.x,
                     0.2F * other_sides + 0.05F * other_corners - own.y);
}

// Both substances of a point go one step on.
__global__ void __launch_bounds__(kThreads)
    react(float2* __restrict__ next, const float2* __restrict__ skin, const float* __restrict__ hormone) {
  const Place at = own_place();
  const int i = at.y * kSide + at.x;
  const float2 own = skin[i], spread = spread_at(skin, at.x, at.y, own);
  const float led = hormone[at.y / kShrink * kCoarse + at.x / kShrink];
  const float feed = 0.030F + 0.016F * led, kill = 0.0585F + 0.0035F * led;
  const float turned = own.x * own.y * own.y;
  next[i] = make_float2(own.x + kSpreadOne * spread.x - turned + feed * (1 - own.x),
                        own.y + kSpreadTwo * spread.y + turned - (feed + kill) * own.y);
}

// Glands along the back let the hormone out in turns.
__global__ void __launch_bounds__(kThreads)
    secrete(float* __restrict__ next, const float* __restrict__ hormone, float time) {
  const Place at = own_place();
  const int row = at.y * kCoarse, i = row + at.x;
  const float own = hormone[i];
  const float around = hormone[row + before<kCoarse>(at.x)] + hormone[row + after<kCoarse>(at.x)] +
                       hormone[before<kCoarse>(at.y) * kCoarse + at.x] +
                       hormone[after<kCoarse>(at.y) * kCoarse + at.x];
  const float along = 6.2831853F * static_cast<float>(at.x) / kCoarse;
  const float across = 6.2831853F * static_cast<float>(at.y) / kCoarse;
  const float waves = __sinf(3 * along + time) * __cosf(2 * across - 0.6F * time);
  const float gland = 0.5F + 0.35F * waves + 0.15F * __sinf(0.37F * time);
  next[i] = own + 0.22F * (around - 4 * own) + 0.01F * (gland - own);
}

// Cells lay pigment down, and lose it slowly. A block tells how much its cells have.
__global__ void __launch_bounds__(kThreads)
    colour(float* __restrict__ pigment, float* __restrict__ parts, const float2* __restrict__ skin) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x) * kThreads + thread; i < kSkin; i += kParts * kThreads) {
    const float dense = skin[i].y, own = pigment[i];
    const float laid = 0.97F * own + 0.03F * __saturatef(5 * (dense - 0.12F));
    pigment[i] = laid;
    sum += laid;
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  sum = 0;
#pragma unroll
  for (float warp : warps) sum += warp;
  parts[blockIdx.x] = sum;
}

// How dark the coat is, day by day.
__global__ void __launch_bounds__(kThreads) note(float* history, const float* __restrict__ parts, int day) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int i = thread; i < kParts; i += kThreads) sum += parts[i];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  sum = 0;
  for (float warp : warps) sum += warp;
  history[day] = sum / kSkin;
}

__global__ void __launch_bounds__(kThreads) begin(float2* skin, float* pigment) {
  const Place at = own_place();
  const int i = at.y * kSide + at.x;
  const auto patch = static_cast<unsigned>(at.y / 12 * 4096 + at.x / 12);
  const bool seeded = mixed_fraction(patch) < 0.15F;
  const float grain = 0.02F * mixed_fraction(static_cast<unsigned>(i) + 99);
  skin[i] = seeded ? make_float2(0.5F + grain, 0.25F + grain) : make_float2(1 - grain, grain);
  pigment[i] = 0;
}

// What comes after each launch.
struct Careful {
  static void launched() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());  // fault
  }
};

struct Ahead {
  static void launched() { CHECK(cudaGetLastError()); }
};

template <class Launch>
void next_step(Coat& own) {
  const dim3 tile(kTileWide, kTileHigh);
  if (own.step % kHormoneSteps == 0) {
    const float time = 0.01F * static_cast<float>(own.step / kHormoneSteps % 6283);
    secrete<<<dim3(kCoarse / kTileWide, kCoarse / kTileHigh), tile, 0, own.stream>>>(own.next_hormone,
                                                                                     own.hormone, time);
    Launch::launched();  // fault
    std::swap(own.hormone, own.next_hormone);
  }
  react<<<dim3(kSide / kTileWide, kSide / kTileHigh), tile, 0, own.stream>>>(own.next_skin, own.skin,
                                                                             own.hormone);
  Launch::launched();  // fault
  std::swap(own.skin, own.next_skin);
  ++own.step;
  if (own.step % kPigmentSteps != 0) return;
  colour<<<kParts, kThreads, 0, own.stream>>>(own.pigment, own.parts, own.skin);
  Launch::launched();  // fault
}

template <class Launch>
void next_day(Coat& own) {
  for (int i = 0; i < kStepsOfRound; ++i) next_step<Launch>(own);  // fault
  note<<<1, kThreads, 0, own.stream>>>(own.history, own.parts, own.day);
  Launch::launched();  // fault
  ++own.day;
}

template <class Launch>
Case make() {
  const auto coat = std::make_shared<Coat>();
  coat->skin = device_array<float2>(kSkin);
  coat->next_skin = device_array<float2>(kSkin);
  for (float** table : {&coat->hormone, &coat->next_hormone}) *table = device_array<float>(kHormones);
  coat->pigment = device_array<float>(kSkin);
  coat->parts = device_array<float>(kParts);
  coat->history = device_array<float>(kRounds);
  begin<<<dim3(kSide / kTileWide, kSide / kTileHigh), dim3(kTileWide, kTileHigh)>>>(coat->skin,
                                                                                    coat->pigment);
  fill_fractions(coat->hormone, kHormones, 17);
  CHECK(cudaMemset(coat->history, 0, kRounds * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&coat->stream, cudaStreamNonBlocking));
  const auto round = [=] { next_day<Launch>(*coat); };
  const auto sum = [=] {
    return device_sum(coat->history, kRounds) + device_sum(coat->pigment, kSkin) / kSkin;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Careful>, make<Ahead>);
}
