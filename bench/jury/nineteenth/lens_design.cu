// Improves a lens of twelve surfaces: 8192 variants of it, each traced by 512 rays in each of three
// colours from three fields, have to make small spots. Of two variants side by side the worse one becomes a
// changed copy of the better one; pairs differ from round to round. A generation a round. Nothing is at
// fault. A thread has a ray in registers; all lanes of a warp are at the same surface, whose curvature and
// place all read from the same address. Sums of a block are made by shuffles. The pattern is that of
// ecto/vcad, pull request 578: surfaces traced in a known order, and TracePy-Org/tracepy, issue 28: rays
// traced on the GPU.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSurfaces = 12, kVariants = 8192, kRays = 512, kThreads = 128, kWarps = kThreads / 32;
constexpr int kColours = 3, kFields = 3, kBundles = kColours * kFields, kRounds = 3500;
constexpr int kNumbers = 2 * kSurfaces, kCircles = 8;
constexpr unsigned kMask = 0xffffffffU;

// What does not change: which glass follows a surface, for each colour, and the variant that all come from.
struct Prescription {
  float indices[kColours][kSurfaces];
  float curvatures[kSurfaces], distances[kSurfaces];
};

__constant__ Prescription prescription;

// Of a surface: what bends and how far the next one is.
struct Surface {
  float curvature, distance;
};

struct Variants {
  Surface* surfaces;
  float* spots;
};

struct Ray {
  float3 at, to;
};

// To a surface and through it, by Snell's law; false where a ray misses it.
__device__ bool refract(Ray& ray, Surface surface, float ratio) {
  const float curvature = surface.curvature;
  const float along = -ray.at.z / ray.to.z;
  const float x = ray.at.x + along * ray.to.x, y = ray.at.y + along * ray.to.y;
  const float far = curvature * (x * x + y * y), slope = ray.to.z - curvature * (x * ray.to.x + y * ray.to.y);
  const float root = slope * slope - curvature * far;
  if (root < 0) return false;
  const float step = far / (slope + sqrtf(root));
  ray.at = make_float3(x + step * ray.to.x, y + step * ray.to.y, step * ray.to.z);
  const float3 normal = make_float3(-curvature * ray.at.x, -curvature * ray.at.y, 1 - curvature * ray.at.z);
  const float cosine = normal.x * ray.to.x + normal.y * ray.to.y + normal.z * ray.to.z;
  const float inside = 1 - ratio * ratio * (1 - cosine * cosine);
  if (inside < 0) return false;
  const float push = sqrtf(inside) - ratio * cosine;
  ray.to = make_float3(ratio * ray.to.x + push * normal.x, ratio * ray.to.y + push * normal.y,
                       ratio * ray.to.z + push * normal.z);
  ray.at.z -= surface.distance;
  return true;
}

// Rays of a bundle enter on circles around the axis.
__device__ Ray entering(int number, int bundle) {
  constexpr int kOfBundle = kRays / kCircles;
  const float radius = 0.5F * static_cast<float>(number / kOfBundle + 1) / kCircles;
  float sine, cosine;
  sincospif(2 * static_cast<float>(number % kOfBundle) / kOfBundle, &sine, &cosine);
  const float tilt = 0.04F * static_cast<float>(bundle % kFields);
  return {make_float3(radius * cosine, radius * sine, 0), make_float3(0, tilt, sqrtf(1 - tilt * tilt))};
}

__device__ float sum_of_block(float value, float* warps) {
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(kMask, value, far);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kWarps; ++i) sum += warps[i];
  return sum;
}

// A block has a variant and a bundle; its spot is how far rays come from their middle.
__global__ void __launch_bounds__(kThreads)
    trace(float* __restrict__ spreads, const Surface* __restrict__ surfaces) {
  __shared__ float warps[kWarps];
  const auto variant = static_cast<int>(blockIdx.x), bundle = static_cast<int>(blockIdx.y);
  const Surface* own = surfaces + variant * kSurfaces;
  const float* indices = prescription.indices[bundle / kFields];
  float count = 0, x = 0, y = 0, squares = 0;
  for (int number = static_cast<int>(threadIdx.x); number < kRays; number += kThreads) {
    Ray ray = entering(number, bundle);
    bool passes = true;
    float before = 1;
    for (int surface = 0; surface < kSurfaces && passes; ++surface) {
      passes = refract(ray, own[surface], before / indices[surface]);
      before = indices[surface];
    }
    if (!passes) continue;
    const float along = -ray.at.z / ray.to.z;
    const float right = ray.at.x + along * ray.to.x, up = ray.at.y + along * ray.to.y;
    count += 1;
    x += right;
    y += up;
    squares += right * right + up * up;
  }
  count = sum_of_block(count, warps);
  x = sum_of_block(x, warps);
  y = sum_of_block(y, warps);
  squares = sum_of_block(squares, warps);
  if (threadIdx.x != 0) return;
  const float got = fmaxf(count, 1), lost = (kRays - count) / kRays;
  spreads[variant * kBundles + bundle] = fmaxf(squares - (x * x + y * y) / got, 0) / got + lost;
}

