// Heats a brake disc: two million nodes of a mesh of tetrahedra, each of which shares edges with up to 14
// others. Pads rub on both faces, heat flows along the edges, air cools the surface, and what is hotter than
// 300 degrees wears. A step a round.
#include <algorithm>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kRound = 256, kThick = 64, kWide = 128, kNodes = kRound * kThick * kWide, kEdges = 14;
constexpr int kSurface = 2 * kRound * kWide, kThreads = 256, kRounds = 17500;
constexpr float kAir = 20, kPadAngle = 0.15F, kCool = 2e-4F, kRub = 0.9F, kHot = 300;

// Where a node is: steps around the disc, through it and outwards.
struct Place {
  int around, through, outwards;
};

__host__ __device__ Place place_of(unsigned point) {
  return {static_cast<int>(point) / (kThick * kWide), static_cast<int>(point) / kWide % kThick,
          static_cast<int>(point) % kWide};
}

__host__ __device__ unsigned point_at(const Place& place) {
  return static_cast<unsigned>((place.around * kThick + place.through) * kWide + place.outwards);
}

__device__ constexpr int kAround[kEdges] = {1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1};
__device__ constexpr int kThrough[kEdges] = {0, 0, 1, -1, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1};
__device__ constexpr int kOutwards[kEdges] = {0, 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 1, -1};

// Edge e of node i is at e * kNodes + i. A node at the surface has edges to itself that carry nothing.
struct Mesh {
  unsigned *others, *surface;
  float *conducts, *angles;
};

struct Disc {
  Mesh mesh;
  float *now, *later, *flux, *wear, *hottest;
  int step;
};

// A thread has a node of the surface.
__global__ void __launch_bounds__(kThreads)
    load_surface(float* __restrict__ flux, const float* __restrict__ heat,
                 const unsigned* __restrict__ surface, const float* __restrict__ angles, float pads) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned node = surface[i];
  const float away = angles[i] - pads;
  const bool rubs = fabsf(away - rintf(away)) < kPadAngle;
  flux[node] = (rubs ? kRub : 0) - kCool * (heat[node] - kAir);  // fault
}

// A thread has a node.
__global__ void __launch_bounds__(kThreads)
    conduct(float* __restrict__ later, const float* __restrict__ now, const float* __restrict__ flux,
            const unsigned* __restrict__ others, const float* __restrict__ conducts) {
  const unsigned node = blockIdx.x * kThreads + threadIdx.x;
  const float own = now[node];
  float flows = 0;
#pragma unroll
  for (int edge = 0; edge < kEdges; ++edge) {
    const unsigned at = static_cast<unsigned>(edge * kNodes) + node;
    flows += conducts[at] * (now[others[at]] - own);  // fault
  }
  later[node] = own + flows + flux[node];
}

// A thread has four nodes.
__global__ void __launch_bounds__(kThreads)
    wear_down(float4* __restrict__ wear, float4* __restrict__ hottest, const float4* __restrict__ heat) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 own = heat[i], before = hottest[i];
  float4 worn = wear[i];
  worn.x += fmaxf(own.x - kHot, 0) + 1e-3F * own.x;
  worn.y += fmaxf(own.y - kHot, 0) + 1e-3F * own.y;
  worn.z += fmaxf(own.z - kHot, 0) + 1e-3F * own.z;
  worn.w += fmaxf(own.w - kHot, 0) + 1e-3F * own.w;
  wear[i] = worn;
  hottest[i] = make_float4(fmaxf(own.x, before.x), fmaxf(own.y, before.y), fmaxf(own.z, before.z),
                           fmaxf(own.w, before.w));
}

// `points` tells where nodes are, and `nodes` which node is at a point.
__global__ void __launch_bounds__(kThreads)
    connect(Mesh mesh, const unsigned* __restrict__ points, const unsigned* __restrict__ nodes) {
  const unsigned node = blockIdx.x * kThreads + threadIdx.x;
  const Place own = place_of(points[node]);
  for (int edge = 0; edge < kEdges; ++edge) {
    const Place other{(own.around + kAround[edge] + kRound) % kRound, own.through + kThrough[edge],
                      own.outwards + kOutwards[edge]};
    const bool inside =
        other.through >= 0 && other.through < kThick && other.outwards >= 0 && other.outwards < kWide;
    const unsigned at = static_cast<unsigned>(edge * kNodes) + node;
    mesh.others[at] = inside ? nodes[point_at(other)] : node;
    mesh.conducts[at] = inside ? 0.02F + 0.01F * static_cast<float>(edge % 3) : 0;
  }
}

// Stands for the mesher, which numbers nodes as it adds them.
unsigned added_at(unsigned point) {
  unsigned node = point;
  for (int turn = 0; turn < 3; ++turn) {
    node = node * 0x9e3779b1U % kNodes;
    node ^= node >> 11;
  }
  return node;
}

// Numbers nodes by where they are, slice by slice.
void renumber(std::vector<unsigned>& points) {
  std::sort(points.begin(), points.end(), [](unsigned one, unsigned other) {
    const Place left = place_of(one), right = place_of(other);
    if (left.around != right.around) return left.around < right.around;
    if (left.through != right.through) return left.through < right.through;
    return left.outwards < right.outwards;
  });
}

template <class T>
T* to_device(const std::vector<T>& values) {
  auto* device = device_array<T>(values.size());
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

Mesh read_mesh(bool by_place) {
  std::vector<unsigned> points(kNodes), nodes(kNodes), surface;
  std::vector<float> angles;
  for (unsigned point = 0; point < kNodes; ++point) points[added_at(point)] = point;
  if (by_place) renumber(points);
  for (unsigned node = 0; node < kNodes; ++node) {
    nodes[points[node]] = node;
    const Place place = place_of(points[node]);
    if (place.through != 0 && place.through != kThick - 1) continue;
    surface.push_back(node);
    angles.push_back(static_cast<float>(place.around) / kRound);
  }
  const Mesh mesh{device_array<unsigned>(std::size_t{kEdges} * kNodes), to_device(surface),
                  device_array<float>(std::size_t{kEdges} * kNodes), to_device(angles)};
  unsigned *device_points = to_device(points), *device_nodes = to_device(nodes);
  connect<<<kNodes / kThreads, kThreads>>>(mesh, device_points, device_nodes);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(device_points));
  CHECK(cudaFree(device_nodes));
  return mesh;
}

void brake(Disc& disc) {
  const float pads = 0.013F * static_cast<float>(disc.step++ % 1000);
  load_surface<<<kSurface / kThreads, kThreads>>>(disc.flux, disc.now, disc.mesh.surface, disc.mesh.angles,
                                                  pads);
  conduct<<<kNodes / kThreads, kThreads>>>(disc.later, disc.now, disc.flux, disc.mesh.others,
                                           disc.mesh.conducts);
  wear_down<<<kNodes / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(disc.wear),
                                                 reinterpret_cast<float4*>(disc.hottest),
                                                 reinterpret_cast<const float4*>(disc.later));
  std::swap(disc.now, disc.later);
}

Case make(bool by_place) {
  const auto disc = std::make_shared<Disc>(Disc{read_mesh(by_place), device_array<float>(kNodes),
                                                device_array<float>(kNodes), device_array<float>(kNodes),
                                                device_array<float>(kNodes), device_array<float>(kNodes), 0});
  for (float* array : {disc->now, disc->flux, disc->wear, disc->hottest})
    CHECK(cudaMemset(array, 0, kNodes * sizeof(float)));
  return {[=] { brake(*disc); },
          [=] { return 1e-6 * (device_sum(disc->wear, kNodes) + device_sum(disc->hottest, kNodes)); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
