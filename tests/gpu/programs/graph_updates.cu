// A graph built by hand (set, copy, two kernels) and one of a stream capture, launched many times and changed
// in between: another parameter, another grid, another graph of the same form.
#include "work.cuh"

namespace {

__global__ void scaled(const float* in, float* out, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = factor * in[i];
}

cudaKernelNodeParams node(const void* kernel, unsigned blocks, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(kernel);
  params.gridDim = dim3(blocks);
  params.blockDim = dim3(128);
  params.kernelParams = arguments;
  return params;
}

void launch_often(cudaGraphExec_t executable, cudaStream_t stream, int times) {
  for (int i = 0; i < times; ++i) CHECK(cudaGraphLaunch(executable, stream));
}

float first_of(const float* device) {
  float value = 0;
  CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

void built_by_hand(Work& work, cudaStream_t stream) {
  float* copy = nullptr;
  CHECK(cudaMalloc(&copy, kThreads * sizeof(float)));
  float* in = work.in();
  float* out = work.out();
  float factor = 2;
  void* strided_arguments[] = {&in, &out};
  void* scaled_arguments[] = {&out, &copy, &factor};
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams set{};
  set.dst = copy;
  set.elementSize = 4;
  set.width = kThreads;
  set.height = 1;
  cudaGraphNode_t set_node = nullptr;
  cudaGraphNode_t strided_node = nullptr;
  cudaGraphNode_t scaled_node = nullptr;
  CHECK(cudaGraphAddMemsetNode(&set_node, graph, nullptr, 0, &set));
  cudaKernelNodeParams params =
      node(reinterpret_cast<const void*>(strided), kThreads / 128, strided_arguments);
  CHECK(cudaGraphAddKernelNode(&strided_node, graph, &set_node, 1, &params));
  params = node(reinterpret_cast<const void*>(scaled), kThreads / 128, scaled_arguments);
  CHECK(cudaGraphAddKernelNode(&scaled_node, graph, &strided_node, 1, &params));
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  launch_often(executable, stream, 50);
  CHECK(cudaStreamSynchronize(stream));
  std::printf("by hand: %g\n", first_of(copy));

  factor = 3;  // another parameter and a smaller grid, in the executable graph
  params = node(reinterpret_cast<const void*>(scaled), 5, scaled_arguments);
  CHECK(cudaGraphExecKernelNodeSetParams(executable, scaled_node, &params));
  launch_often(executable, stream, 50);
  CHECK(cudaStreamSynchronize(stream));
  std::printf("changed: %g\n", first_of(copy));
}

cudaGraph_t stream_captured(Work& work, cudaStream_t stream, unsigned blocks) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  work.launch(stream);
  scaled<<<blocks, 128, 0, stream>>>(work.in(), work.out(), 1.0F);
  work.launch(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void stream_captured_and_updated(Work& work, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, stream_captured(work, stream, 7), 0));
  launch_often(executable, stream, 30);
  cudaGraphExecUpdateResultInfo result{};
  CHECK(cudaGraphExecUpdate(executable, stream_captured(work, stream, 9), &result));
  launch_often(executable, stream, 30);
  CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

int main() {
  Work work;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 10; ++i) work.launch(stream);
  built_by_hand(work, stream);
  stream_captured_and_updated(work, stream);
  for (int i = 0; i < 10; ++i) work.launch(stream);
  CHECK(cudaStreamSynchronize(stream));
  std::puts(work.right() ? "right" : "WRONG");
  return 0;
}