// A warp has a pair of variants, and a lane a number of both.
__global__ void __launch_bounds__(kThreads)
    breed(Variants variants, const float* __restrict__ spreads, unsigned generation) {
  const auto pair = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32),
             lane = static_cast<int>(threadIdx.x % 32);
  const int bit = static_cast<int>(generation % 13), low = pair & ((1 << bit) - 1);
  const int one = (pair - low) * 2 + low, other = one + (1 << bit);
  const float mine = lane < kBundles ? spreads[one * kBundles + lane] : 0;
  const float yours = lane < kBundles ? spreads[other * kBundles + lane] : 0;
  float first = mine, second = yours;
  for (int far = 16; far > 0; far /= 2) {
    first += __shfl_xor_sync(kMask, first, far);
    second += __shfl_xor_sync(kMask, second, far);
  }
  const bool stays = first <= second;
  const int better = stays ? one : other, worse = stays ? other : one;
  if (lane == 0) {
    variants.spots[better] = fminf(first, second);
    variants.spots[worse] = fmaxf(first, second);
  }
  if (lane >= kNumbers) return;
  const auto* from = reinterpret_cast<const float*>(variants.surfaces + better * kSurfaces);
  auto* to = reinterpret_cast<float*>(variants.surfaces + worse * kSurfaces);
  const auto seed =
      (generation * kVariants + static_cast<unsigned>(worse)) * kNumbers + static_cast<unsigned>(lane);
  const float change = mixed_fraction(seed) - 0.5F;
  const bool bends = lane % 2 == 0;
  const float nominal = bends ? prescription.curvatures[lane / 2] : prescription.distances[lane / 2];
  const float reach = bends ? 0.05F : 0.1F;
  const float next = from[lane] + (mixed_bits(~seed) % 4 == 0 ? 0.05F * reach * change : 0.0F);
  to[lane] = fminf(fmaxf(next, nominal - reach), nominal + reach);
}

// The smallest of 32 spots, followed over the generations.
__global__ void __launch_bounds__(kThreads)
    report(float* __restrict__ history, const float* __restrict__ spots) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float least = spots[i];
  for (int far = 16; far > 0; far /= 2) least = fminf(least, __shfl_xor_sync(kMask, least, far));
  if (threadIdx.x % 32 == 0) history[i / 32] = 0.9F * history[i / 32] + 0.1F * least;
}

struct Workshop {
  Variants variants;
  float *spreads, *history;
  unsigned generation;
};

void improve(Workshop& workshop) {
  trace<<<dim3(kVariants, kBundles), kThreads>>>(workshop.spreads, workshop.variants.surfaces);
  breed<<<kVariants / 2 / kWarps, kThreads>>>(workshop.variants, workshop.spreads, workshop.generation);
  if (++workshop.generation % 16 == 0)
    report<<<kVariants / kThreads, kThreads>>>(workshop.history, workshop.variants.spots);
}

// Weak lenses, one after the other, that bring light together some 8 behind the last one.
void prepare(const Workshop& workshop) {
  auto* nominal = pinned_array<Prescription>(1);
  auto* surfaces = pinned_array<Surface>(std::size_t{kVariants} * kSurfaces);
  for (int i = 0; i < kSurfaces; ++i) {
    const bool glass = i % 2 == 0;
    for (int colour = 0; colour < kColours; ++colour)
      nominal->indices[colour][i] =
          glass ? 1.5F + 0.02F * static_cast<float>(i % 3) + 0.006F * static_cast<float>(colour) : 1;
    nominal->curvatures[i] = glass ? 0.035F : -0.035F;
    nominal->distances[i] = i + 1 == kSurfaces ? 4.0F : glass ? 0.3F : 0.15F;
  }
  for (int i = 0; i < kVariants * kSurfaces; ++i)
    surfaces[i] = {
        nominal->curvatures[i % kSurfaces] + 0.01F * (mixed_fraction(static_cast<unsigned>(i)) - 0.5F),
        nominal->distances[i % kSurfaces]};
  CHECK(cudaMemcpyToSymbol(prescription, nominal, sizeof(Prescription)));
  CHECK(cudaMemcpy(workshop.variants.surfaces, surfaces, sizeof(Surface) * kVariants * kSurfaces,
                   cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(nominal));
  CHECK(cudaFreeHost(surfaces));
  CHECK(cudaMemset(workshop.history, 0, kVariants / 32 * sizeof(float)));
}

Case make() {
  const auto workshop = std::make_shared<Workshop>();
  *workshop = {{device_array<Surface>(std::size_t{kVariants} * kSurfaces), device_array<float>(kVariants)},
               device_array<float>(std::size_t{kVariants} * kBundles),
               device_array<float>(kVariants / 32),
               0};
  prepare(*workshop);
  return {[=] { improve(*workshop); },
          [=] {
            return device_sum(workshop->history, kVariants / 32) +
                   device_sum(workshop->variants.spots, kVariants);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
