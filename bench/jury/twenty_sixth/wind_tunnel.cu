// Air around a car in a wind tunnel, by the lattice Boltzmann method with 19 speeds: a fan blows in gusts,
// smoke is carried along, and what the wake does to a slice of the tunnel is kept as a picture. Twelve steps
// a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 256, kHigh = 160, kDeep = 128, kSpeeds = 19, kSteps = 12, kRounds = 800;
constexpr int kCells = kWide * kHigh * kDeep, kPlane = kWide * kHigh, kSmoke = 1 << 17, kThreads = 256;
constexpr float kRelax = 1 / 0.54F, kFan = 3e-6F, kStart = 0.06F, kFade = 0.98F;
constexpr unsigned kInside = 1U << 31;

// Speed 2 i - 1 and speed 2 i are opposite to each other.
template <int kSpeed>
struct Way {
  static constexpr int kX[kSpeeds] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  static constexpr int kY[kSpeeds] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  static constexpr int kZ[kSpeeds] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  static constexpr int kNumber = kSpeed;
  static constexpr int x = kX[kSpeed], y = kY[kSpeed], z = kZ[kSpeed];
  static constexpr int kBack = kSpeed == 0 ? 0 : (kSpeed - 1 ^ 1) + 1;
  static constexpr float kWeight = kSpeed == 0 ? 1 / 3.0F : kSpeed < 7 ? 1 / 18.0F : 1 / 36.0F;
};

template <class Each, int... kSpeed>
__host__ __device__ void for_speeds(Each each, std::integer_sequence<int, kSpeed...>) {
  (each(Way<kSpeed>{}), ...);
}

template <class Each>
__host__ __device__ void for_speeds(Each each) {
  for_speeds(each, std::make_integer_sequence<int, kSpeeds>{});
}

struct Tunnel {
  float *air, *next;  // all cells of the first speed, all of the second one
  unsigned* walls;    // of a cell: from which speeds its neighbours are inside the car
  float4* wind;       // velocity, with the density in w
  float4* smoke;
  float* picture;
  int step = 0;
};

__host__ __device__ int wrapped(int at, int count) {
  return at < 0 ? at + count : at >= count ? at - count : at;
}

template <class Speed>
__device__ float settled(Speed, float density, float x, float y, float z, float rest) {
  const float along = Speed::x * x + Speed::y * y + Speed::z * z;
  return Speed::kWeight * density * (rest + along * (3 + 4.5F * along));
}

// A block has a row along the tunnel. What flows in from the car is what flowed there before.
template <bool kTellWind>
__global__ void __launch_bounds__(kWide)
    flow(float* __restrict__ next, const float* __restrict__ air, const unsigned* __restrict__ walls,
         float4* __restrict__ wind, float fan) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  const int cell = (z * kHigh + y) * kWide + x;
  const unsigned wall = walls[cell];
  float in[kSpeeds];
  for_speeds([&](auto speed) {
    const int from = (wrapped(z - speed.z, kDeep) * kHigh + wrapped(y - speed.y, kHigh)) * kWide +
                     wrapped(x - speed.x, kWide);
    const bool back = wall >> speed.kNumber & 1;
    in[speed.kNumber] = air[back ? speed.kBack * kCells + cell : speed.kNumber * kCells + from];
  });
  float density = 0, along = 0, up = 0, deep = 0;
  for_speeds([&](auto speed) {
    density += in[speed.kNumber];
    along += speed.x * in[speed.kNumber];
    up += speed.y * in[speed.kNumber];
    deep += speed.z * in[speed.kNumber];
  });
  const float inverse = 1 / density;
  along = along * inverse + fan;
  up *= inverse;
  deep *= inverse;
  if (wall & kInside) along = up = deep = 0;
  if (kTellWind) wind[cell] = make_float4(along, up, deep, density);
  const float rest = 1 - 1.5F * (along * along + up * up + deep * deep);
  for_speeds([&](auto speed) {
    const float aim = settled(speed, density, along, up, deep, rest);
    next[speed.kNumber * kCells + cell] = in[speed.kNumber] + kRelax * (aim - in[speed.kNumber]);
  });
}

__device__ float3 blended(float3 one, float4 other, float share) {
  return make_float3(one.x + share * other.x, one.y + share * other.y, one.z + share * other.z);
}

// Smoke goes with the wind between eight cells, and starts anew in front of the car when it has left.
__global__ void __launch_bounds__(kThreads)
    carry_smoke(float4* __restrict__ smoke, const float4* __restrict__ wind, unsigned seed) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 place = smoke[i];
  const int x = static_cast<int>(place.x), y = static_cast<int>(place.y), z = static_cast<int>(place.z);
  const float across = place.x - x, high = place.y - y, deep = place.z - z;
  float3 speed = make_float3(0, 0, 0);
