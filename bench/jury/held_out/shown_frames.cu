// Renders frames of 1920 x 1080 pixels, of which the host reads a word in each page.
// At fault: the frame is managed memory, so that its pages go to the host and come back for each frame. The
// pattern is that of NVIDIA/NvPipe, issue 45: managed memory against device memory with copies.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWidth = 1920, kHeight = 1080, kPixels = kWidth * kHeight, kThreads = 256, kRounds = 80;
constexpr int kPageWords = 1024;

__global__ void render(unsigned* frame, int steps) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kPixels) return;
  const float x = static_cast<float>(i % kWidth) / kWidth, y = static_cast<float>(i / kWidth) / kHeight;
  float real = 0, imaginary = 0;
  for (int step = 0; step < steps; ++step) {
    const float next = real * real - imaginary * imaginary + x - 0.5F;
    imaginary = 2 * real * imaginary + y - 0.5F;
    real = next;
  }
  frame[i] = static_cast<unsigned>(fabsf(real) * 255) & 0xffU;  // fault
}

void launch(unsigned* frame, cudaStream_t stream) {
  render<<<blocks_for(kPixels, kThreads), kThreads, 0, stream>>>(frame, 16);
}

double read_on_host(const unsigned* frame) {
  double sum = 0;
  for (int i = 0; i < kPixels; i += kPageWords) sum += frame[i];  // fault
  return sum;
}

Case managed() {
  unsigned* frame = nullptr;
  CHECK(cudaMallocManaged(&frame, kPixels * sizeof(unsigned)));  // fault
  auto sum = std::make_shared<double>(0);
  return {[=] {
            launch(frame, nullptr);  // fault
            CHECK(cudaDeviceSynchronize());
            *sum = read_on_host(frame);  // fault
          },
          [=] { return *sum; }, kRounds};
}

struct Buffer {
  unsigned *device, *host;
  cudaStream_t stream;
};

// Two frames take turns: the host reads one while the other one is rendered and copied.
Case copied() {
  std::array<Buffer, 2> buffers{};
  for (Buffer& b : buffers) {
    b = {device_array<unsigned>(kPixels), pinned_array<unsigned>(kPixels), nullptr};
    CHECK(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
  }
  auto sum = std::make_shared<double>(0);
  unsigned round = 0;
  return {[=]() mutable {
            const Buffer &own = buffers[round % 2], &other = buffers[(round + 1) % 2];
            launch(own.device, own.stream);
            CHECK(cudaMemcpyAsync(own.host, own.device, kPixels * sizeof(unsigned), cudaMemcpyDeviceToHost,
                                  own.stream));
            CHECK(cudaStreamSynchronize(other.stream));
            if (round++ > 0) *sum = read_on_host(other.host);
          },
          [=] { return *sum; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, managed, copied);
}
