// A step of a plate of 336 x 336 finite elements of 8 x 8 nodes, three displacements a node: moves the nodes,
// brings them to the elements, and finds the energy of each element.
// At fault: a thread brings all nodes of an element, so the lanes read the numbers of nodes 256 bytes apart
// and store 1536 bytes apart. The pattern is that of CEED/libCEED, as issue 128 finds it; here a thread
// brings one node.
#include "../case.cuh"

namespace {

constexpr int kSide = 336, kElements = kSide * kSide, kEdge = 8, kOfElement = kEdge * kEdge, kThreads = 256;
constexpr int kAcross = kSide * (kEdge - 1) + 1, kNodes = kAcross * kAcross, kParts = 3;
constexpr std::size_t kLocal = std::size_t{kElements} * kOfElement;

__global__ void fill_numbers(int* numbers) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int element = i / kOfElement, node = i % kOfElement;
  const int x = element % kSide * (kEdge - 1) + node % kEdge,
            y = element / kSide * (kEdge - 1) + node / kEdge;
  numbers[i] = y * kAcross + x;
}

__global__ void move_nodes(double* nodes, const double* rates) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kNodes * kParts) nodes[i] = 0.99 * nodes[i] + 0.01 * rates[i];
}

__global__ void bring_by_element(double* local, const double* nodes, const int* numbers) {
  const int element = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int part = 0; part < kParts; ++part) {
    double* out = local + static_cast<std::size_t>(kParts * element + part) * kOfElement;
    for (int i = 0; i < kOfElement; ++i)
      out[i] = nodes[numbers[element * kOfElement + i] + part * kNodes];  // fault
  }
}

__global__ void bring_by_node(double* local, const double* nodes, const int* numbers) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int element = i / kOfElement, node = numbers[i];
  double* out = local + static_cast<std::size_t>(kParts * element) * kOfElement + i % kOfElement;
#pragma unroll
  for (int part = 0; part < kParts; ++part) out[part * kOfElement] = nodes[node + part * kNodes];
}

// A warp an element.
__global__ void find_energies(double* energies, const double* local) {
  const int element = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const double* own = local + static_cast<std::size_t>(kParts * element) * kOfElement + threadIdx.x % 32;
  double sum = 0;
#pragma unroll
  for (int i = 0; i < kParts * kOfElement; i += 32) sum += own[i] * own[i];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) energies[element] = 0.5 * sum;
}

Case make(bool by_element) {
  auto* nodes = device_array<double>(std::size_t{kParts} * kNodes);
  auto* rates = device_array<double>(std::size_t{kParts} * kNodes);
  auto* local = device_array<double>(kParts * kLocal);
  auto* numbers = device_array<int>(kLocal);
  auto* energies = device_array<double>(kElements);
  fill_fractions(nodes, std::size_t{kParts} * kNodes, 1);
  fill_fractions(rates, std::size_t{kParts} * kNodes, 2);
  fill_numbers<<<static_cast<unsigned>(kLocal / kThreads), kThreads>>>(numbers);
  return {[=] {
            move_nodes<<<blocks_for(std::size_t{kParts} * kNodes, kThreads), kThreads>>>(nodes, rates);
            if (by_element) {
              bring_by_element<<<kElements / kThreads, kThreads>>>(local, nodes, numbers);
            } else {
              bring_by_node<<<static_cast<unsigned>(kLocal / kThreads), kThreads>>>(local, nodes, numbers);
            }
            find_energies<<<kElements / (kThreads / 32), kThreads>>>(energies, local);
          },
          [=] { return device_sum(energies, kElements); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