#pragma unroll
  for (int corner = 0; corner < 8; ++corner) {
    const int right = corner & 1, up = corner >> 1 & 1, back = corner >> 2;
    const float share = (right ? across : 1 - across) * (up ? high : 1 - high) * (back ? deep : 1 - deep);
    const int cell =
        (wrapped(z + back, kDeep) * kHigh + wrapped(y + up, kHigh)) * kWide + wrapped(x + right, kWide);
    speed = blended(speed, wind[cell], share);
  }
  place = make_float4(place.x + kSteps * speed.x, place.y + kSteps * speed.y, place.z + kSteps * speed.z,
                      place.w + 1);
  const bool out =
      place.x < 0 || place.x >= kWide || place.y < 0 || place.y >= kHigh || place.z < 0 || place.z >= kDeep;
  const unsigned chance = static_cast<unsigned>(i) + seed;
  if (out)
    place = make_float4(2 + mixed_fraction(chance), 10 + 60 * mixed_fraction(chance + 11),
                        44 + 40 * mixed_fraction(chance + 23), 0);
  smoke[i] = place;
}

// How fast the air turns in the middle of the tunnel.
__global__ void __launch_bounds__(kWide)
    keep_picture(float* __restrict__ picture, const float4* __restrict__ wind) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  const float4* middle = wind + std::size_t{kPlane} * (kDeep / 2);
  const float4 right = middle[y * kWide + wrapped(x + 1, kWide)],
               left = middle[y * kWide + wrapped(x - 1, kWide)];
  const float4 above = middle[wrapped(y + 1, kHigh) * kWide + x],
               below = middle[wrapped(y - 1, kHigh) * kWide + x];
  const float turn = fabsf(right.y - left.y - above.x + below.x);
  picture[y * kWide + x] = kFade * picture[y * kWide + x] + (1 - kFade) * turn;
}

// The floor and ceiling, a body, and a cabin on it.
__device__ bool is_car(int x, int y, int z) {
  if (y == 0 || y == kHigh - 1) return true;
  const bool body = x >= 60 && x < 140 && y >= 8 && y < 26 && z >= 46 && z < 82;
  const int slope = abs(x - 98);
  const bool cabin = y >= 26 && y < 42 - max(slope - 14, 0) && slope < 32 && z >= 50 && z < 78;
  return body || cabin;
}

__global__ void __launch_bounds__(kWide) build_tunnel(float* air, unsigned* walls) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  const int cell = (z * kHigh + y) * kWide + x;
  const bool inside = is_car(x, y, z);
  const float along = inside ? 0 : kStart * (1 + 0.1F * mixed_fraction(static_cast<unsigned>(cell)));
  unsigned wall = inside ? kInside : 0;
  for_speeds([&](auto speed) {
    const bool from_car =
        is_car(wrapped(x - speed.x, kWide), wrapped(y - speed.y, kHigh), wrapped(z - speed.z, kDeep));
    if (from_car || inside) wall |= 1U << speed.kNumber;
    air[speed.kNumber * kCells + cell] = settled(speed, 1, along, 0, 0, 1 - 1.5F * along * along);
  });
  walls[cell] = wall;
}

__global__ void __launch_bounds__(kThreads) start_smoke(float4* smoke) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  smoke[i] = make_float4(kWide * mixed_fraction(i), 10 + 60 * mixed_fraction(i + 500009),
                         44 + 40 * mixed_fraction(i + 900001), 0);
}

void blow(Tunnel& tunnel) {
  const dim3 rows(kHigh, kDeep);
  for (int i = 0; i < kSteps; ++i) {
    const float gust = 1 + 0.5F * std::sin(0.004F * static_cast<float>(tunnel.step++));
    const auto kernel = i + 1 < kSteps ? flow<false> : flow<true>;
    kernel<<<rows, kWide>>>(tunnel.next, tunnel.air, tunnel.walls, tunnel.wind, kFan * gust);
    std::swap(tunnel.air, tunnel.next);
  }
  carry_smoke<<<kSmoke / kThreads, kThreads>>>(tunnel.smoke, tunnel.wind,
                                               static_cast<unsigned>(tunnel.step) * 7919U);
  keep_picture<<<kHigh, kWide>>>(tunnel.picture, tunnel.wind);
}

Case make() {
  const auto tunnel = std::make_shared<Tunnel>();
  tunnel->air = device_array<float>(std::size_t{kSpeeds} * kCells);
  tunnel->next = device_array<float>(std::size_t{kSpeeds} * kCells);
  tunnel->walls = device_array<unsigned>(kCells);
  tunnel->wind = device_array<float4>(kCells);
  tunnel->smoke = device_array<float4>(kSmoke);
  tunnel->picture = device_array<float>(kPlane);
  build_tunnel<<<dim3(kHigh, kDeep), kWide>>>(tunnel->air, tunnel->walls);
  start_smoke<<<kSmoke / kThreads, kThreads>>>(tunnel->smoke);
  CHECK(cudaMemset(tunnel->picture, 0, kPlane * sizeof(float)));
  const auto sum = [=] {
    return device_sum(tunnel->picture, kPlane) +
           device_sum(reinterpret_cast<const float*>(tunnel->smoke), 4 * std::size_t{kSmoke}) * 1e-6;
  };
  return {[=] { blow(*tunnel); }, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
