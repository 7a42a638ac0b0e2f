// Work that ends only once the host has done something after launching it, or once another stream has.
// Natively it ends at once; who waits for it too early waits for ever. The kernels give up after 20 s, so
// that a GPU is never lost:
//   host        a kernel waits for a flag that the host sets after it has launched other work
//   persistent  a kernel runs for as long as the program, which waits for other work meanwhile
//   stream      a stream waits for the flag, with work behind it
//   peers       a kernel waits for one that is launched after it in another stream
//   left        the program ends while a kernel waits
#include <cstring>
#include <cuda.h>
#include <string>

#include "work.cuh"

namespace {

constexpr int kRounds = 20;
constexpr unsigned long long kPatienceNs = 20'000'000'000;

__global__ void wait_for(volatile int* flag, int value, int* gave_up) {
  unsigned long long began = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
  while (*flag < value) {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - began > kPatienceNs) {
      *gave_up = 1;
      return;
    }
  }
}

__global__ void set(volatile int* flag, int value) {
  *flag = value;
}

struct Program {
  Work here, there;
  cudaStream_t one = nullptr, other = nullptr;
  int* host_flag = nullptr;  // seen by the GPU, too
  int* device_flag = nullptr;
  int* gave_up = nullptr;

  Program() {
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host_flag, sizeof(int)));
    CHECK(cudaMallocHost(&gave_up, sizeof(int)));
    CHECK(cudaMalloc(&device_flag, sizeof(int)));
    CHECK(cudaMemset(device_flag, 0, sizeof(int)));
    *host_flag = *gave_up = 0;
    CHECK(cudaDeviceSynchronize());
  }

  void tell(int value) const { *static_cast<volatile int*>(host_flag) = value; }

  void host() {
    for (int round = 1; round <= kRounds; ++round) {
      wait_for<<<1, 1, 0, one>>>(host_flag, round, gave_up);
      here.launch(one);
      there.launch(other);
      tell(round);
      CHECK(cudaStreamSynchronize(one));
    }
  }

  void persistent() {
    wait_for<<<1, 1, 0, one>>>(host_flag, 1, gave_up);
    for (int round = 0; round < kRounds; ++round) {
      there.launch(other);
      CHECK(cudaStreamSynchronize(other));
    }
    tell(1);
    here.launch(one);
  }

  void stream() {
    for (int round = 1; round <= kRounds; ++round) {
      if (cuStreamWaitValue32(one, reinterpret_cast<CUdeviceptr>(host_flag), static_cast<cuuint32_t>(round),
                              CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS)
        std::exit(3);
      here.launch(one);
      there.launch(other);
      tell(round);
    }
  }

  void peers() {
    for (int round = 1; round <= kRounds; ++round) {
      wait_for<<<1, 1, 0, one>>>(device_flag, round, gave_up);
      here.launch(one);
      there.launch(other);
      set<<<1, 1, 0, other>>>(device_flag, round);
    }
  }

  void run(const std::string& how) {
    if (how == "host") host();
    if (how == "persistent") persistent();
    if (how == "stream") stream();
    if (how == "peers") peers();
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "host";
  Program program;
  // A kernel that is loaded while another one waits would wait for that one.
  set<<<1, 1>>>(program.device_flag, 0);
  for (int n = 0; n < 10; ++n) program.here.launch(nullptr);
  program.run(how);
  for (int n = 0; n < 10; ++n) program.there.launch(nullptr);
  CHECK(cudaDeviceSynchronize());
  const bool right = program.here.right() && program.there.right() && *program.gave_up == 0;
  std::printf("%s: %s\n", how.c_str(), right ? "right" : "WRONG");
  if (how == "left") wait_for<<<1, 1, 0, program.one>>>(program.host_flag, 1, program.gave_up);
  return 0;
}
