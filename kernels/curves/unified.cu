// D7: managed memory. D8: what kind of memory a pointer leads to, and copies between two GPUs.

#include <array>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/managed_calls.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

__global__ void increment_managed(Word* words, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = thread_index(); i < count; i += step) ++words[i];
}

namespace {

constexpr int kManagedTag = -4;
// Small against any card: managed memory that does not fit makes a machine crawl.
constexpr std::int64_t kManagedBytes = 128 * kMiB, kManagedWords = kManagedBytes / kWordBytes;
constexpr std::int64_t kPageWords = 4 * kKiB / kWordBytes;
constexpr auto kManagedQuads = static_cast<unsigned>(kManagedWords / kQuadWords);

OnDevice<Word> managed_array() {
  void* memory = nullptr;
  check_cuda(cudaMallocManaged(&memory, kManagedBytes), "cudaMallocManaged");
  return OnDevice<Word>(static_cast<Word*>(memory));
}

void write_on_host(Word* words) {
  for (std::int64_t i = 0; i < kManagedWords; ++i) words[i] = input_word(i);
}

// One word of each page is enough to bring it over.
Word read_pages(const Word* words) {
  const volatile Word* const visible = words;
  Word sum = 0;
  for (std::int64_t i = 0; i < kManagedWords; i += kPageWords) sum += visible[i];
  return sum;
}

std::optional<std::string> why_no_managed(const Bench& bench) {
  if (bench.device().managedMemory == 0) return "the driver offers no managed memory here";
  if (bench.device().concurrentManagedAccess == 0)
    return "host and GPU may not touch managed memory at once here, so its pages move as a whole";
  return std::nullopt;
}

void read_all(const Bench& bench, const Sums& sums, const Word* words, cudaStream_t stream) {
  read_quads<kManagedTag>
      <<<bench.full_grid(), kBlockThreads, 0, stream>>>(sums.get(), words, kManagedQuads, 1);
}

// Both sides read all pages in turn: a round trip of the pages, unless both may keep a copy.
void measure_shared_reading(Bench& bench, const char* name, bool read_mostly, int device) {
  const OnDevice<Word> words = managed_array();
  write_on_host(words.get());
  if (read_mostly) advise(words.get(), kManagedBytes, cudaMemAdviseSetReadMostly, device);
  const Stream stream;
  const Sums sums(bench.full_grid());
  Word pages = 0;
  const Times times = bench.on_host(15, [&] {
    read_all(bench, sums, words.get(), stream);
    stream.wait();
    pages = read_pages(words.get());
  });
  bench.time({name, {}, {}}, times);
  bench.check(name, sum_of_words(0, 1, kManagedWords), sums.total());
  bench.check(name, sum_of_words(0, kPageWords, kManagedWords / kPageWords), pages);
}

}  // namespace

void measure_managed(Bench& bench) {
  if (const auto why = why_no_managed(bench)) {
    bench.skipped({"managed_first_touch", {}, {}}, kGbPerSecond, *why);
    return;
  }
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const Sums sums(bench.full_grid());
  const Word total = sum_of_words(0, 1, kManagedWords);
  {
    const OnDevice<Word> words = managed_array();
    const auto back_on_host = [&](cudaStream_t) { write_on_host(words.get()); };
    const auto report = [&](const char* name, const Times& times) {
      bench.bandwidth({name, {}, {}}, kManagedBytes, times);
      bench.check(name, total, sums.total());
    };
    report("managed_first_touch",
           bench.on_gpu(
               11, [&](cudaStream_t stream) { read_all(bench, sums, words.get(), stream); }, back_on_host));
    report("managed_prefetched", bench.on_gpu(
                                     11,
                                     [&](cudaStream_t stream) {
                                       prefetch(words.get(), kManagedBytes, device, stream);
                                       read_all(bench, sums, words.get(), stream);
                                     },
                                     back_on_host));
    report("managed_resident",
           bench.on_gpu(11, [&](cudaStream_t stream) { read_all(bench, sums, words.get(), stream); }));
  }
  {
    const OnDevice<Word> words = managed_array();
    write_on_host(words.get());
    const Stream stream;
    Word rounds = 0;
    const Times times = bench.on_host(15, [&] {
      increment_managed<<<bench.full_grid(), kBlockThreads, 0, stream>>>(words.get(), kManagedWords);
      stream.wait();
      read_pages(words.get());
      ++rounds;
    });
    bench.time({"managed_ping_pong", {}, {}}, times);
    const Word expected = sum_of_words(0, kPageWords, kManagedWords / kPageWords) +
                          rounds * static_cast<Word>(kManagedWords / kPageWords);
    bench.check("managed_ping_pong", expected, read_pages(words.get()));
  }
  measure_shared_reading(bench, "managed_read_by_both", false, device);
  measure_shared_reading(bench, "managed_read_mostly", true, device);
}

