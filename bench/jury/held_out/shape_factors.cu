// The charge that 8 million particles carry through the points around them, with shapes of third order in a
// plane. At fault: the shape of the old place is stored at an offset that is known at run time only, in
// arrays of a thread, so that they live in local memory. The pattern is that of BLAST-WarpX/warpx, where
// issue 5199 finds the arrays in local memory and pull request 3210 avoids such indices.
#include "../case.cuh"

namespace {

constexpr int kParticles = 8 << 20, kThreads = 256, kPoints = 6;

struct Shape {
  float of[4];
};

// Where the particle lies between two points, from 0 to 1.
__device__ Shape shape_of(float x) {
  const float y = 1 - x;
  return {{y * y * y / 6, 2.0F / 3 - x * x * (1 - x / 2), 2.0F / 3 - y * y * (1 - y / 2), x * x * x / 6}};
}

__device__ float carried(float new_x, float old_x, float new_z, float old_z) {
  return (new_x - old_x) * (old_z + 0.5F * (new_z - old_z));
}

__device__ void place_shape(float* points, const Shape& shape, int first) {
  for (int i = 0; i < kPoints; ++i) points[i] = 0;              // fault
  for (int i = 0; i < 4; ++i) points[first + i] = shape.of[i];  // fault
}

__global__ void carry_by_offset(float* out, const float* places) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kParticles) return;
  const float x = places[i], z = places[kParticles + i];
  const float moved_x = x + places[2 * kParticles + i] - 0.5F,
              moved_z = z + places[3 * kParticles + i] - 0.5F;
  const int cell_x = static_cast<int>(floorf(moved_x)), cell_z = static_cast<int>(floorf(moved_z));
  float old_x[kPoints], new_x[kPoints], old_z[kPoints], new_z[kPoints];
  place_shape(old_x, shape_of(x), 1);
  place_shape(old_z, shape_of(z), 1);
  place_shape(new_x, shape_of(moved_x - static_cast<float>(cell_x)), 1 + cell_x);  // fault
  place_shape(new_z, shape_of(moved_z - static_cast<float>(cell_z)), 1 + cell_z);  // fault
  const int low_x = min(1, 1 + cell_x), high_x = max(4, 4 + cell_x);
  const int low_z = min(1, 1 + cell_z), high_z = max(4, 4 + cell_z);
  float sum = 0;
  for (int k = low_z; k <= high_z; ++k) {
    for (int j = low_x; j <= high_x; ++j) {
      const float charge = carried(new_x[j], old_x[j], new_z[k], old_z[k]);  // fault
      sum += charge * charge;
    }
  }
  out[i] = sum;
}

struct Points {
  float of[kPoints];
};

// `cell` is -1, 0 or 1.
__device__ Points shifted(const Shape& shape, int cell) {
  Points points;
#pragma unroll
  for (int i = 0; i < kPoints; ++i) {
    const float left = i < 4 ? shape.of[i] : 0, same = i > 0 && i < 5 ? shape.of[i - 1] : 0;
    const float right = i > 1 ? shape.of[i - 2] : 0;
    points.of[i] = cell < 0 ? left : cell == 0 ? same : right;
  }
  return points;
}

__global__ void carry_by_selection(float* out, const float* places) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kParticles) return;
  const float x = places[i], z = places[kParticles + i];
  const float moved_x = x + places[2 * kParticles + i] - 0.5F,
              moved_z = z + places[3 * kParticles + i] - 0.5F;
  const int cell_x = static_cast<int>(floorf(moved_x)), cell_z = static_cast<int>(floorf(moved_z));
  const Points old_x = shifted(shape_of(x), 0), old_z = shifted(shape_of(z), 0);
  const Points new_x = shifted(shape_of(moved_x - static_cast<float>(cell_x)), cell_x);
  const Points new_z = shifted(shape_of(moved_z - static_cast<float>(cell_z)), cell_z);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPoints; ++k) {
#pragma unroll
    for (int j = 0; j < kPoints; ++j) {
      const float charge = carried(new_x.of[j], old_x.of[j], new_z.of[k], old_z.of[k]);
      sum += charge * charge;
    }
  }
  out[i] = sum;
}

Case make(bool by_offset) {
  auto* places = device_array<float>(std::size_t{4} * kParticles);
  auto* out = device_array<float>(kParticles);
  fill_fractions(places, std::size_t{4} * kParticles, 1);
  return {[=] {
            if (by_offset) {
              carry_by_offset<<<blocks_for(kParticles, kThreads), kThreads>>>(out, places);
            } else {
              carry_by_selection<<<blocks_for(kParticles, kThreads), kThreads>>>(out, places);
            }
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
