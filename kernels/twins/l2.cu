// C1 to C5: what L2 could hold and does not, and L2 windows that ask for more than was set aside.

#include <algorithm>

#include "kernels/curves/l2_windows.cuh"
#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

// Adds up f(word, pass) in several passes; a thread always reads the same words. `tile`: so many rounds of
// the grid are finished before the next ones begin.
__global__ void sum_in_passes(Word* sums, const Word* in, unsigned rounds, unsigned tile, unsigned passes) {
  const unsigned step = gridDim.x * blockDim.x;
  Word sum = 0;
  for (unsigned begin = 0; begin < rounds; begin += tile)
    for (unsigned pass = 1; pass <= passes; ++pass)
      for (unsigned round = begin; round < begin + tile; ++round)
        sum += pass * load_quad(in + std::int64_t{kQuadWords} * (round * step + thread_index()));
  sums[thread_index()] = sum;
}

// Three quads of a table, round and round, and one of a stream. Each quad of the table belongs to one thread.
__global__ void look_up_beside_stream(Word* sums, const Word* table, unsigned table_quads, const Word* stream,
                                      unsigned rounds) {
  constexpr unsigned kLookUps = 3;
  const unsigned step = gridDim.x * blockDim.x;
  Word sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < kLookUps; ++i)
      sum += load_quad(table + kQuadWords * (((round * kLookUps + i) * step + thread_index()) % table_quads));
    sum += load_quad(stream + std::int64_t{kQuadWords} * (round * step + thread_index()));
  }
  sums[thread_index()] = sum;
}

// Goes over an array again and again.
__global__ void sum_again(Word* sums, const Word* in, unsigned rounds, unsigned passes) {
  const unsigned step = gridDim.x * blockDim.x;
  Word sum = 0;
  for (unsigned pass = 0; pass < passes; ++pass)
    for (unsigned round = 0; round < rounds; ++round)
      sum += load_quad(in + std::int64_t{kQuadWords} * (round * step + thread_index()));
  sums[thread_index()] = sum;
}

namespace {

constexpr std::int64_t kQuadBytes = kQuadWords * kWordBytes;
constexpr unsigned kLookUpsPerQuad = 3;

struct Gpu {
  unsigned grid = 0;
  std::int64_t set_aside = 0;
  std::int64_t l2_bytes = 0;

  unsigned threads() const { return grid * static_cast<unsigned>(kBlockThreads); }
  // So many rounds of the grid, a quad a thread, are as much as fits.
  unsigned rounds_in(std::int64_t bytes) const {
    return std::max(1U, static_cast<unsigned>(bytes / kQuadBytes / threads()));
  }
  std::int64_t words(unsigned rounds) const { return std::int64_t{kQuadWords} * rounds * threads(); }
};

Gpu this_gpu() {
  int device = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return {static_cast<unsigned>(properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor /
                                static_cast<int>(kBlockThreads)),
          properties.persistingL2CacheMaxSize, properties.l2CacheSize};
}

// Sets aside all that may be.
Gpu gpu_with_set_aside() {
  const Gpu gpu = this_gpu();
  if (gpu.set_aside <= 0) throw NotHere("this GPU, or how it is set up, has no L2 residency control");
  SetAside::use(static_cast<std::size_t>(gpu.set_aside));
  return gpu;
}

std::optional<std::string> wrong_total(const Word* sums, std::int64_t count, Word expected) {
  const SharedWords copy = copied_back(sums, count);
  Word total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += copy[static_cast<std::size_t>(i)];
  if (total == expected) return std::nullopt;
  return "the sums add up to " + std::to_string(total) + ", not " + std::to_string(expected);
}

Word total_of(std::int64_t words) {
  return sum_of_words(0, 1, static_cast<std::uint64_t>(words));
}

Computation unblocked_passes(Side side) {
  constexpr unsigned kPasses = 4, kTile = 3;
  constexpr std::int64_t kBytes = 256 * kMiB;
  const Gpu gpu = this_gpu();
  const unsigned rounds = gpu.rounds_in(kBytes) / kTile * kTile;
  const unsigned tile = side == Side::fault ? rounds : kTile;
  const SharedWords in = filled_words(gpu.words(rounds), InOrder());
  const SharedWords sums = device_words(gpu.threads());
  return {[=] { sum_in_passes<<<gpu.grid, kThreads>>>(sums.get(), in.get(), rounds, tile, kPasses); },
          [=] {
            constexpr Word kFactor = kPasses * (kPasses + 1) / 2;
            return wrong_total(sums.get(), gpu.threads(), kFactor * total_of(gpu.words(rounds)));
          }};
}

struct LookUps {
  Gpu gpu;
  unsigned table_rounds = 0, rounds = 0;
  SharedWords table, stream, sums;

  LookUps(const Gpu& on, std::int64_t table_bytes, std::int64_t stream_bytes)
      : gpu(on),
        table_rounds(on.rounds_in(table_bytes)),
        rounds(on.rounds_in(stream_bytes)),
        table(filled_words(on.words(table_rounds), InOrder())),
        stream(filled_words(on.words(rounds), InOrder())),
        sums(device_words(on.threads())) {}

