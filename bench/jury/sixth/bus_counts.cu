// The trace of a proof, 192 columns of 65,536 rows: its rows are filled and hashed, and 64 messages of
// each row count into the buckets of a bus.
// At fault: a warp takes a message and walks along all rows, so that eight blocks run on a GPU of 132
// multiprocessors. The pattern is that of powdr-labs/powdr, pull request 3745: a thread a row, which
// takes all messages.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 16, kColumns = 192, kMessages = 64, kThreads = 256, kWarps = kThreads / 32;
constexpr int kState = 8, kMixings = 24, kBuckets = 1 << 17, kRounds = 1200;

struct Message {
  int first, second, third, active;  // columns
  unsigned factor;
};

__global__ void fill_messages(Message* messages) {
  const unsigned i = threadIdx.x;
  messages[i] = {static_cast<int>(mixed_bits(4 * i) % kColumns),
                 static_cast<int>(mixed_bits(4 * i + 1) % kColumns),
                 static_cast<int>(mixed_bits(4 * i + 2) % kColumns),
                 static_cast<int>(mixed_bits(4 * i + 3) % kColumns), 2 * i + 3};
}

// Column by column.
__global__ void fill_trace(unsigned* trace, unsigned number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  trace[i] = mixed_bits(i + number * 0x9e3779b9U);
}

__global__ void hash_rows(unsigned* hashes, const unsigned* trace) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned state[kState] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int column = 0; column < kColumns; column += kState) {
#pragma unroll
    for (int i = 0; i < kState; ++i) state[i] ^= trace[(column + i) * kRows + row];
    for (int mixing = 0; mixing < kMixings; ++mixing) {
#pragma unroll
      for (int i = 0; i < kState; ++i) {
        state[i] = state[i] * 0x01000193U + (state[(i + 1) % kState] >> 7);
      }
    }
  }
  hashes[row] = state[0] ^ state[4];
}

__device__ void count(unsigned* buckets, const unsigned* trace, const Message& message, int row) {
  if ((trace[message.active * kRows + row] & 1) == 0) return;
  const unsigned sum =
      trace[message.first * kRows + row] + message.factor * trace[message.second * kRows + row];
  atomicAdd(buckets + ((sum ^ trace[message.third * kRows + row]) >> 15), 1U);
}

__global__ void count_by_message(unsigned* buckets, const unsigned* trace, const Message* messages) {
  const int warp = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
  for (int i = warp; i < kMessages; i += static_cast<int>(gridDim.x) * kWarps) {  // fault
    const Message message = messages[i];
    for (int row = static_cast<int>(threadIdx.x % 32); row < kRows; row += 32)  // fault
      count(buckets, trace, message, row);                                      // fault
  }
}

__global__ void count_by_row(unsigned* buckets, const unsigned* trace, const Message* messages) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < kMessages; ++i) count(buckets, trace, messages[i], row);
}

Case make(bool by_message) {
  auto* messages = device_array<Message>(kMessages);
  auto* trace = device_array<unsigned>(std::size_t{kColumns} * kRows);
  auto* hashes = device_array<unsigned>(kRows);
  auto* buckets = device_array<unsigned>(kBuckets);
  fill_messages<<<1, kMessages>>>(messages);
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            fill_trace<<<kColumns * kRows / kThreads, kThreads>>>(trace, (*number)++ % 8);
            hash_rows<<<kRows / kThreads, kThreads>>>(hashes, trace);
            CHECK(cudaMemsetAsync(buckets, 0, kBuckets * sizeof(unsigned)));
            if (by_message) {
              count_by_message<<<kMessages / kWarps, kThreads>>>(buckets, trace, messages);  // fault
            } else {
              count_by_row<<<kRows / 128, 128>>>(buckets, trace, messages);
            }
          },
          [=] { return device_sum(buckets, kBuckets) + device_sum(hashes, kRows) / kRows; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
