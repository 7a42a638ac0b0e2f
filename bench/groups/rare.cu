// Launches of rare kinds, one a run: cooperative, clusters, nested (a kernel that launches kernels), contexts
// (green ones), device_graph (a graph that the GPU launches). Beside each runs an ordinary kernel.
#include <cooperative_groups.h>
#include <cstring>
#include <cuda.h>

#include "../programs/program.cuh"

namespace {

constexpr int kBlocks = 128, kBlock = 256, kCount = kBlocks * kBlock;
constexpr int kTimes = 60;

__global__ void ordinary(float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] += 1;
}

__global__ void rare(float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i * 32 % kCount + i * 32 / kCount] += 2;  // each element once
}

__global__ void rare_in_step(float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] += 1;
  cooperative_groups::this_grid().sync();
  out[kCount - 1 - i] += 1;
}

__global__ void rare_parent(float* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) rare<<<kBlocks, kBlock>>>(out);
}

__global__ void rare_launcher(cudaGraphExec_t graph) {
  if (threadIdx.x == 0) cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}

void cooperative(float* out) {
  void* arguments[] = {&out};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rare_in_step), dim3(kBlocks), dim3(kBlock),
                                    arguments, 0, nullptr));
}

void clusters(float* out) {
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kBlock;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, rare, out));
}

void nested(float* out) {
  rare_parent<<<1, 32>>>(out);
}

// In a context of its own that has a part of the multiprocessors.
void contexts(float* out) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) {
    CUdevResource all{}, part{};
    unsigned groups = 1;
    CUdevResourceDesc description = nullptr;
    CUgreenCtx context = nullptr;
    bool made = cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS;
    made = made && cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 16) == CUDA_SUCCESS;
    made = made && cuDevResourceGenerateDesc(&description, &part, 1) == CUDA_SUCCESS;
    made = made && cuGreenCtxCreate(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) == CUDA_SUCCESS;
    made = made && cuGreenCtxStreamCreate(&stream, context, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS;
    if (!made) {
      std::printf("no green contexts here\n");
      std::exit(77);
    }
  }
  rare<<<kBlocks, kBlock, 0, stream>>>(out);
}

void device_graph(float* out) {
  static cudaGraphExec_t launched = nullptr, launcher = nullptr;
  static cudaStream_t stream = nullptr;
  if (launcher == nullptr) {
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    rare<<<kBlocks, kBlock, 0, stream>>>(out);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launched, graph, cudaGraphInstantiateFlagDeviceLaunch));
    CHECK(cudaGraphUpload(launched, stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    rare_launcher<<<1, 32, 0, stream>>>(launched);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launcher, graph, 0));
  }
  CHECK(cudaGraphLaunch(launcher, stream));
}

struct Kind {
  const char* name;
  void (*launch)(float* out);
};
constexpr Kind kKinds[] = {{"cooperative", &cooperative},
                           {"clusters", &clusters},
                           {"nested", &nested},
                           {"contexts", &contexts},
                           {"device_graph", &device_graph}};

}  // namespace

int main(int argc, char** argv) {
  float* out = nullptr;
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  CHECK(cudaMemset(out, 0, kCount * sizeof(float)));
  for (const Kind& kind : kKinds) {
    if (argc < 2 || std::strcmp(argv[1], kind.name) != 0) continue;
    for (int i = 0; i < kTimes; ++i) {
      ordinary<<<kBlocks, kBlock>>>(out);
      CHECK(cudaDeviceSynchronize());
      kind.launch(out);
      CHECK(cudaDeviceSynchronize());
    }
    static float host[kCount];
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const float each : host) sum += each;
    std::printf("%s %.0f\n", kind.name, sum);
    return 0;
  }
  std::fprintf(stderr, "usage: rare cooperative|clusters|nested|contexts|device_graph\n");
  return 2;
}
