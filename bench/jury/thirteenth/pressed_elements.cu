// Relaxes a pressure in 65,536 elements of 8 x 8 x 8 nodes: each element takes three sweeps by itself, in
// which every node is moved by what its lines in x, y and z say. A thread has a line, and lines meet in
// shared memory.
// At fault: rows of eight doubles lie one behind the other in shared memory, so the lanes of a warp, which
// have lines along x, meet in two of 16 places. The pattern is that of ExtremeFLOW/neko, issue 549 and pull
// request 550: rows are moved apart. Here rows and their nodes change places by their numbers.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kNodes = 8, kLines = kNodes * kNodes, kCube = kLines * kNodes, kElements = 65536;
constexpr int kEach = 2, kThreads = kEach * kLines, kSweeps = 3, kRounds = 5000;
constexpr std::size_t kAll = std::size_t{kElements} * kCube;
constexpr double kDamp = 0.6;

// What slopes along a line do to its nodes. All threads read the same one at a time.
__constant__ double stiffness[kNodes][kNodes];

struct Cubes {
  double nodes[kEach][kCube];
};

// Weights of nodes, and how stiff a node is by itself.
struct Tables {
  const double *weights, *own;
};

// With eight to a row, lanes with different rows or planes have different banks.
template <bool kApart>
__device__ int place(int x, int y, int z) {
  if (kApart) return z * kLines + (y ^ (z & 1)) * kNodes + (x ^ y);
  return z * kLines + y * kNodes + x;
}

__device__ void bend(double (&out)[kNodes], const double (&line)[kNodes], double scale) {
#pragma unroll
  for (int node = 0; node < kNodes; ++node) {
    double sum = 0;
#pragma unroll
    for (int other = 0; other < kNodes; ++other) sum += stiffness[node][other] * line[other];
    out[node] = scale * sum;
  }
}

// What lines along x and y do to the nodes of an element, as a sum in `bent`. Threads have the same lines in
// both steps, by other names.
template <bool kApart>
__device__ void bend_across(double* bent, const double* cube, int first, int second, double along_x,
                            double along_y) {
  double line[kNodes], out[kNodes];
#pragma unroll
  for (int x = 0; x < kNodes; ++x) line[x] = cube[place<kApart>(x, first, second)];  // fault
  bend(out, line, along_x);
#pragma unroll
  for (int x = 0; x < kNodes; ++x) bent[place<kApart>(x, first, second)] = out[x];  // fault
#pragma unroll
  for (int y = 0; y < kNodes; ++y) line[y] = cube[place<kApart>(first, y, second)];  // fault
  bend(out, line, along_y);
  __syncthreads();
#pragma unroll
  for (int y = 0; y < kNodes; ++y) bent[place<kApart>(first, y, second)] += out[y];  // fault
}

// A block has two elements, and a thread a line along z. Sizes are the stiffness of an element in x, y and
// z.
template <bool kApart>
__global__ void __launch_bounds__(kThreads, 3)
    relax(double* __restrict__ next, const double* __restrict__ now, const double* __restrict__ forces,
          const double* __restrict__ sizes, Tables tables) {
  __shared__ Cubes cubes, bents;
  const int thread = static_cast<int>(threadIdx.x), part = thread / kLines, line = thread % kLines;
  const int first = line % kNodes, second = line / kNodes;
  const int element = static_cast<int>(blockIdx.x) * kEach + part;
  const double in_x = sizes[element], in_y = sizes[kElements + element],
               in_z = sizes[2 * kElements + element];
  const double one = tables.weights[first], other = tables.weights[second], both = one * other;
  const double own_x = in_x * other * tables.own[first], own_y = in_y * one * tables.own[second];
  const std::size_t begin = static_cast<std::size_t>(element) * kCube + static_cast<std::size_t>(line);
  double pressure[kNodes], force[kNodes], step[kNodes];
#pragma unroll
  for (int z = 0; z < kNodes; ++z) {
    pressure[z] = now[begin + z * kLines];
    force[z] = forces[begin + z * kLines];
    step[z] = kDamp / ((own_x + own_y) * tables.weights[z] + in_z * both * tables.own[z] + both * 0.01);
  }
#pragma unroll 1
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
#pragma unroll
    for (int z = 0; z < kNodes; ++z) cubes.nodes[part][place<kApart>(first, second, z)] = pressure[z];
    __syncthreads();
    bend_across<kApart>(bents.nodes[part], cubes.nodes[part], first, second, in_x * both, in_y * both);
    __syncthreads();
    double bent[kNodes];
    bend(bent, pressure, in_z * both);
#pragma unroll
    for (int z = 0; z < kNodes; ++z) {
      const double sum = bent[z] + bents.nodes[part][place<kApart>(first, second, z)];
      pressure[z] += step[z] * (force[z] - sum);
    }
  }
