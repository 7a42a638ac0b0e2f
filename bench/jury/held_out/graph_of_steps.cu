// Twenty steps of a relaxation of 16 million values, launched as one graph.
// Nothing is wrong. The pattern is that of NVIDIA/cuda-samples, Samples/3_CUDA_Features/simpleCudaGraphs.
#include "../case.cuh"

namespace {

constexpr int kCount = 16 << 20, kQuads = kCount / 4, kThreads = 256, kSteps = 20;

__device__ float relaxed(float value, float target) {
  return value + 0.25F * (target - value);
}

__global__ void relax(float4* values, const float4* targets) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 value = values[i], target = targets[i];
  values[i] = make_float4(relaxed(value.x, target.x), relaxed(value.y, target.y), relaxed(value.z, target.z),
                          relaxed(value.w, target.w));
}

Case make() {
  auto* values = device_array<float>(kCount);
  auto* targets = device_array<float>(kCount);
  fill_fractions(values, kCount, 1);
  fill_fractions(targets, kCount, 2);
  cudaStream_t stream = nullptr;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int step = 0; step < kSteps; ++step)
    relax<<<kQuads / kThreads, kThreads, 0, stream>>>(reinterpret_cast<float4*>(values),
                                                      reinterpret_cast<const float4*>(targets));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  return {[=] { CHECK(cudaGraphLaunch(executable, stream)); }, [=] { return device_sum(values, kCount); },
          300};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
