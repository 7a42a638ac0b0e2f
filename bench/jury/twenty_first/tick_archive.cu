// Reads the archive of a stock exchange: 134 million trades of 64 shares on 128 days. Prices are stored as
// differences, packed into as few bits as the largest difference of 1024 trades needs. A request asks for the
// lowest, the highest and the mean price and for jumps that are larger than a limit. A request a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kLanes = 32, kOfLane = 32, kHourTiles = 16, kShares = 64, kDays = 128;
constexpr int kHours = kShares * kDays, kTiles = kHours * kHourTiles, kThreads = 256;
constexpr int kNarrowest = 6, kWidest = 20, kLimits = 24, kRounds = 20000;
constexpr unsigned kMask = 0xffffffffU;

// Words of a tile lie lane by lane: word k of a lane is 32 words behind its word k - 1.
struct Archive {
  unsigned* words;
  int *first_prices, *widths;
  unsigned* starts;
};

struct Candle {
  int low, high, mean, jumps;
};

struct Exchange {
  Archive archive;
  int4 *tiles, *hours;
  double* index;
  int request;
};

// The state of a lane after some of its trades.
struct Trades {
  int price, low, high, jumps;
  long long sum;
};

__device__ Trades first_trade(int price) {
  return {price, price, price, 0, 0};
}

__device__ void add_trade(Trades& trades, unsigned code, int limit) {
  const int change = static_cast<int>(code >> 1) ^ -static_cast<int>(code & 1U);
  trades.price += change;
  trades.low = min(trades.low, trades.price);
  trades.high = max(trades.high, trades.price);
  trades.sum += trades.price;
  trades.jumps += abs(change) > limit ? 1 : 0;
}

// Unpacks a lane's trades of any width.
__device__ Trades unpack_any(const unsigned* packed, int width, int price, int limit) {
  unsigned words[kWidest + 1];
  for (int k = 0; k < width; ++k) words[k] = packed[k * kLanes];  // fault
  words[width] = 0;                                               // fault
  const unsigned mask = (1U << width) - 1;
  Trades trades = first_trade(price);
#pragma unroll 8
  for (int i = 0; i < kOfLane; ++i) {
    const int bit = i * width, word = bit / 32;
    const unsigned code = __funnelshift_r(words[word], words[word + 1], bit % 32) & mask;  // fault
    add_trade(trades, code, limit);
  }
  return trades;
}

// The same for a width that is known when the program is compiled.
template <int kWidth>
__device__ Trades unpack_width(const unsigned* packed, int price, int limit) {
  unsigned words[kWidth + 1];
#pragma unroll
  for (int k = 0; k < kWidth; ++k) words[k] = packed[k * kLanes];
  words[kWidth] = 0;
  Trades trades = first_trade(price);
#pragma unroll
  for (int i = 0; i < kOfLane; ++i) {
    const int bit = i * kWidth, word = bit / 32;
    add_trade(trades, __funnelshift_r(words[word], words[word + 1], bit % 32) & ((1U << kWidth) - 1), limit);
  }
  return trades;
}

// Widths are even.
template <int kWidth>
__device__ Trades unpack_one_of(const unsigned* packed, int width, int price, int limit) {
  if constexpr (kWidth < kWidest)
    if (width != kWidth) return unpack_one_of<kWidth + 2>(packed, width, price, limit);
  return unpack_width<kWidth>(packed, price, limit);
}

// A warp has a tile.
template <bool kKnownWidths>
__global__ void __launch_bounds__(kThreads)
    read_tiles(int4* __restrict__ candles, const unsigned* __restrict__ words,
               const int* __restrict__ first_prices, const int* __restrict__ widths,
               const unsigned* __restrict__ starts, int limit) {
  const auto lane = static_cast<int>(threadIdx.x % kLanes);
  const auto tile = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / kLanes);
  const unsigned* packed = words + starts[tile] + lane;
  const int price = first_prices[tile * kLanes + lane];
  Trades trades = kKnownWidths ? unpack_one_of<kNarrowest>(packed, widths[tile], price, limit)
                               : unpack_any(packed, widths[tile], price, limit);
  trades.low = __reduce_min_sync(kMask, trades.low);
  trades.high = __reduce_max_sync(kMask, trades.high);
  trades.jumps = __reduce_add_sync(kMask, trades.jumps);
  const int mean = __reduce_add_sync(kMask, static_cast<int>(trades.sum / kOfLane)) / kLanes;
  if (lane == 0) candles[tile] = make_int4(trades.low, trades.high, mean, trades.jumps);
}