void measure_pointer_kinds(Bench& bench) {
  constexpr std::int64_t kBytes = kMiB;
  const OnDevice<Word> device = device_array<Word>(kBytes);
  const OnHost<Word> pinned = pinned_array<Word>(kBytes);
  const auto pageable = std::make_unique<Word[]>(kBytes / kWordBytes);
  const auto registered = std::make_unique<Word[]>(kBytes / kWordBytes);
  check_cuda(cudaHostRegister(registered.get(), kBytes, cudaHostRegisterDefault), "cudaHostRegister");
  const auto kind = [&](const char* name, const void* memory, cudaMemoryType expected) {
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
    bench.fact({name, {}, {}}, "memory_type", expected, attributes.type,
               "cudaMemoryType: 0 unregistered, 1 host, 2 device, 3 managed");
  };
  kind("pointer_kind_device", device.get(), cudaMemoryTypeDevice);
  kind("pointer_kind_pinned", pinned.get(), cudaMemoryTypeHost);
  kind("pointer_kind_registered", registered.get(), cudaMemoryTypeHost);
  kind("pointer_kind_pageable", pageable.get(), cudaMemoryTypeUnregistered);
  check_cuda(cudaHostUnregister(registered.get()), "cudaHostUnregister");
  if (bench.device().managedMemory == 0) {
    bench.skipped({"pointer_kind_managed", {}, {}}, "memory_type",
                  "the driver offers no managed memory here");
    return;
  }
  void* memory = nullptr;
  check_cuda(cudaMallocManaged(&memory, kBytes), "cudaMallocManaged");
  const OnDevice<Word> managed(static_cast<Word*>(memory));
  kind("pointer_kind_managed", managed.get(), cudaMemoryTypeManaged);
}

void measure_peer_copies(Bench& bench) {
  constexpr std::int64_t kBytes = 256 * kMiB;
  const std::array names{"peer_copy", "peer_copy_staged"};
  const auto skip = [&](const std::string& why, std::size_t from = 0) {
    for (std::size_t i = from; i < names.size(); ++i) bench.skipped({names[i], {}, {}}, kGbPerSecond, why);
  };
  int devices = 0, here = 0;
  check_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check_cuda(cudaGetDevice(&here), "cudaGetDevice");
  if (devices < 2) return skip("one GPU is visible, and peer copies need two");
  const int there = here == 0 ? 1 : 0;
  int can_reach = 0;
  check_cuda(cudaDeviceCanAccessPeer(&can_reach, here, there), "cudaDeviceCanAccessPeer");
  const OnDevice<Word> own = filled_array(kBytes);
  check_cuda(cudaSetDevice(there), "cudaSetDevice");
  const OnDevice<Word> other = device_array<Word>(kBytes);
  check_cuda(cudaSetDevice(here), "cudaSetDevice");
  const OnDevice<Word> back = device_array<Word>(kBytes);
  const auto measure = [&](const char* name) {
    check_cuda(cudaMemset(back.get(), 0, kBytes), "cudaMemset");
    const Times times = bench.on_gpu(9, [&](cudaStream_t stream) {
      check_cuda(cudaMemcpyPeerAsync(other.get(), there, own.get(), here, kBytes, stream),
                 "cudaMemcpyPeerAsync");
    });
    bench.bandwidth({name, {}, {}}, kBytes, times);
    check_cuda(cudaMemcpyPeer(back.get(), here, other.get(), there, kBytes), "cudaMemcpyPeer");
    const Sums sums(bench.full_grid());
    read_quads<kManagedTag><<<bench.full_grid(), kBlockThreads>>>(
        sums.get(), back.get(), static_cast<unsigned>(kBytes / kWordBytes / kQuadWords), 1);
    bench.check(name, sum_of_words(0, 1, kBytes / kWordBytes), sums.total());
  };
  measure(names[1]);
  if (can_reach == 0) {
    bench.skipped({names[0], {}, {}}, kGbPerSecond,
                  "the driver allows no peer access between these two GPUs");
    return;
  }
  check_cuda(cudaDeviceEnablePeerAccess(there, 0), "cudaDeviceEnablePeerAccess");
  measure(names[0]);
  check_cuda(cudaDeviceDisablePeerAccess(there), "cudaDeviceDisablePeerAccess");
}

}  // namespace coalescope::kernels
