// A planetarium: the sky of an evening (air that scatters light, stars, the Milky Way) is drawn as a dome
// master, and six projectors show parts of it, each bent, balanced, blended at its edges, and encoded. Eight
// frames a round.
#include <cuda_fp16.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kDome = 2048, kWide = 1920, kHigh = 1200, kOne = kWide * kHigh, kProjectors = 6;
constexpr int kPixels = kOne * kProjectors, kThreads = 256, kSteps = 10, kSunSteps = 4;
constexpr int kFramesOfRound = 8, kRounds = 440;
constexpr float kGround = 6360, kAir = 6420, kPi = 3.1415927F;

struct Sky {
  float3 sun, pole;
  float turned, moment;
};

struct Look {
  float4 gains[kProjectors];  // colours; the last number is how black its black is
  float exposure;
  unsigned frame;
};

struct Theatre {
  cudaArray_t dome;
  cudaSurfaceObject_t canvas;
  cudaTextureObject_t master;
  float2* bends;   // where a pixel of a projector lies in the dome master
  float* masks;    // how much of a place's light comes from this projector
  float4* lights;  // between two operations
  uchar4* shown;
  cudaStream_t stream;
  int frame = 0;
};

__device__ float dot(float3 one, float3 other) {
  return one.x * other.x + one.y * other.y + one.z * other.z;
}

// Length of a ray from within a sphere to its surface.
__device__ float way_out(float3 from, float3 way, float radius) {
  const float middle = dot(from, way), inside = middle * middle - dot(from, from) + radius * radius;
  return inside > 0 ? sqrtf(inside) - middle : 0;
}

__device__ float density_at(float3 place) {
  return __expf((kGround - sqrtf(dot(place, place))) * 0.125F);
}

__device__ float3 along(float3 from, float much, float3 way) {
  return make_float3(from.x + much * way.x, from.y + much * way.y, from.z + much * way.z);
}

// Light of the sun that air scatters once, red, green and blue.
__device__ float3 scattered(float3 way, float3 sun) {
  constexpr float kRed = 0.0058F, kGreen = 0.0135F, kBlue = 0.0331F;
  const float3 eye = make_float3(0, 0, kGround + 1);
  const float step = way_out(eye, way, kAir) / kSteps;
  float passed = 0;
  float3 sum = make_float3(0, 0, 0);
  for (int i = 0; i < kSteps; ++i) {
    const float3 place = along(eye, (static_cast<float>(i) + 0.5F) * step, way);
    const float dense = density_at(place) * step;
    passed += dense;
    const float sun_step = way_out(place, sun, kAir) / kSunSteps;
    float sunward = 0;
#pragma unroll
    for (int k = 0; k < kSunSteps; ++k)
      sunward += density_at(along(place, (static_cast<float>(k) + 0.5F) * sun_step, sun)) * sun_step;
    const float depth = passed + sunward;
    sum.x += dense * __expf(-kRed * depth);
    sum.y += dense * __expf(-kGreen * depth);
    sum.z += dense * __expf(-kBlue * depth);
  }
  const float angle = dot(way, sun), phase = 0.75F * (1 + angle * angle);
  return make_float3(phase * kRed * sum.x, phase * kGreen * sum.y, phase * kBlue * sum.z);
}

// One star at most in a cell of the sky, which turns around the pole.
__device__ float stars_at(float around, float high, float moment) {
  const float row = floorf(high * 180), column = floorf(around * 360);
  const unsigned cell = static_cast<unsigned>(static_cast<int>(row) * 4099 + static_cast<int>(column));
  const float bright = mixed_fraction(cell), dx = around * 360 - column - mixed_fraction(cell + 11);
  const float dy = high * 180 - row - mixed_fraction(cell + 29);
  const float twinkle = 1 + 0.3F * __sinf(moment + 40 * bright);
  return bright > 0.9F ? 8 * (bright - 0.9F) * twinkle * __expf(-60 * (dx * dx + dy * dy)) : 0;
}

