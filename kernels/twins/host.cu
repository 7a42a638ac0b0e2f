// D1 to D8: what goes between host and GPU, or between two GPUs.

#include <array>

#include "kernels/curves/managed_calls.cuh"
#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

__host__ __device__ inline Word stirred(Word word, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) word = word * 1664525U + 1013904223U;
  return word;
}

__global__ void stir(Word* out, const Word* in, unsigned count, unsigned rounds) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = thread_index(); i < count; i += step) out[i] = stirred(in[i], rounds);
}

// Goes over the words several times.
__global__ void sum_touches(Word* out, const Word* in, unsigned passes) {
  const volatile Word* const words = in;
  Word sum = 0;
  for (unsigned pass = 0; pass < passes; ++pass) sum += words[thread_index()];
  out[thread_index()] = sum;
}

// One word of each eight.
__global__ void take_eighth(Word* out, const Word* in) {
  out[thread_index()] = in[thread_index() * 8];
}
__global__ void take_in_order(Word* out, const Word* in) {
  out[thread_index()] = in[thread_index()];
}

__global__ void count_up(Word* words) {
  ++words[thread_index()];
}

namespace {

constexpr unsigned kGrid = 1056, kFewRounds = 16;

SharedWords pinned_words(std::int64_t count) {
  void* words = nullptr;
  check_cuda(cudaHostAlloc(&words, static_cast<std::size_t>(count * kWordBytes), cudaHostAllocMapped),
             "cudaHostAlloc (a twin needs up to 128 MiB that may be pinned)");
  return SharedWords(static_cast<Word*>(words), [](Word* held) { cudaFreeHost(held); });
}

SharedWords managed_words(std::int64_t count) {
  int device = 0, at_once = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&at_once, cudaDevAttrConcurrentManagedAccess, device),
             "cudaDeviceGetAttribute");
  if (at_once == 0) throw NotHere("host and GPU may not touch managed memory at once here");
  void* words = nullptr;
  check_cuda(cudaMallocManaged(&words, static_cast<std::size_t>(count * kWordBytes)), "cudaMallocManaged");
  return SharedWords(static_cast<Word*>(words), [](Word* held) { cudaFree(held); });
}

SharedWords with_input(SharedWords words, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) words[static_cast<std::size_t>(i)] = input_word(i);
  return words;
}

SharedWords pageable_words(std::int64_t count) {
  return SharedWords(new Word[static_cast<std::size_t>(count)]());
}

SharedWords host_words(bool pinned, std::int64_t count) {
  return pinned ? pinned_words(count) : pageable_words(count);
}

std::size_t bytes_of(std::int64_t words) {
  return static_cast<std::size_t>(words * kWordBytes);
}

// Of memory that the host can read.
template <class Expected>
std::optional<std::string> mistake_on_host(const Word* words, Checked checked, Expected expected) {
  for (std::int64_t i = 0; i < checked.count; i += checked.step)
    if (words[i] != expected(i))
      return "word " + std::to_string(i) + " is " + std::to_string(words[i]) + ", not " +
             std::to_string(expected(i));
  return std::nullopt;
}

constexpr std::int64_t kLargeWords = 16 * kMiB;  // 64 MiB

Computation pageable_upload(Side side) {
  // The word behind them is another one in each run: the same bytes again would be another fault.
  constexpr std::int64_t kWords = kLargeWords + 1;
  const SharedWords host = with_input(host_words(side == Side::clean, kWords), kWords);
  const SharedWords device = device_words(kWords);
  return {[=] {
            ++host[kLargeWords];
            check_cuda(cudaMemcpy(device.get(), host.get(), bytes_of(kWords), cudaMemcpyHostToDevice),
                       "cudaMemcpy");
          },
          [=] { return first_mistake(device.get(), {kLargeWords}, input_word); }};
}

