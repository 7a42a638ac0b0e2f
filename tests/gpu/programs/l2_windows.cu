// L2 windows on a stream, on a graph node and on a launch; L2 set aside for them, and reset.
#include "work.cuh"

int main() {
  Work work;
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 4 << 20));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  cudaLaunchAttributeValue value{};
  value.accessPolicyWindow = {work.in(), 65536, 0.5F, cudaAccessPropertyPersisting,
                              cudaAccessPropertyStreaming};
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
  work.launch(stream);

  const float* in = work.in();
  float* out = work.out();
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeAccessPolicyWindow;
  attribute.val.accessPolicyWindow = {out, 8192, 1.0F, cudaAccessPropertyPersisting,
                                      cudaAccessPropertyNormal};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kThreads / 128);
  config.blockDim = dim3(128);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  for (int i = 0; i < 10; ++i) CHECK(cudaLaunchKernelEx(&config, strided, in, out));

  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t executable = nullptr;
  void* arguments[] = {&in, &out};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(&strided);
  params.gridDim = dim3(kThreads / 128);
  params.blockDim = dim3(128);
  params.kernelParams = arguments;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  value.accessPolicyWindow = {work.in(), 16384, 0.25F, cudaAccessPropertyStreaming, cudaAccessPropertyNormal};
  CHECK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));

  value.accessPolicyWindow.num_bytes = 0;
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
  CHECK(cudaCtxResetPersistingL2Cache());
  std::printf("%s\n", work.right() ? "right" : "wrong");
  return 0;
}