// A thread has a pixel of the dome master; the zenith is in its middle, the horizon at its edge.
__global__ void __launch_bounds__(kThreads) draw_sky(cudaSurfaceObject_t canvas, Sky sky) {
  const auto x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
             y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const float across = (static_cast<float>(x) + 0.5F) / (kDome / 2) - 1;
  const float down = (static_cast<float>(y) + 0.5F) / (kDome / 2) - 1;
  const float from_middle = sqrtf(across * across + down * down);
  float3 light = make_float3(0, 0, 0);
  if (from_middle < 1) {
    float sine = 0, cosine = 0;
    __sincosf(from_middle * kPi / 2, &sine, &cosine);
    const float flat = sine / fmaxf(from_middle, 1e-6F);
    const float3 way = make_float3(across * flat, down * flat, cosine);
    light = scattered(way, sky.sun);
    const float high = dot(way, sky.pole);
    float around = (atan2f(way.y, way.x) + kPi) / (2 * kPi) + sky.turned;
    around -= floorf(around);
    const float band = high - 0.4F * __sinf(2 * kPi * around);
    const float night = stars_at(around, 0.5F * (high + 1), sky.moment) + 0.02F * __expf(-30 * band * band);
    light = make_float3(light.x + night, light.y + night, light.z + 1.1F * night);
  }
  const half2 low = __floats2half2_rn(light.x, light.y), top = __floats2half2_rn(light.z, 1);
  const ushort4 pixel = make_ushort4(__half_as_ushort(__low2half(low)), __half_as_ushort(__high2half(low)),
                                     __half_as_ushort(__low2half(top)), __half_as_ushort(__high2half(top)));
  surf2Dwrite(pixel, canvas, x * static_cast<int>(sizeof(ushort4)), y);
}

__device__ float4 bent_of(cudaTextureObject_t master, float2 bend) {
  return tex2D<float4>(master, bend.x, bend.y);
}

__device__ float4 balanced_of(float4 light, float4 gain, float exposure) {
  return make_float4(light.x * gain.x * exposure, light.y * gain.y * exposure, light.z * gain.z * exposure,
                     gain.w);
}

// Where projectors overlap, their blacks add up, so the others' black is made a little lighter.
__device__ float4 blended_of(float4 light, float mask) {
  const float lift = light.w * (1 - mask);
  return make_float4(light.x * mask + lift, light.y * mask + lift, light.z * mask + lift, light.w);
}

__device__ float toned_of(float light) {
  return light * (2.51F * light + 0.03F) / (light * (2.43F * light + 0.59F) + 0.14F);
}

__device__ float4 toned_of(float4 light) {
  return make_float4(toned_of(light.x), toned_of(light.y), toned_of(light.z), light.w);
}

__device__ unsigned char encoded_of(float light, float noise) {
  const float bent = __powf(fminf(fmaxf(light, 1e-6F), 1), 1 / 2.2F);
  return static_cast<unsigned char>(254 * bent + noise);
}

__device__ uchar4 encoded_of(float4 light, unsigned place, unsigned frame) {
  const float noise = mixed_fraction(place ^ frame * 2654435761U);
  return make_uchar4(encoded_of(light.x, noise), encoded_of(light.y, noise), encoded_of(light.z, noise), 255);
}

__device__ int own_pixel() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

__global__ void __launch_bounds__(kThreads)
    bend(float4* __restrict__ lights, cudaTextureObject_t master, const float2* __restrict__ bends) {
  const int i = own_pixel();
  lights[i] = bent_of(master, bends[i]);  // fault
}

__global__ void __launch_bounds__(kThreads) balance(float4* lights, Look look) {
  const int i = own_pixel();
  lights[i] = balanced_of(lights[i], look.gains[i / kOne], look.exposure);  // fault
}

__global__ void __launch_bounds__(kThreads) blend(float4* lights, const float* __restrict__ masks) {
  const int i = own_pixel();
  lights[i] = blended_of(lights[i], masks[i]);  // fault
}

__global__ void __launch_bounds__(kThreads) tone(float4* lights) {
  const int i = own_pixel();
  lights[i] = toned_of(lights[i]);  // fault
}

__global__ void __launch_bounds__(kThreads)
    encode(uchar4* __restrict__ shown, const float4* __restrict__ lights, unsigned frame) {
  const int i = own_pixel();
  shown[i] = encoded_of(lights[i], static_cast<unsigned>(i), frame);  // fault
}

__global__ void __launch_bounds__(kThreads)
    project(uchar4* __restrict__ shown, cudaTextureObject_t master, const float2* __restrict__ bends,
            const float* __restrict__ masks, Look look) {
  const int i = own_pixel();
  const float4 light = balanced_of(bent_of(master, bends[i]), look.gains[i / kOne], look.exposure);
  shown[i] = encoded_of(toned_of(blended_of(light, masks[i])), static_cast<unsigned>(i), look.frame);
}

