// Turns the letters of a million strings, 256 bytes each on average, into capital ones.
// At fault: a thread takes a string, byte by byte, so that the lanes of a warp read and write single bytes
// 256 bytes apart. The pattern is that of rapidsai/cudf, whose pull request 15441 takes the bytes of long
// strings in parallel.
#include "../case.cuh"

namespace {

constexpr int kStrings = 1 << 20, kShortest = 192, kLengths = 129, kThreads = 256;
// As long as all strings may be together, and a multiple of 16.
constexpr std::size_t kRoom = static_cast<std::size_t>(kStrings) * (kShortest + kLengths - 1);

__device__ unsigned capital(unsigned letter) {
  return letter >= 'a' && letter <= 'z' ? letter - 32 : letter;
}

__device__ unsigned capitals(unsigned four) {
  unsigned changed = 0;
  for (int shift = 0; shift < 32; shift += 8) changed |= capital(four >> shift & 0xff) << shift;
  return changed;
}

__global__ void capitals_by_string(unsigned char* out, const unsigned char* in, const int* offsets) {
  const int string = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (string >= kStrings) return;
  const int end = offsets[string + 1];
  for (int i = offsets[string]; i < end; ++i) {
    const unsigned letter = in[i];                         // fault
    out[i] = static_cast<unsigned char>(capital(letter));  // fault
  }
}

// The strings lie side by side, and a letter needs no other.
__global__ void capitals_by_bytes(uint4* out, const uint4* in, std::size_t words) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const uint4 w = in[i];
  out[i] = make_uint4(capitals(w.x), capitals(w.y), capitals(w.z), capitals(w.w));
}

struct Column {
  unsigned char *in, *out;
  int* offsets;
  std::size_t bytes;
};

__global__ void fill_letters(unsigned char* letters, std::size_t bytes) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < bytes) letters[i] = static_cast<unsigned char>(' ' + mixed_bits(static_cast<unsigned>(i)) % 95);
}

Column made_column() {
  Column column{device_array<unsigned char>(kRoom), device_array<unsigned char>(kRoom),
                device_array<int>(kStrings + 1), 0};
  auto* offsets = pinned_array<int>(kStrings + 1);
  for (int i = 0; i < kStrings; ++i) {
    offsets[i] = static_cast<int>(column.bytes);
    column.bytes += kShortest + mixed_bits(static_cast<unsigned>(i)) % kLengths;
  }
  offsets[kStrings] = static_cast<int>(column.bytes);
  CHECK(cudaMemcpy(column.offsets, offsets, (kStrings + 1) * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(offsets));
  fill_letters<<<blocks_for(kRoom, 256), 256>>>(column.in, kRoom);
  return column;
}

constexpr int kRounds = 400;

Case by_string() {
  const Column c = made_column();
  return {[=] { capitals_by_string<<<blocks_for(kStrings, kThreads), kThreads>>>(c.out, c.in, c.offsets); },
          [=] { return device_sum(c.out, std::size_t{1} << 22); }, kRounds};
}

Case by_bytes() {
  const Column c = made_column();
  const std::size_t words = (c.bytes + 15) / 16;
  return {[=] {
            capitals_by_bytes<<<blocks_for(words, kThreads), kThreads>>>(
                reinterpret_cast<uint4*>(c.out), reinterpret_cast<const uint4*>(c.in), words);
          },
          [=] { return device_sum(c.out, std::size_t{1} << 22); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, by_string, by_bytes);
}
