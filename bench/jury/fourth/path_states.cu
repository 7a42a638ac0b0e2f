// A bounce of 4 million light paths among four spheres: where each path goes next, what it gathers there,
// and the image.
// At fault: the state of a path is a record of 56 bytes, so that the lanes lie 56 bytes apart. The pattern
// is that of Enigmatisms/cuda-pt, whose pull request 3 turns the records into arrays.
#include "../case.cuh"

namespace {

constexpr int kPaths = 4 << 20, kThreads = 256;
// Origin, direction, weights of three colours, light of three colours, distance, bounces.
constexpr int kOrigin = 0, kDirection = 3, kWeight = 6, kLight = 9, kDistance = 12, kBounces = 13,
              kWords = 14;

struct Sphere {
  float x, y, z, radius;
};
__constant__ Sphere kSpheres[4] = {
    {0.3F, 0.3F, 2, 0.4F}, {0.7F, 0.4F, 3, 0.5F}, {0.2F, 0.8F, 4, 0.6F}, {0.8F, 0.8F, 2.5F, 0.3F}};

template <bool kRecords>
__device__ float& word(float* states, int path, int k) {
  return states[kRecords ? path * kWords + k : k * kPaths + path];  // fault
}

__device__ int own_path() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <bool kRecords>
__device__ void extend(float* states) {
  const int path = own_path();
  const float x = word<kRecords>(states, path, kOrigin),          // fault
      y = word<kRecords>(states, path, kOrigin + 1);              // fault
  const float z = word<kRecords>(states, path, kOrigin + 2),      // fault
      dx = word<kRecords>(states, path, kDirection);              // fault
  const float dy = word<kRecords>(states, path, kDirection + 1);  // fault
  const float dz = word<kRecords>(states, path, kDirection + 2);  // fault
  float nearest = 8;
#pragma unroll
  for (const Sphere& s : kSpheres) {
    const float ox = x - s.x, oy = y - s.y, oz = z - s.z;
    const float b = ox * dx + oy * dy + oz * dz, c = ox * ox + oy * oy + oz * oz - s.radius * s.radius;
    const float root = b * b - c;
    const float distance = root > 0 ? -b - sqrtf(root) : 8;
    if (distance > 0.001F && distance < nearest) nearest = distance;
  }
  word<kRecords>(states, path, kDistance) = nearest;  // fault
}

template <bool kRecords>
__device__ void shade(float* states, float* samples) {
  const int path = own_path();
  const float distance = word<kRecords>(states, path, kDistance);  // fault
  const float bounces = word<kRecords>(states, path, kBounces);    // fault
  const float dx = word<kRecords>(states, path, kDirection);       // fault
  const float dy = word<kRecords>(states, path, kDirection + 1);   // fault
  const float dz = word<kRecords>(states, path, kDirection + 2);   // fault
  const bool ends = bounces > 6, hits = distance < 8;
  float bright = 0;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float weight = word<kRecords>(states, path, kWeight + k);                        // fault
    const float light = word<kRecords>(states, path, kLight + k) + weight * 0.1F;          // fault
    word<kRecords>(states, path, kLight + k) = ends ? 0 : light;                           // fault
    word<kRecords>(states, path, kWeight + k) = ends ? 1 : weight * (hits ? 0.8F : 0.7F);  // fault
    const float at = word<kRecords>(states, path, kOrigin + k);                            // fault
    const float along = k == 0 ? dx : k == 1 ? dy : dz;
    const float next = at + along * (hits ? 0.5F * distance : 0.1F);
    word<kRecords>(states, path, kOrigin + k) = next - floorf(next);  // fault
    bright += light;
  }
  word<kRecords>(states, path, kDirection) = dy;                    // fault
  word<kRecords>(states, path, kDirection + 1) = dz;                // fault
  word<kRecords>(states, path, kDirection + 2) = dx;                // fault
  word<kRecords>(states, path, kBounces) = ends ? 0 : bounces + 1;  // fault
  samples[path] = bright;
}

__global__ void extend_records(float* states) {
  extend<true>(states);
}
__global__ void extend_arrays(float* states) {
  extend<false>(states);
}
__global__ void shade_records(float* states, float* samples) {
  shade<true>(states, samples);
}
__global__ void shade_arrays(float* states, float* samples) {
  shade<false>(states, samples);
}

__global__ void blend_pixels(float4* image, const float4* samples) {
  const int i = own_path();
  const float4 old = image[i], own = samples[i];
  image[i] = {old.x * 0.9F + own.x * 0.1F, old.y * 0.9F + own.y * 0.1F, old.z * 0.9F + own.z * 0.1F,
              old.w * 0.9F + own.w * 0.1F};
}

template <bool kRecords>
__global__ void start_paths(float* states) {
  const int path = own_path();
  for (int k = 0; k < kWords; ++k) word<kRecords>(states, path, k) = k < kWeight ? 0 : k < kLight ? 1 : 0;
  const auto seed = static_cast<unsigned>(path) * 6;
  float length = 0, direction[3];
#pragma unroll
  for (unsigned k = 0; k < 3; ++k) {
    word<kRecords>(states, path, kOrigin + static_cast<int>(k)) = mixed_fraction(seed + k);
    direction[k] = mixed_fraction(seed + 3 + k) + 0.1F;
    length += direction[k] * direction[k];
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) word<kRecords>(states, path, kDirection + k) = direction[k] / sqrtf(length);
}

Case make(bool records) {
  auto* states = device_array<float>(std::size_t{kPaths} * kWords);
  auto* samples = device_array<float>(kPaths);
  auto* image = device_array<float>(kPaths);
  CHECK(cudaMemset(image, 0, kPaths * sizeof(float)));
  if (records) {
    start_paths<true><<<kPaths / kThreads, kThreads>>>(states);
  } else {
    start_paths<false><<<kPaths / kThreads, kThreads>>>(states);
  }
  return {[=] {
            if (records) {
              extend_records<<<kPaths / kThreads, kThreads>>>(states);
              shade_records<<<kPaths / kThreads, kThreads>>>(states, samples);
            } else {
              extend_arrays<<<kPaths / kThreads, kThreads>>>(states);
              shade_arrays<<<kPaths / kThreads, kThreads>>>(states, samples);
            }
            blend_pixels<<<kPaths / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(image),
                                                              reinterpret_cast<const float4*>(samples));
          },
          [=] { return device_sum(image, kPaths); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
