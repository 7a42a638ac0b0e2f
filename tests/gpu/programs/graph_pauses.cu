// Runs so long that kernels have no records for most of the time. It launches three graphs: the first one
// from the start; the second one has a kernel that is launched for the first time while there are no records;
// the third one is made at such a time, of known kernels. In 8,000 rounds of a millisecond each it launches
// 8,000 kernels by themselves, 20 in the first graph, and 5 in each of the others, which begin with rounds
// 3,000 and 5,000.
#include <chrono>
#include <thread>

#include "work.cuh"

static __global__ void doubled(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0F * static_cast<float>(i);
}

template <class Launch>
cudaGraphExec_t graph_of(int kernels, cudaStream_t stream, Launch launch) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i) launch();
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

int main() {
  Work work;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* other;
  CHECK(cudaMalloc(&other, kThreads * sizeof(float)));
  const auto strided_launch = [&] { work.launch(stream); };
  const auto doubled_launch = [&] { doubled<<<kThreads / 128, 128, 0, stream>>>(other); };
  cudaGraphExec_t first = graph_of(20, stream, strided_launch), second = nullptr, third = nullptr;
  for (int round = 0; round < 8000; ++round) {
    if (round == 3000) second = graph_of(5, stream, doubled_launch);
    if (round == 5000) third = graph_of(5, stream, strided_launch);
    work.launch(stream);
    for (cudaGraphExec_t each : {first, second, third})
      if (each != nullptr) CHECK(cudaGraphLaunch(each, stream));
    if (round % 16 == 15) CHECK(cudaStreamSynchronize(stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(cudaStreamSynchronize(stream));
  std::puts(work.right() ? "right" : "WRONG");
  return 0;
}
