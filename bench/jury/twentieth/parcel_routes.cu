// Plans the ways of 256 vans that bring parcels in a city: each way is improved from four starts by turning
// round the stretch that saves most, the shortest of them is kept, and for 2048 new orders the cheapest place
// in all ways is found. Stops come from the host, and prices go back to it. A plan a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kVans = 256, kStarts = 4, kStops = 127, kPlaces = kStops + 2, kTurns = 8, kThreads = 128;
constexpr int kCustomers = 16384, kOrders = 2048, kSlices = 32, kOfSlice = kVans / kSlices, kSlots = 3;
constexpr int kWarps = kThreads / 32, kRounds = 11000;
constexpr unsigned kMask = 0xffffffffU;

using Key = unsigned long long;

// What a van is to bring: customers by their number.
struct Load {
  int count;
  int stops[kStops];
};

// A way from the depot along all stops and back to it.
struct Way {
  float2 places[kPlaces];
  int count;
  float length;
};

__device__ float2 depot() {
  return make_float2(0.5F, 0.5F);
}

__device__ float distance(float2 a, float2 b) {
  const float x = a.x - b.x, y = a.y - b.y;
  return __fsqrt_rn(x * x + y * y);
}

__device__ Key greatest_of_block(Key own, Key* warps) {
  for (int far = 16; far > 0; far /= 2) own = max(own, __shfl_xor_sync(kMask, own, far));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  for (int i = 0; i < kWarps; ++i) own = max(own, warps[i]);
  return own;
}

// How much shorter the way gets if the stretch from `low` to `high` is turned round.
__device__ float saved(const float2* places, const float* legs, int low, int high) {
  return legs[low] + legs[high + 1] - distance(places[low - 1], places[high]) -
         distance(places[low], places[high + 1]);
}

// A block has a start of a van: the stops in the order they came, but from another one on.
__global__ void __launch_bounds__(kThreads)
    improve(Way* __restrict__ found, const Load* __restrict__ loads, const float2* __restrict__ customers) {
  __shared__ float2 places[kPlaces];
  __shared__ float legs[kPlaces];
  __shared__ Key warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), start = static_cast<int>(blockIdx.x),
             van = static_cast<int>(blockIdx.y);
  const int count = loads[van].count, own = thread + 1;
  if (thread < count) places[own] = customers[loads[van].stops[(thread + start * count / kStarts) % count]];
  if (thread == 0) places[0] = places[count + 1] = depot();
  for (int turn = 0; turn < kTurns; ++turn) {
    __syncthreads();
    for (int i = own; i <= count + 1; i += kThreads) legs[i] = distance(places[i - 1], places[i]);
    __syncthreads();
    Key best = 0;
    if (thread < count) {
      for (int gap = 1; gap <= count / 2; ++gap) {
        const int other = thread + gap < count ? own + gap : own + gap - count;
        const int low = min(own, other), high = max(own, other);
        const float gain = saved(places, legs, low, high);
        if (gain > 1e-5F)
          best = max(best, Key{__float_as_uint(gain)} << 32 | static_cast<unsigned>(low << 8 | high));
      }
    }
    best = greatest_of_block(best, warps);
    if (best == 0) break;
    const int low = static_cast<int>(best >> 8 & 255), high = static_cast<int>(best & 255);
    const int left = low + thread, right = high - thread;
    if (left >= right) continue;
    const float2 moved = places[left];
    places[left] = places[right];
    places[right] = moved;
  }
  __syncthreads();
  Way& way = found[van * kStarts + start];
  for (int i = thread; i <= count + 1; i += kThreads) way.places[i] = places[i];
  float length = 0;
  for (int i = own; i <= count + 1; i += kThreads) length += distance(places[i - 1], places[i]);
  for (int far = 16; far > 0; far /= 2) length += __shfl_xor_sync(kMask, length, far);
  float* lengths = legs;
  if (thread % 32 == 0) lengths[thread / 32] = length;
  __syncthreads();
  if (thread != 0) return;
  way.count = count;
  way.length = lengths[0] + lengths[1] + lengths[2] + lengths[3];
}

// A block has a van. Orders have no price yet.
__global__ void __launch_bounds__(kThreads)
    choose(Way* __restrict__ ways, Key* __restrict__ prices, const Way* __restrict__ found) {
  const auto thread = static_cast<int>(threadIdx.x), van = static_cast<int>(blockIdx.x);
  const Way* own = found + van * kStarts;
  int best = 0;
  for (int start = 1; start < kStarts; ++start)
    if (own[start].length < own[best].length) best = start;
  const int count = own[best].count, order = van * kThreads + thread;
  for (int i = thread; i <= count + 1; i += kThreads) ways[van].places[i] = own[best].places[i];
  if (order < kOrders) prices[order] = ~Key{0};
  if (thread != 0) return;
  ways[van].count = count;
  ways[van].length = own[best].length;
}

