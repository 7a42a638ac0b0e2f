// Draws pictures of 1920 x 1080 pixels: 48 spheres in the light of 48 lamps, with shadows. The host moves
// lamps and spheres for each picture and looks at the pictures.
// Nothing is wrong: the small uploads come from pinned memory, and all lanes read the same word of constant
// memory; pictures go to the host beside the next one, and the host waits for an early picture while later
// ones are queued. The pattern is that of cuteday/KiRaRay, pull request 51: asynchronous copies of what was
// edited in a scene.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1080, kPixels = kWide * kHigh, kSpheres = 48, kLamps = 48;
constexpr int kSlots = 3, kRounds = 900;

struct Scene {
  float4 spheres[kSpheres];  // places and radii
  float4 lamps[kLamps];      // places and strengths
};

__constant__ Scene scene;

struct Ray {
  float3 from, along;
};

__device__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__device__ float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ float3 operator*(float3 a, float b) {
  return make_float3(a.x * b, a.y * b, a.z * b);
}

__device__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ float3 place_of(const float4& sphere) {
  return make_float3(sphere.x, sphere.y, sphere.z);
}

// How far it is to the sphere, or very far.
__device__ float distance_to(const float4& sphere, const Ray& ray) {
  const float3 to = place_of(sphere) - ray.from;
  const float along = dot(to, ray.along), inside = sphere.w * sphere.w - dot(to, to) + along * along;
  if (inside < 0) return 1e9F;
  const float far = along - sqrtf(inside);
  return far > 1e-3F ? far : 1e9F;
}

__device__ bool shadowed(const Ray& ray, float lamp_far) {
  for (const float4& sphere : scene.spheres) {
    if (distance_to(sphere, ray) < lamp_far) return true;
  }
  return false;
}

__device__ float light_at(float3 place, float3 normal) {
  float light = 0.05F;
  for (const float4& lamp : scene.lamps) {
    const float3 to = place_of(lamp) - place;
    const float square = dot(to, to), facing = dot(normal, to);
    if (facing <= 0) continue;
    const float far = sqrtf(square);
    if (!shadowed({place, to * (1 / far)}, far)) light += lamp.w * facing / (far * square);
  }
  return fminf(light, 1.0F);
}

__global__ void __launch_bounds__(256) draw(uchar4* picture) {
  const int x = static_cast<int>(blockIdx.x * 16 + threadIdx.x % 16);
  const int y = static_cast<int>(blockIdx.y * 16 + threadIdx.x / 16);
  if (y >= kHigh) return;
  const float3 towards = make_float3((x - kWide / 2) / 900.0F, (y - kHigh / 2) / 900.0F, 1);
  const Ray ray{make_float3(0, 0, -6), towards * rsqrtf(dot(towards, towards))};
  float nearest = 1e8F;
  int hit = -1;
  for (int i = 0; i < kSpheres; ++i) {
    const float far = distance_to(scene.spheres[i], ray);
    if (far < nearest) nearest = far, hit = i;
  }
  float light = 0.02F;
  float3 place = ray.from + ray.along * nearest, normal = make_float3(0, 0, -1);
  if (hit < 0) place = ray.from + ray.along * (10 / ray.along.z);  // the wall behind
#pragma unroll 1
  for (int i = 0; i < kSpheres; ++i) {
    if (i == hit) normal = (place - place_of(scene.spheres[i])) * (1 / scene.spheres[i].w);
  }
  light += light_at(place + normal * 2e-3F, normal);
  const auto level = static_cast<unsigned char>(255 * fminf(light, 1.0F));
  picture[y * kWide + x] =
      make_uchar4(level, static_cast<unsigned char>(level / 2 + (hit & 127)), level, 255);
}

void move_scene(Scene* out, unsigned picture) {
  const float turn = 0.01F * static_cast<float>(picture);
  for (unsigned i = 0; i < kSpheres; ++i) {
    const float own = 6.2831853F * mixed_fraction(i), wide = 1 + 4 * mixed_fraction(i + 100);
    out->spheres[i] = {wide * std::cos(own + turn), 2.5F * std::sin(2 * own + turn), 2 * std::sin(own - turn),
                       0.2F + 0.4F * mixed_fraction(i + 200)};
  }
  for (unsigned i = 0; i < kLamps; ++i) {
    const float own = 6.2831853F * mixed_fraction(i + 300);
    out->lamps[i] = {6 * std::cos(own + 2 * turn), 5 * std::sin(own + turn),
                     -5 + 2 * std::sin(3 * own + turn), 0.4F};
  }
}

// Of a picture in flight.
struct Slot {
  Scene* scene;
  uchar4 *drawn, *shown;
  cudaEvent_t ready, copied;
};

Slot made_slot() {
  Slot slot{pinned_array<Scene>(1), device_array<uchar4>(kPixels), pinned_array<uchar4>(kPixels), nullptr,
            nullptr};
  std::memset(slot.shown, 0, kPixels * sizeof(uchar4));
  CHECK(cudaEventCreateWithFlags(&slot.ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming));
  return slot;
}

// The host looks at some pixels.
double looked_at(const uchar4* picture) {
  double sum = 0;
  for (int i = 0; i < kPixels; i += 4096) sum += picture[i].x + picture[i].y;
  return sum;
}

Case make() {
  std::array<Slot, kSlots> slots{};
  for (Slot& slot : slots) slot = made_slot();
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  auto number = std::make_shared<unsigned>(0);
  auto seen = std::make_shared<double>(0);
  return {
      [=] {
        const Slot& slot = slots[*number % kSlots];
        CHECK(cudaEventSynchronize(slot.copied));
        *seen += looked_at(slot.shown);
        move_scene(slot.scene, (*number)++);
        CHECK(cudaMemcpyToSymbolAsync(scene, slot.scene, sizeof(Scene), 0, cudaMemcpyHostToDevice, compute));
        draw<<<dim3(kWide / 16, blocks_for(kHigh, 16)), 256, 0, compute>>>(slot.drawn);
        CHECK(cudaEventRecord(slot.ready, compute));
        CHECK(cudaStreamWaitEvent(copy, slot.ready));
        CHECK(
            cudaMemcpyAsync(slot.shown, slot.drawn, kPixels * sizeof(uchar4), cudaMemcpyDeviceToHost, copy));
        CHECK(cudaEventRecord(slot.copied, copy));
      },
      [=] {
        CHECK(cudaDeviceSynchronize());
        return *seen;
      },
      kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