// A thread has a tile, and 16 of them an hour.
__global__ void __launch_bounds__(kThreads)
    join_hours(int4* __restrict__ hours, const int4* __restrict__ tiles) {
  const auto tile = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int4 own = tiles[tile];
  Candle hour{own.x, own.y, own.z / kHourTiles, own.w};
#pragma unroll
  for (int far = kHourTiles / 2; far > 0; far /= 2) {
    hour.low = min(hour.low, __shfl_xor_sync(kMask, hour.low, far));
    hour.high = max(hour.high, __shfl_xor_sync(kMask, hour.high, far));
    hour.mean += __shfl_xor_sync(kMask, hour.mean, far);
    hour.jumps += __shfl_xor_sync(kMask, hour.jumps, far);
  }
  if (tile % kHourTiles == 0)
    hours[tile / kHourTiles] = make_int4(hour.low, hour.high, hour.mean, hour.jumps);
}

// A block has a day, and a thread a share. How far prices move is summed over requests.
__global__ void __launch_bounds__(kShares)
    find_index(double* __restrict__ index, const int4* __restrict__ hours) {
  __shared__ double warps[kShares / 32];
  const int4 own = hours[blockIdx.x * kShares + threadIdx.x];
  double moves = static_cast<double>(own.y - own.x) / (1 + abs(own.z)) + own.w * 1e-3;
  for (int far = 16; far > 0; far /= 2) moves += __shfl_down_sync(kMask, moves, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = moves;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kShares / 32; ++i) moves += warps[i];
  index[blockIdx.x] += moves / kShares;
}

__global__ void __launch_bounds__(kThreads) fill_words(unsigned* words, unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) words[i] = mixed_bits(i + 0x51ed270bU);
}

int width_of(int tile) {
  constexpr int kWidths[16] = {6, 6, 6, 6, 8, 8, 8, 8, 8, 10, 10, 10, 10, 12, 14, 20};
  return kWidths[mixed_bits(static_cast<unsigned>(tile)) % 16];
}

// Stands for the archive: any words are prices.
Archive read_archive() {
  auto* widths = pinned_array<int>(kTiles);
  auto* starts = pinned_array<unsigned>(kTiles);
  unsigned count = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    widths[tile] = width_of(tile);
    starts[tile] = count;
    count += static_cast<unsigned>(widths[tile] * kLanes);
  }
  const Archive archive{device_array<unsigned>(count), device_array<int>(std::size_t{kTiles} * kLanes),
                        device_array<int>(kTiles), device_array<unsigned>(kTiles)};
  fill_words<<<blocks_for(count, kThreads), kThreads>>>(archive.words, count);
  fill_below(archive.first_prices, std::size_t{kTiles} * kLanes, 1U << 16, 0x3c6ef372U);
  CHECK(cudaMemcpy(archive.widths, widths, kTiles * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(archive.starts, starts, kTiles * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(widths));
  CHECK(cudaFreeHost(starts));
  return archive;
}

template <bool kKnownWidths>
void answer(Exchange& exchange) {
  const Archive& archive = exchange.archive;
  const int limit = 8 << exchange.request++ % kLimits / 3;
  read_tiles<kKnownWidths><<<kTiles / (kThreads / kLanes), kThreads>>>(
      exchange.tiles, archive.words, archive.first_prices, archive.widths, archive.starts, limit);
  join_hours<<<kTiles / kThreads, kThreads>>>(exchange.hours, exchange.tiles);
  find_index<<<kDays, kShares>>>(exchange.index, exchange.hours);
}

template <bool kKnownWidths>
Case make() {
  const auto exchange =
      std::make_shared<Exchange>(Exchange{read_archive(), device_array<int4>(kTiles),
                                          device_array<int4>(kHours), device_array<double>(kDays), 0});
  CHECK(cudaMemset(exchange->index, 0, kDays * sizeof(double)));
  return {[=] { answer<kKnownWidths>(*exchange); }, [=] { return device_sum(exchange->index, kDays); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<false>(); }, [] { return make<true>(); });
}