  std::int64_t table_bytes() const { return gpu.words(table_rounds) * kWordBytes; }
  void run(cudaStream_t on) const {
    look_up_beside_stream<<<gpu.grid, kThreads, 0, on>>>(sums.get(), table.get(),
                                                         table_rounds * gpu.threads(), stream.get(), rounds);
  }
  std::optional<std::string> find_mistake() const {
    const auto read = static_cast<std::uint64_t>(gpu.words(rounds));
    const Word looked_up =
        sum_of_rounds(static_cast<std::uint64_t>(gpu.words(table_rounds)), kLookUpsPerQuad * read);
    return wrong_total(sums.get(), gpu.threads(), looked_up + sum_of_words(0, 1, read));
  }
};

// One and a half times as large as what was set aside.
LookUps large_table() {
  const Gpu gpu = gpu_with_set_aside();
  return {gpu, gpu.set_aside * 3 / 2, 256 * kMiB};
}

Computation with_l2_window(const LookUps& work, L2Window l2_window) {
  int device = 0, most = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, device),
             "cudaDeviceGetAttribute");
  l2_window.bytes = std::min(l2_window.bytes, std::int64_t{most});
  const auto stream = std::make_shared<BlockingStream>();
  set_l2_window(*stream, l2_window);
  return {[=] { work.run(*stream); }, [=] { return work.find_mistake(); }};
}

// The L2 window is cut down to what fits.
Computation l2_window_too_large(Side side) {
  const LookUps work = large_table();
  const std::int64_t bytes = side == Side::fault ? work.table_bytes() : work.gpu.set_aside;
  return with_l2_window(work, {work.table.get(), bytes, 1});
}

// As large a part of the L2 window as fits is to persist.
Computation l2_window_untuned(Side side) {
  const LookUps work = large_table();
  const double fits = static_cast<double>(work.gpu.set_aside) / static_cast<double>(work.table_bytes());
  return with_l2_window(work, {work.table.get(), work.table_bytes(), side == Side::fault ? 1 : fits});
}

Computation l2_window_left_on(Side side) {
  constexpr unsigned kPasses = 16;
  const Gpu gpu = gpu_with_set_aside();
  const LookUps work(gpu, gpu.set_aside * 9 / 10, 64 * kMiB);
  const unsigned rounds = gpu.rounds_in(gpu.l2_bytes * 7 / 10);
  const SharedWords later = filled_words(gpu.words(rounds), InOrder());
  const SharedWords later_sums = device_words(gpu.threads());
  const auto stream = std::make_shared<BlockingStream>();
  const bool gives_back = side == Side::clean;
  return {[=] {
            set_l2_window(*stream, {work.table.get(), work.table_bytes(), 1});
            work.run(*stream);
            if (gives_back) {
              set_l2_window(*stream, {});
              check_cuda(cudaStreamSynchronize(*stream), "cudaStreamSynchronize");
              SetAside::reset();
            }
            sum_again<<<gpu.grid, kThreads, 0, *stream>>>(later_sums.get(), later.get(), rounds, kPasses);
          },
          [=] {
            const auto mistake = work.find_mistake();
            const Word total = kPasses * total_of(gpu.words(rounds));
            return mistake ? mistake : wrong_total(later_sums.get(), gpu.threads(), total);
          }};
}

// Four tables, each two fifths of what was set aside, in streams of their own.
Computation l2_windows_together(Side side) {
  constexpr std::size_t kStreams = 4;
  Gpu gpu = gpu_with_set_aside();
  const std::int64_t table_bytes = gpu.set_aside * 2 / 5;
  gpu.grid /= kStreams;
  const double hit_ratio =
      side == Side::fault ? 1
                          : static_cast<double>(gpu.set_aside) / kStreams / static_cast<double>(table_bytes);
  std::vector<LookUps> works;
  std::vector<std::shared_ptr<BlockingStream>> streams;
  for (std::size_t i = 0; i < kStreams; ++i) {
    works.emplace_back(gpu, table_bytes, 64 * kMiB);
    streams.push_back(std::make_shared<BlockingStream>());
    set_l2_window(*streams.back(), {works.back().table.get(), works.back().table_bytes(), hit_ratio});
  }
  return {[=] {
            for (std::size_t i = 0; i < kStreams; ++i) works[i].run(*streams[i]);
          },
          [=]() -> std::optional<std::string> {
            for (const LookUps& work : works)
              if (auto mistake = work.find_mistake()) return mistake;
            return std::nullopt;
          }};
}

}  // namespace

std::vector<TwinCode> l2_twins() {
  return {{"unblocked_passes", unblocked_passes},
          {"window_too_large", l2_window_too_large},
          {"window_untuned", l2_window_untuned},
          {"window_left_on", l2_window_left_on},
          {"windows_together", l2_windows_together}};
}

}  // namespace coalescope::kernels
