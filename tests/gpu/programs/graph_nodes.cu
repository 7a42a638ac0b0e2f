// Kernels that run in graphs only. One graph has all that can be launched without it: branches side by side,
// a graph inside, a copy, a set, clusters, parameters of many sizes. Others have what means something only
// inside of a graph: a condition, a host function, a copy from pageable memory.
#include <cstdint>
#include <vector>

#include "work.cuh"

namespace {

constexpr int kBlocks = 40;
constexpr int kBlock = 256;
constexpr int kCount = kBlocks * kBlock;

struct Terms {
  char tag;
  double scale;
  std::uint16_t shift;
  float bias[20];
};

__global__ void fill(std::uint32_t* out, std::uint8_t first, Terms terms, std::uint32_t factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = first + factor * static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(terms.scale) +
           terms.shift + static_cast<std::uint32_t>(terms.bias[19]) + static_cast<std::uint32_t>(terms.tag);
}

__global__ void add(const std::uint32_t* in, std::uint32_t* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3 * out[i] + in[i];
}

__global__ void add_in_clusters(const std::uint32_t* in, std::uint32_t* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += in[i];
}

__global__ void count_up(std::uint32_t* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void decide(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

struct Memory {
  std::uint32_t* one = nullptr;
  std::uint32_t* two = nullptr;
  std::uint32_t* sum = nullptr;
  Memory() {
    for (auto** each : {&one, &two, &sum}) {
      CHECK(cudaMalloc(each, kCount * sizeof(std::uint32_t)));
      CHECK(cudaMemset(*each, 0, kCount * sizeof(std::uint32_t)));
    }
  }
  std::uint32_t checksum() const {
    std::vector<std::uint32_t> host(kCount);
    CHECK(cudaMemcpy(host.data(), sum, kCount * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
    std::uint32_t hash = 2166136261U;
    for (const auto value : host) hash = (hash ^ value) * 16777619U;
    return hash;
  }
};

// Where the GPU has clusters.
void launch_in_clusters(const Memory& memory, cudaStream_t stream) {
  int major = 0;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  cudaLaunchAttribute clusters{};
  clusters.id = cudaLaunchAttributeClusterDimension;
  clusters.val.clusterDim.x = 2;
  clusters.val.clusterDim.y = 1;
  clusters.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(kBlock);
  config.stream = stream;
  config.attrs = &clusters;
  config.numAttrs = major >= 9 ? 1 : 0;
  const std::uint32_t* in = memory.one;
  CHECK(cudaLaunchKernelEx(&config, add_in_clusters, in, memory.sum));
}

// Two branches, which fill one and two, and what joins them.
cudaGraph_t branches(const Memory& memory, cudaStream_t stream) {
  cudaStream_t other = nullptr;
  cudaEvent_t forked = nullptr;
  cudaEvent_t joined = nullptr;
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  Terms terms{'a', 1000.5, 7, {}};
  terms.bias[19] = 100;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(other, forked, 0));
  fill<<<kBlocks, kBlock, 0, other>>>(memory.two, 9, terms, 5);
  CHECK(cudaMemsetAsync(memory.one, 1, kCount * sizeof(std::uint32_t), stream));
  CHECK(cudaMemsetAsync(memory.one, 2, 1000, stream));
  CHECK(cudaEventRecord(joined, other));
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  add<<<kBlocks, kBlock, 0, stream>>>(memory.two, memory.sum);
  launch_in_clusters(memory, stream);
  CHECK(cudaMemcpyAsync(memory.two, memory.one, kCount * sizeof(std::uint32_t) / 2, cudaMemcpyDeviceToDevice,
                        stream));
  add<<<kBlocks, kBlock, 0, stream>>>(memory.two, memory.sum);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void launch_often(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < 100; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(executable));
}

void inside_another(const Memory& memory, cudaStream_t stream) {
  cudaGraph_t child = branches(memory, stream);
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  CHECK(cudaGraphDestroy(child));
  launch_often(graph, stream);
}

cudaKernelNodeParams node_of(const void* kernel, unsigned blocks, unsigned block, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(kernel);
  params.gridDim = dim3(blocks);
  params.blockDim = dim3(block);
  params.kernelParams = arguments;
  return params;
}

void under_a_condition(Memory& memory, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle{};
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  unsigned yes = 1;
  void* of_decide[] = {&handle, &yes};
  auto params = node_of(reinterpret_cast<const void*>(decide), 1, 1, of_decide);
  cudaGraphNode_t first = nullptr;
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  cudaGraphNodeParams condition{};
  condition.type = cudaGraphNodeTypeConditional;
  condition.conditional.handle = handle;
  condition.conditional.type = cudaGraphCondTypeIf;
  condition.conditional.size = 1;
  cudaGraphNode_t second = nullptr;
  CHECK(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &condition));
  void* of_count[] = {&memory.sum};
  params = node_of(reinterpret_cast<const void*>(count_up), kBlocks, kBlock, of_count);
  cudaGraphNode_t inner = nullptr;
  CHECK(cudaGraphAddKernelNode(&inner, condition.conditional.phGraph_out[0], nullptr, 0, &params));
  launch_often(graph, stream);
}

int called = 0;

void with_a_host_function(Memory& memory, cudaStream_t stream) {
  std::vector<std::uint32_t> pageable(kCount, 5);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMemcpyAsync(memory.one, pageable.data(), kCount * sizeof(std::uint32_t), cudaMemcpyHostToDevice,
                        stream));
  add<<<kBlocks, kBlock, 0, stream>>>(memory.one, memory.sum);
  CHECK(cudaLaunchHostFunc(
      stream, [](void*) { ++called; }, nullptr));
  CHECK(cudaStreamEndCapture(stream, &graph));
  launch_often(graph, stream);
}

}  // namespace

int main() {
  Memory memory;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  inside_another(memory, stream);
  std::printf("branches: %u\n", memory.checksum());
  under_a_condition(memory, stream);
  std::printf("condition: %u\n", memory.checksum());
  with_a_host_function(memory, stream);
  std::printf("host function: %u, called %d times\n", memory.checksum(), called);
  return 0;
}