// A projector sees a sixth of the dome and some of its neighbours' parts; a lens bends what it shows.
__global__ void __launch_bounds__(kThreads) calibrate(float2* bends, float* masks) {
  const int i = own_pixel(), own = i % kOne;
  const float across = (static_cast<float>(own % kWide) + 0.5F) / kWide - 0.5F;
  const float up = (static_cast<float>(own / kWide) + 0.5F) / kHigh;
  const float bow = 1 + 0.1F * across * across;
  const float around = 2 * kPi * (static_cast<float>(i / kOne) + 1.2F * across * bow) / kProjectors;
  const float from_middle = 0.98F * (1 - up * (0.97F - 0.05F * across * across));
  bends[i] =
      make_float2(0.5F + 0.5F * from_middle * __cosf(around), 0.5F + 0.5F * from_middle * __sinf(around));
  masks[i] = fminf(1, (0.5F - fabsf(across)) * 6);
}

// How a frame goes from the dome master to the projectors.
struct ByOperations {
  static void show(const Theatre& own, const Look& look) {
    constexpr int kBlocks = kPixels / kThreads;
    bend<<<kBlocks, kThreads, 0, own.stream>>>(own.lights, own.master, own.bends);    // fault
    balance<<<kBlocks, kThreads, 0, own.stream>>>(own.lights, look);                  // fault
    blend<<<kBlocks, kThreads, 0, own.stream>>>(own.lights, own.masks);               // fault
    tone<<<kBlocks, kThreads, 0, own.stream>>>(own.lights);                           // fault
    encode<<<kBlocks, kThreads, 0, own.stream>>>(own.shown, own.lights, look.frame);  // fault
  }
  static void open(Theatre& own) { own.lights = device_array<float4>(kPixels); }
};

struct AtOnce {
  static void show(const Theatre& own, const Look& look) {
    project<<<kPixels / kThreads, kThreads, 0, own.stream>>>(own.shown, own.master, own.bends, own.masks,
                                                             look);
  }
  static void open(Theatre&) {}
};

Sky sky_at(int frame) {
  const auto time = static_cast<float>(frame);
  const float high = 0.12F + 0.1F * std::cos(0.003F * time), turned = 0.0005F * time;
  const float flat = std::sqrt(1 - high * high);
  return {{flat * std::cos(turned), flat * std::sin(turned), high},
          {0.6F, 0, 0.8F},
          turned - std::floor(turned),
          0.2F * static_cast<float>(frame % 1000)};
}

Look look_at(int frame) {
  Look look = {};
  for (int i = 0; i < kProjectors; ++i) {
    const auto own = static_cast<float>(i);
    look.gains[i] = make_float4(1 + 0.02F * own, 1, 1.05F - 0.01F * own, 0.002F);
  }
  look.exposure = 3 + std::sin(0.01F * static_cast<float>(frame));
  look.frame = static_cast<unsigned>(frame);
  return look;
}

void open_dome(Theatre& theatre) {
  const cudaChannelFormatDesc format = cudaCreateChannelDescHalf4();
  CHECK(cudaMallocArray(&theatre.dome, &format, kDome, kDome, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = theatre.dome;
  cudaTextureDesc reading = {};
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  reading.filterMode = cudaFilterModeLinear;
  reading.readMode = cudaReadModeElementType;
  reading.normalizedCoords = 1;
  CHECK(cudaCreateSurfaceObject(&theatre.canvas, &resource));
  CHECK(cudaCreateTextureObject(&theatre.master, &resource, &reading, nullptr));
}

template <class Way>
void next_frame(Theatre& theatre) {
  const int frame = theatre.frame++;
  draw_sky<<<dim3(kDome / 32, kDome / 8), dim3(32, 8), 0, theatre.stream>>>(theatre.canvas, sky_at(frame));
  Way::show(theatre, look_at(frame));  // fault
}

template <class Way>
Case make() {
  const auto theatre = std::make_shared<Theatre>();
  open_dome(*theatre);
  theatre->bends = device_array<float2>(kPixels);
  theatre->masks = device_array<float>(kPixels);
  theatre->shown = device_array<uchar4>(kPixels);
  Way::open(*theatre);
  calibrate<<<kPixels / kThreads, kThreads>>>(theatre->bends, theatre->masks);
  CHECK(cudaStreamCreateWithFlags(&theatre->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame<Way>(*theatre);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const unsigned char*>(theatre->shown), kPixels * sizeof(uchar4));
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<ByOperations>, make<AtOnce>);
}
