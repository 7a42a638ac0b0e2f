// T09: a host that launches more slowly than the GPU works. T10: one that waits for each kernel.
#include <chrono>
#include <memory>

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

namespace {

constexpr unsigned kParts = 200;
constexpr std::int64_t kPartWords = 32 * 1024;
// As long as a framework takes for an operation.
constexpr std::chrono::microseconds kHostWork{15};

}  // namespace

__host__ __device__ inline Word scrambled(Word word) {
  return (word ^ (word >> 15)) * 0x2C1B3C6DU;
}

__global__ void scramble_part(Word* out, const Word* in) {
  out[thread_index()] = scrambled(in[thread_index()]);
}

namespace {

void launch_part(Word* out, const Word* in, unsigned part, cudaStream_t stream) {
  const std::int64_t at = part * kPartWords;
  scramble_part<<<kPartWords / kThreads, kThreads, 0, stream>>>(out + at, in + at);
}

void work_on_host() {
  const auto until = std::chrono::steady_clock::now() + kHostWork;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// A graph, and what its kernels use.
struct GraphOfParts {
  SharedWords out, in;
  std::shared_ptr<CUgraphExec_st> launchable;
};

GraphOfParts graph_of_parts(const SharedWords& out, const SharedWords& in) {
  const BlockingStream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launchable = nullptr;
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (unsigned part = 0; part < kParts; ++part) launch_part(out.get(), in.get(), part, stream);
  check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check_cuda(cudaGraphInstantiate(&launchable, graph, 0), "cudaGraphInstantiate");
  check_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return {out, in, {launchable, cudaGraphExecDestroy}};
}

std::function<std::optional<std::string>()> mistakes_of(const SharedWords& out) {
  return [out] {
    return first_mistake(out.get(), {kParts * kPartWords, 11},
                         [](std::int64_t i) { return scrambled(input_word(i)); });
  };
}

Computation launched_late(Side side) {
  const SharedWords in = filled_words(kParts * kPartWords, InOrder()),
                    out = device_words(kParts * kPartWords);
  if (side == Side::fault)
    return {[=] {
              for (unsigned part = 0; part < kParts; ++part) {
                work_on_host();
                launch_part(out.get(), in.get(), part, nullptr);
              }
            },
            mistakes_of(out)};
  const GraphOfParts graph = graph_of_parts(out, in);
  return {[=] { check_cuda(cudaGraphLaunch(graph.launchable.get(), nullptr), "cudaGraphLaunch"); },
          mistakes_of(out)};
}

Computation waited_for_each(Side side) {
  const SharedWords in = filled_words(kParts * kPartWords, InOrder()),
                    out = device_words(kParts * kPartWords);
  const bool waits = side == Side::fault;
  return {[=] {
            for (unsigned part = 0; part < kParts; ++part) {
              launch_part(out.get(), in.get(), part, nullptr);
              if (waits) check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
            }
          },
          mistakes_of(out)};
}

}  // namespace

std::vector<TwinCode> launch_twins() {
  return {{"launched_late", launched_late}, {"waited_for_each", waited_for_each}};
}

}  // namespace coalescope::kernels