Computation pageable_download(Side side) {
  const SharedWords host = host_words(side == Side::clean, kLargeWords);
  const SharedWords device = filled_words(kLargeWords, InOrder());
  return {[=] {
            check_cuda(cudaMemcpy(host.get(), device.get(), bytes_of(kLargeWords), cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
          },
          [=] { return mistake_on_host(host.get(), {kLargeWords}, input_word); }};
}

Computation small_copies(Side side) {
  constexpr std::int64_t kWords = kMiB, kPieceWords = 1 * kKiB;
  const std::int64_t piece = side == Side::fault ? kPieceWords : kWords;
  const SharedWords host = with_input(pinned_words(kWords), kWords);
  const SharedWords device = device_words(kWords);
  return {[=] {
            for (std::int64_t at = 0; at < kWords; at += piece)
              check_cuda(cudaMemcpyAsync(device.get() + at, host.get() + at, bytes_of(piece),
                                         cudaMemcpyHostToDevice, nullptr),
                         "cudaMemcpyAsync");
          },
          [=] { return first_mistake(device.get(), {kWords}, input_word); }};
}

using Streams = std::vector<std::shared_ptr<BlockingStream>>;
Streams streams(std::size_t count) {
  Streams all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_shared<BlockingStream>());
  return all;
}

// Upload, kernel, download.
struct Stages {
  std::int64_t words;
  unsigned rounds;
  SharedWords from = with_input(pinned_words(words), words), to = pinned_words(words);
  SharedWords in = device_words(words), out = device_words(words);

  void kernel(std::int64_t at, std::int64_t count, cudaStream_t stream) const {
    stir<<<kGrid, kThreads, 0, stream>>>(out.get() + at, in.get() + at, static_cast<unsigned>(count), rounds);
  }
  void queue(std::int64_t at, std::int64_t count, cudaStream_t stream) const {
    check_cuda(
        cudaMemcpyAsync(in.get() + at, from.get() + at, bytes_of(count), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
    kernel(at, count, stream);
    check_cuda(
        cudaMemcpyAsync(to.get() + at, out.get() + at, bytes_of(count), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  }
  void wait_for_each(std::int64_t at, std::int64_t count) const {
    check_cuda(cudaMemcpy(in.get() + at, from.get() + at, bytes_of(count), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    kernel(at, count, nullptr);
    check_cuda(cudaMemcpy(to.get() + at, out.get() + at, bytes_of(count), cudaMemcpyDeviceToHost),
               "cudaMemcpy");
  }
  std::optional<std::string> find_mistake() const {
    return mistake_on_host(to.get(), {words, 101},
                           [this](std::int64_t i) { return stirred(input_word(i), rounds); });
  }
};

Computation synchronous_copies(Side side) {
  constexpr std::int64_t kWords = 4 * kMiB, kPart = kWords / 16;
  const Stages stages{kWords, kFewRounds};
  const Streams own = streams(4);
  if (side == Side::fault)
    return {[=] {
              for (std::int64_t at = 0; at < kWords; at += kPart) stages.wait_for_each(at, kPart);
            },
            [=] { return stages.find_mistake(); }};
  return {[=] {
            for (std::int64_t at = 0; at < kWords; at += kPart)
              stages.queue(at, kPart, *own[static_cast<std::size_t>(at / kPart) % own.size()]);
          },
          [=] { return stages.find_mistake(); }};
}

// The kernel takes about as long as a copy.
Computation copies_in_turn(Side side) {
  constexpr std::int64_t kWords = 8 * kMiB;
  constexpr unsigned kRounds = 1500;
  const std::int64_t part = side == Side::fault ? kWords : kWords / 8;
  const Stages stages{kWords, kRounds};
  const Streams own = streams(side == Side::fault ? 1 : 4);
  return {[=] {
            for (std::int64_t at = 0; at < kWords; at += part)
              stages.queue(at, part, *own[static_cast<std::size_t>(at / part) % own.size()]);
          },
          [=] { return stages.find_mistake(); }};
}

// What nothing changes, before each kernel or once for all. More than L2 holds: otherwise what was copied
// once is read from there.
Computation upload_again(Side side) {
  const SharedWords host = with_input(pageable_words(kLargeWords), kLargeWords);
  const SharedWords in = device_words(kLargeWords), out = device_words(kLargeWords);
  const auto upload = [=] {
    check_cuda(cudaMemcpy(in.get(), host.get(), bytes_of(kLargeWords), cudaMemcpyHostToDevice), "cudaMemcpy");
  };
  const bool each_time = side == Side::fault;
  if (!each_time) upload();
  return {[=] {
            if (each_time) upload();
            stir<<<kGrid, kThreads>>>(out.get(), in.get(), static_cast<unsigned>(kLargeWords), kFewRounds);
          },
          [=] {
            return first_mistake(out.get(), {kLargeWords, 11},
                                 [](std::int64_t i) { return stirred(input_word(i), kFewRounds); });
          }};
}

// Results come to the host through pinned memory, of each run its own or one for all.
Computation pinned_again(Side side) {
  constexpr std::int64_t kWords = 4 * kMiB;
  const SharedWords in = filled_words(kWords, InOrder()), out = device_words(kWords);
  const bool each_time = side == Side::fault;
  const auto host = std::make_shared<SharedWords>(pinned_words(kWords));
  return {[=] {
            if (each_time) {
              host->reset();
              *host = pinned_words(kWords);
            }
            stir<<<kGrid, kThreads>>>(out.get(), in.get(), static_cast<unsigned>(kWords), kFewRounds);
            check_cuda(
                cudaMemcpyAsync(host->get(), out.get(), bytes_of(kWords), cudaMemcpyDeviceToHost, nullptr),
                "cudaMemcpyAsync");
            check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
          },
          [=] {
            return mistake_on_host(host->get(), {kWords, 11},
                                   [](std::int64_t i) { return stirred(input_word(i), kFewRounds); });
          }};
}

// The kernel stores to each word that was set before.
Computation set_before(Side side) {
  const SharedWords in = filled_words(kLargeWords, InOrder()), out = device_words(kLargeWords);
  const bool sets = side == Side::fault;
  return {[=] {
            if (sets)
              check_cuda(cudaMemsetAsync(out.get(), 0, bytes_of(kLargeWords), nullptr), "cudaMemsetAsync");
            stir<<<kGrid, kThreads>>>(out.get(), in.get(), static_cast<unsigned>(kLargeWords), kFewRounds);
          },
          [=] {
            return first_mistake(out.get(), {kLargeWords, 11},
                                 [](std::int64_t i) { return stirred(input_word(i), kFewRounds); });
          }};
}

Computation round_trip(Side side) {
  constexpr std::int64_t kWords = 8 * kMiB;
  constexpr auto kCount = static_cast<unsigned>(kWords);
  const bool through_host = side == Side::fault;
  const SharedWords in = filled_words(kWords, InOrder()), out = device_words(kWords);
  const SharedWords between = device_words(kWords), host = pinned_words(kWords);
  return {[=] {
            stir<<<kGrid, kThreads>>>(between.get(), in.get(), kCount, kFewRounds);
            if (through_host) {
              check_cuda(cudaMemcpyAsync(host.get(), between.get(), bytes_of(kWords), cudaMemcpyDeviceToHost),
                         "cudaMemcpyAsync");
              check_cuda(cudaMemcpyAsync(between.get(), host.get(), bytes_of(kWords), cudaMemcpyHostToDevice),
                         "cudaMemcpyAsync");
            }
            stir<<<kGrid, kThreads>>>(out.get(), between.get(), kCount, kFewRounds);
          },
          [=] {
            return first_mistake(out.get(), {kWords, 101},
                                 [](std::int64_t i) { return stirred(input_word(i), 2 * kFewRounds); });
          }};
}

// In place, or after one copy for all runs.
Computation zero_copy_again(Side side) {
  constexpr unsigned kPasses = 3;
  const SharedWords host = with_input(pinned_words(kLargeWords), kLargeWords);
  const SharedWords out = device_words(kLargeWords);
  const bool copies = side == Side::clean;
  const SharedWords in = copies ? device_words(kLargeWords) : host;
  if (copies)
    check_cuda(cudaMemcpy(in.get(), host.get(), bytes_of(kLargeWords), cudaMemcpyHostToDevice), "cudaMemcpy");
  return {[=] { sum_touches<<<blocks_of(kLargeWords), kBlockThreads>>>(out.get(), in.get(), kPasses); },
          [=] {
            return first_mistake(out.get(), {kLargeWords},
                                 [](std::int64_t i) { return kPasses * input_word(i); });
          }};
}

// The host keeps the words that the kernel takes among others, or by themselves. Each run has words of its
// own: those that many runs read belong on the device.
Computation zero_copy_strided(Side side) {
  constexpr std::int64_t kRuns = 20, kTaken = kMiB / 2;
  const bool apart = side == Side::fault;
  const std::int64_t step = apart ? 8 : 1;
  const SharedWords host = pinned_words(kRuns * kTaken * step);
  for (std::int64_t i = 0; i < kRuns * kTaken; ++i)
    host[static_cast<std::size_t>(step * i)] = input_word(8 * (i % kTaken));
  const SharedWords out = device_words(kTaken);
  const auto kernel = apart ? take_eighth : take_in_order;
  const auto next = std::make_shared<std::int64_t>(0);
  return {
      [=] {
        const std::int64_t run = (*next)++ % kRuns;
        kernel<<<blocks_of(kTaken), kBlockThreads>>>(out.get(), host.get() + run * kTaken * step);
      },
      [=] { return first_mistake(out.get(), {kTaken}, [](std::int64_t i) { return input_word(8 * i); }); }};
}

// Each run has an array of its own, that only the host has touched.
Computation managed_first_touch(Side side) {
  constexpr std::size_t kArrays = 20;
  constexpr std::int64_t kWords = 2 * kMiB;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  std::vector<SharedWords> arrays;
  for (std::size_t i = 0; i < kArrays; ++i) arrays.push_back(with_input(managed_words(kWords), kWords));
  const SharedWords out = device_words(kWords);
  const auto next = std::make_shared<std::size_t>(0);
  const bool fetches = side == Side::clean;
  return {[=] {
            const SharedWords& in = arrays[(*next)++ % kArrays];
            if (fetches) prefetch(in.get(), bytes_of(kWords), device, nullptr);
            stir<<<kGrid, kThreads>>>(out.get(), in.get(), static_cast<unsigned>(kWords), kFewRounds);
          },
          [=] {
            return first_mistake(out.get(), {kWords, 11},
                                 [](std::int64_t i) { return stirred(input_word(i), kFewRounds); });
          }};
}

// The host looks at one word of each MiB after every kernel.
Computation managed_ping_pong(Side side) {
  constexpr std::int64_t kWords = 8 * kMiB, kStep = kMiB / kWordBytes;
  const bool managed = side == Side::fault;
  const SharedWords words =
      managed ? with_input(managed_words(kWords), kWords) : filled_words(kWords, InOrder());
  const SharedWords copy = managed ? words : pinned_words(kWords);
  const auto runs = std::make_shared<Word>(0), seen = std::make_shared<Word>(0);
  return {[=] {
            count_up<<<blocks_of(kWords), kBlockThreads>>>(words.get());
            if (!managed)
              check_cuda(
                  cudaMemcpyAsync(copy.get(), words.get(), bytes_of(kWords), cudaMemcpyDeviceToHost, nullptr),
                  "cudaMemcpyAsync");
            check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
            ++*runs;
            for (std::int64_t i = 0; i < kWords; i += kStep) *seen += copy[static_cast<std::size_t>(i)];
          },
          [=]() -> std::optional<std::string> {
            Word expected = 0;
            for (Word run = 1; run <= *runs; ++run)
              for (std::int64_t i = 0; i < kWords; i += kStep) expected += input_word(i) + run;
            if (expected == *seen) return std::nullopt;
            return "the host saw " + std::to_string(*seen) + ", not " + std::to_string(expected);
          }};
}

Computation peer_without_access(Side side) {
  int devices = 0, here = 0, reachable = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check_cuda(cudaGetDevice(&here), "cudaGetDevice");
  if (devices < 2) throw NotHere("one GPU is visible, and copies between two need two");
  const int there = here == 0 ? 1 : 0;
  check_cuda(cudaDeviceCanAccessPeer(&reachable, here, there), "cudaDeviceCanAccessPeer");
  if (reachable == 0) throw NotHere("the driver allows no peer access between these two GPUs");
  const SharedWords own = filled_words(kLargeWords, InOrder());
  check_cuda(cudaSetDevice(there), "cudaSetDevice");
  const SharedWords other = device_words(kLargeWords);
  check_cuda(cudaSetDevice(here), "cudaSetDevice");
  if (side == Side::clean) check_cuda(cudaDeviceEnablePeerAccess(there, 0), "cudaDeviceEnablePeerAccess");
  return {[=] {
            check_cuda(
                cudaMemcpyPeerAsync(other.get(), there, own.get(), here, bytes_of(kLargeWords), nullptr),
                "cudaMemcpyPeerAsync");
          },
          [=] { return first_mistake(other.get(), {kLargeWords}, input_word); }};
}

}  // namespace

std::vector<TwinCode> host_twins() {
  return {{"pageable_upload", pageable_upload},
          {"pageable_download", pageable_download},
          {"small_copies", small_copies},
          {"synchronous_copies", synchronous_copies},
          {"copies_in_turn", copies_in_turn},
          {"upload_again", upload_again},
          {"pinned_again", pinned_again},
          {"set_before", set_before},
          {"round_trip", round_trip},
          {"zero_copy_again", zero_copy_again},
          {"zero_copy_strided", zero_copy_strided},
          {"managed_first_touch", managed_first_touch},
          {"managed_ping_pong", managed_ping_pong},
          {"peer_without_access", peer_without_access}};
}

}  // namespace coalescope::kernels