// Blocks have 128 orders and eight vans each.
__global__ void __launch_bounds__(kThreads)
    price_orders(Key* __restrict__ prices, const Way* __restrict__ ways, const float2* __restrict__ customers,
                 int round) {
  __shared__ float2 places[kPlaces];
  __shared__ float legs[kPlaces];
  const auto thread = static_cast<int>(threadIdx.x);
  const int order = static_cast<int>(blockIdx.x) * kThreads + thread;
  const float2 there = customers[(order + round * 977) % kCustomers];
  Key least = ~Key{0};
  for (int van = static_cast<int>(blockIdx.y) * kOfSlice; van < static_cast<int>(blockIdx.y + 1) * kOfSlice;
       ++van) {
    const int count = ways[van].count;
    for (int i = thread; i <= count + 1; i += kThreads) places[i] = ways[van].places[i];
    __syncthreads();
    for (int i = thread + 1; i <= count + 1; i += kThreads) legs[i] = distance(places[i - 1], places[i]);
    __syncthreads();
    float cheapest = 1e9F, before = distance(places[0], there);
    int leg = 0;
    for (int i = 1; i <= count + 1; ++i) {
      const float after = distance(places[i], there);
      const float price = before + after - legs[i];
      leg = price < cheapest ? i : leg;
      cheapest = fminf(cheapest, price);
      before = after;
    }
    const unsigned bits = __float_as_uint(fmaxf(cheapest, 0));
    least = min(least, Key{bits} << 32 | static_cast<unsigned>(van << 8 | leg));
    __syncthreads();
  }
  atomicMin(prices + order, least);
}

struct Slot {
  Load *host_loads, *loads;
  Way *found, *ways;
  Key *prices, *host_prices;
  cudaStream_t stream;
};

struct Company {
  float2* customers;
  Slot slots[kSlots];
  int round;
  double paid;
};

// What the orders would cost, in hundredths of the city's width.
void read_prices(Company& company, const Slot& slot) {
  CHECK(cudaStreamSynchronize(slot.stream));
  double sum = 0;
  for (int order = 0; order < kOrders; ++order) {
    const auto bits = static_cast<unsigned>(slot.host_prices[order] >> 32);
    float price = 0;
    std::memcpy(&price, &bits, sizeof(price));
    sum += 100 * static_cast<double>(price);
  }
  company.paid += sum;
}

// Stands for the depot, where vans are loaded anew.
void load_vans(const Slot& slot, int round) {
  for (int van = 0; van < kVans; ++van) {
    const auto seed = static_cast<unsigned>((round * kVans + van) * 128);
    Load& load = slot.host_loads[van];
    load.count = 96 + static_cast<int>(mixed_bits(seed) % 32);
    for (int i = 0; i < load.count; ++i)
      load.stops[i] = static_cast<int>(mixed_bits(seed + 1 + static_cast<unsigned>(i)) % kCustomers);
  }
}

void send_loads(const Slot& slot, bool by_van) {
  if (by_van) {
    for (int van = 0; van < kVans; ++van) {
      const auto used = sizeof(int) * static_cast<std::size_t>(1 + slot.host_loads[van].count);
      CHECK(cudaMemcpyAsync(slot.loads + van, slot.host_loads + van, used, cudaMemcpyHostToDevice,  // fault
                            slot.stream));
    }
  } else {
    CHECK(cudaMemcpyAsync(slot.loads, slot.host_loads, kVans * sizeof(Load), cudaMemcpyHostToDevice,
                          slot.stream));
  }
}

void plan(Company& company, bool by_van) {
  const int round = company.round++;
  const Slot& slot = company.slots[round % kSlots];
  if (round >= kSlots) read_prices(company, slot);
  load_vans(slot, round);
  send_loads(slot, by_van);
  improve<<<dim3(kStarts, kVans), kThreads, 0, slot.stream>>>(slot.found, slot.loads, company.customers);
  choose<<<kVans, kThreads, 0, slot.stream>>>(slot.ways, slot.prices, slot.found);
  price_orders<<<dim3(kOrders / kThreads, kSlices), kThreads, 0, slot.stream>>>(slot.prices, slot.ways,
                                                                                company.customers, round);
  CHECK(cudaMemcpyAsync(slot.host_prices, slot.prices, kOrders * sizeof(Key), cudaMemcpyDeviceToHost,
                        slot.stream));
}

Case make(bool by_van) {
  const auto company = std::make_shared<Company>();
  company->customers = device_array<float2>(kCustomers);
  fill_fractions(&company->customers->x, 2 * std::size_t{kCustomers}, 7);
  for (Slot& slot : company->slots) {
    slot = {pinned_array<Load>(kVans),
            device_array<Load>(kVans),
            device_array<Way>(kVans * kStarts),
            device_array<Way>(kVans),
            device_array<Key>(kOrders),
            pinned_array<Key>(kOrders),
            nullptr};
    CHECK(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
  }
  return {[=] { plan(*company, by_van); },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return company->paid;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
