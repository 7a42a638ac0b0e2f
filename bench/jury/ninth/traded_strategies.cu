// Tries 135,168 strategies on the prices of a market, 16,384 candles: each buys and sells where a fast
// average of the prices crosses a slow one. A round is a market, which the host draws; it looks at the
// profits.
// Nothing is wrong: all strategies of a block need the same candle at the same time, and find it in shared
// memory, where the next 256 are copied meanwhile; candles and profits are copied beside the kernel of
// another market, from and to pinned memory. The pattern is that of enarjord/passivbot, issue 1739: candles
// that threads share belong in shared memory.
#include <array>
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kThreads = 256, kBlocks = 528, kStrategies = kBlocks * kThreads, kCandles = 16384;
constexpr int kTile = kThreads, kTiles = kCandles / kTile, kSlots = 3, kRounds = 1000;
constexpr std::size_t kCandleBytes = kCandles * sizeof(float4), kProfitBytes = kStrategies * sizeof(float);

struct Strategy {
  float fast, slow, margin;
};

// The same in each market.
__device__ Strategy strategy_of(unsigned number) {
  return {0.1F + 0.4F * mixed_fraction(3 * number), 0.005F + 0.05F * mixed_fraction(3 * number + 1),
          0.002F * mixed_fraction(3 * number + 2)};
}

__device__ void bring_tile(float4* tile, const float4* candles) {
  __pipeline_memcpy_async(tile + threadIdx.x, candles + threadIdx.x, sizeof(float4));
  __pipeline_commit();
}

// A candle has its highest, lowest and last price, and the amount traded.
__global__ void __launch_bounds__(kThreads) trade(float* profits, const float4* candles) {
  __shared__ float4 tiles[2][kTile];
  const unsigned number = blockIdx.x * kThreads + threadIdx.x;
  const Strategy strategy = strategy_of(number);
  float fast = 1, slow = 1, held = 0, money = 1;
  bring_tile(tiles[0], candles);
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles) bring_tile(tiles[(tile + 1) % 2], candles + (tile + 1) * kTile);
    __pipeline_wait_prior(tile + 1 < kTiles ? 1 : 0);
    __syncthreads();
#pragma unroll 4
    for (const float4& candle : tiles[tile % 2]) {
      const float price = (candle.x + candle.y + candle.z) * (1.0F / 3), calm = 1 - 0.2F * candle.w;
      fast += strategy.fast * calm * (price - fast);
      slow += strategy.slow * calm * (price - slow);
      const float wanted = fast > slow * (1 + strategy.margin) ? 1.0F : 0.0F;
      const float bought = wanted - held;
      money -= bought * price + 1e-5F * fabsf(bought);
      held = wanted;
    }
    __syncthreads();
  }
  profits[number] = money + held * slow;
}

// Of a market under way.
struct Slot {
  float4 *drawn, *candles;
  float *profits, *shown;
  cudaEvent_t sent, traded, fetched;
};

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

Slot made_slot() {
  Slot slot{pinned_array<float4>(kCandles),
            device_array<float4>(kCandles),
            device_array<float>(kStrategies),
            pinned_array<float>(kStrategies),
            made_event(),
            made_event(),
            made_event()};
  std::memset(slot.shown, 0, kProfitBytes);
  return slot;
}

// Prices go up and down, and stay near one.
void draw_market(float4* candles, unsigned market) {
  float price = 1;
  for (unsigned i = 0; i < kCandles; ++i) {
    const unsigned own = market * kCandles + i;
    const float step = 0.01F * (mixed_fraction(own) - 0.5F), spread = 0.003F * mixed_fraction(own + 77);
    price += step + 0.001F * (1 - price);
    candles[i] = make_float4(price + spread, price - spread, price, mixed_fraction(own + 99));
  }
}

// The host looks at some strategies.
double looked_at(const float* profits) {
  double sum = 0;
  for (int i = 0; i < kStrategies; i += 512) sum += profits[i];
  return sum;
}

Case make() {
  std::array<Slot, kSlots> slots{};
  for (Slot& slot : slots) slot = made_slot();
  std::array<cudaStream_t, 3> streams{};  // to the device, on the device, from the device
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto market = std::make_shared<unsigned>(0);
  auto seen = std::make_shared<double>(0);
  return {[=] {
            const Slot& slot = slots[*market % kSlots];
            const auto [to, on, from] = streams;
            CHECK(cudaEventSynchronize(slot.fetched));
            *seen += looked_at(slot.shown);
            draw_market(slot.drawn, (*market)++);
            CHECK(cudaMemcpyAsync(slot.candles, slot.drawn, kCandleBytes, cudaMemcpyHostToDevice, to));
            CHECK(cudaEventRecord(slot.sent, to));
            CHECK(cudaStreamWaitEvent(on, slot.sent));
            trade<<<kBlocks, kThreads, 0, on>>>(slot.profits, slot.candles);
            CHECK(cudaEventRecord(slot.traded, on));
            CHECK(cudaStreamWaitEvent(from, slot.traded));
            CHECK(cudaMemcpyAsync(slot.shown, slot.profits, kProfitBytes, cudaMemcpyDeviceToHost, from));
            CHECK(cudaEventRecord(slot.fetched, from));
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return *seen;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