#pragma unroll
  for (int z = 0; z < kNodes; ++z) next[begin + z * kLines] = pressure[z];
}

__global__ void __launch_bounds__(kThreads) make_sizes(double* sizes) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  sizes[i] = 0.5 + static_cast<double>(mixed_fraction(i));
}

// Of degree seven and its slope.
std::array<double, 2> legendre(double x) {
  double before = 1, now = x;
  for (int degree = 2; degree < kNodes; ++degree) {
    const double next = ((2 * degree - 1) * x * now - (degree - 1) * before) / degree;
    before = now;
    now = next;
  }
  constexpr int kDegree = kNodes - 1;
  return {now, std::abs(x) < 1 ? kDegree * (x * now - before) / (x * x - 1) : 0};
}

// The ends, and where the slope of the polynomial is zero, by halving.
std::array<double, kNodes> made_places() {
  std::array<double, kNodes> places{};
  int found = 0;
  places[found++] = -1;
  constexpr int kParts = 4000;
  for (int part = 0; part < kParts; ++part) {
    double low = -1 + 2.0 * (part + 0.25) / kParts, high = low + 2.0 / kParts;
    if (high >= 1 || legendre(low)[1] * legendre(high)[1] > 0) continue;
    for (int half = 0; half < 60; ++half) {
      const double middle = (low + high) / 2;
      (legendre(low)[1] * legendre(middle)[1] <= 0 ? high : low) = middle;
    }
    places[found++] = low;
  }
  places[found] = 1;
  return places;
}

// The slope at a node by the value at another one.
double slope(const std::array<double, kNodes>& places, int node, int other) {
  if (node != other)
    return legendre(places[node])[0] / legendre(places[other])[0] / (places[node] - places[other]);
  const double end = kNodes * (kNodes - 1) / 4.0;
  return node == 0 ? -end : node == kNodes - 1 ? end : 0;
}

const double* uploaded(const std::array<double, kNodes>& values) {
  auto* table = device_array<double>(kNodes);
  CHECK(cudaMemcpy(table, values.data(), sizeof(values), cudaMemcpyHostToDevice));
  return table;
}

Tables made_tables() {
  const auto places = made_places();
  std::array<double, kNodes> weights{}, own{};
  double all[kNodes][kNodes] = {};
  for (int node = 0; node < kNodes; ++node) {
    const double value = legendre(places[node])[0];
    weights[node] = 2 / (kNodes * (kNodes - 1) * value * value);
  }
  for (int node = 0; node < kNodes; ++node) {
    for (int other = 0; other < kNodes; ++other)
      for (int at = 0; at < kNodes; ++at)
        all[node][other] += weights[at] * slope(places, at, node) * slope(places, at, other);
    own[node] = all[node][node];
  }
  CHECK(cudaMemcpyToSymbol(stiffness, all, sizeof(all)));
  return {uploaded(weights), uploaded(own)};
}

struct Pressures {
  double *now, *next;
};

template <bool kApart>
Case make() {
  const auto state =
      std::make_shared<Pressures>(Pressures{device_array<double>(kAll), device_array<double>(kAll)});
  auto *forces = device_array<double>(kAll), *sizes = device_array<double>(3 * kElements);
  fill_fractions(state->now, kAll, 7);
  fill_fractions(forces, kAll, 0x20000000U);
  make_sizes<<<3 * kElements / kThreads, kThreads>>>(sizes);
  const Tables tables = made_tables();
  return {[=] {
            relax<kApart><<<kElements / kEach, kThreads>>>(state->next, state->now, forces, sizes, tables);
            std::swap(state->now, state->next);
          },
          [=] { return device_sum(state->now, kAll); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<false>(); }, [] { return make<true>(); });
}
