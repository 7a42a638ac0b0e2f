// Captures a stream's launches into a graph while kernels are still being measured, launches it often, and
// captures again.
#include "work.cuh"

int main() {
  Work work;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 2; ++i) work.launch(stream);  // leaves a window open
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i) work.launch(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 10; ++i) {
    CHECK(cudaGraphLaunch(executable, stream));
    work.launch(stream);
  }
  CHECK(cudaStreamSynchronize(stream));
  std::puts(work.right() ? "right" : "WRONG");
  return 0;
}
