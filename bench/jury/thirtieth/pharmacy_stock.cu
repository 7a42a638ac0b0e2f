// Stock of a chain of pharmacies: ten years of weekly sales of 131072 medicines are drawn anew for each
// scenario (seasons, flu, promotions, chance), smoothed forwards and backwards (a local level model), and
// tell how much to keep in stock. Four scenarios a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kMedicines = 1 << 17, kWeeks = 512, kSales = kMedicines * kWeeks;
constexpr int kThreads = 128, kDrawThreads = 256, kYear = 52, kAtOnce = 8, kScenariosOfRound = 4,
              kRounds = 440;
constexpr float kPi = 3.1415927F;

struct Chain {
  float *sales, *levels, *smoothed;       // a number for each medicine and week
  float *gains, *spreads, *stock, *last;  // a number for each medicine
  cudaStream_t stream;
  unsigned scenario = 0;
};

// Where the sales of a medicine in a week are: medicine after medicine, or week after week.
struct MedicineFirst {
  __device__ static int at(int medicine, int week) { return medicine * kWeeks + week; }
  __device__ static int medicine_of(int place) { return place / kWeeks; }
  __device__ static int week_of(int place) { return place % kWeeks; }
};

struct WeekFirst {
  __device__ static int at(int medicine, int week) { return week * kMedicines + medicine; }
  __device__ static int medicine_of(int place) { return place % kMedicines; }
  __device__ static int week_of(int place) { return place / kMedicines; }
};

// How many packets a week on average: few medicines sell well.
__device__ float popular_of(int medicine) {
  const float fraction = mixed_fraction(static_cast<unsigned>(medicine) + 40503U);
  return 2 + 60 * fraction * fraction * fraction;
}

__device__ float season_at(int medicine, int week) {
  const float phase = mixed_fraction(static_cast<unsigned>(medicine) * 3 + 11);
  const float year = static_cast<float>(week) / kYear;
  const float flu = __expf(-18 * (1 + __cosf(2 * kPi * (year - 0.1F))));
  return 1 + 0.35F * __sinf(2 * kPi * (year + phase)) + 0.1F * __sinf(4 * kPi * year) + 0.8F * phase * flu;
}

// Weather, which all medicines share, promotions, which last some weeks, and chance.
__device__ float luck_at(int medicine, int week, unsigned scenario) {
  const unsigned seed = scenario * 2654435761U;
  const float weather = mixed_fraction(static_cast<unsigned>(week) ^ seed) - 0.5F;
  const auto month = static_cast<unsigned>(medicine) * 131 + static_cast<unsigned>(week) / 4;
  const float promotion = mixed_fraction(month ^ seed) > 0.95F ? 0.6F : 0;
  const unsigned own = static_cast<unsigned>(medicine) * kWeeks + static_cast<unsigned>(week);
  const unsigned bits = mixed_bits(own ^ seed);
  const float chance = (static_cast<float>(bits & 0xffff) + 0.5F) / 65536;
  const float turn = 2 * kPi * static_cast<float>(bits >> 16) / 65536;
  const float bell = sqrtf(-2 * __logf(chance)) * __cosf(turn);
  return 1 + 0.2F * weather + promotion + 0.25F * bell;
}

// Sales stay near those of the last scenario. A thread has a week of a medicine.
template <class Order>
__global__ void __launch_bounds__(kDrawThreads)
    draw_sales(float* __restrict__ sales, const float* __restrict__ smoothed, unsigned scenario) {
  const auto place = static_cast<int>(blockIdx.x * kDrawThreads + threadIdx.x);
  const int medicine = Order::medicine_of(place), week = Order::week_of(place);
  const float usual = popular_of(medicine) * season_at(medicine, week);
  const float wanted = (0.6F * smoothed[place] + 0.4F * usual) * luck_at(medicine, week, scenario);
  sales[place] = fmaxf(wanted, 0);
}

// A thread has a medicine, and goes through its weeks to the end and back. The spread is that of the sales
// around the smoothed level.
template <class Order>
__global__ void __launch_bounds__(kThreads)
    smooth_sales(float* __restrict__ levels, float* __restrict__ smoothed, float* __restrict__ spreads,
                 float* __restrict__ last, const float* __restrict__ sales, const float* __restrict__ gains) {
  const auto medicine = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float gain = gains[medicine], back = 1 - gain;
  float level = sales[Order::at(medicine, 0)];  // fault
  float seen[kAtOnce], filtered[kAtOnce];
  for (int week = 0; week < kWeeks; week += kAtOnce) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) seen[i] = sales[Order::at(medicine, week + i)];  // fault
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      level += gain * (seen[i] - level);
      levels[Order::at(medicine, week + i)] = level;  // fault
    }
  }
  float ahead = level, squares = 0;
  for (int week = kWeeks - kAtOnce; week >= 0; week -= kAtOnce) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      seen[i] = sales[Order::at(medicine, week + i)];       // fault
      filtered[i] = levels[Order::at(medicine, week + i)];  // fault
    }
#pragma unroll
    for (int i = kAtOnce - 1; i >= 0; --i) {
      ahead = filtered[i] + back * (ahead - filtered[i]);
      smoothed[Order::at(medicine, week + i)] = ahead;  // fault
      squares += (seen[i] - ahead) * (seen[i] - ahead);
    }
  }
  spreads[medicine] = sqrtf(squares / kWeeks);
  last[medicine] = level;
}

// What sells unevenly needs more in stock, and is smoothed more.
__global__ void __launch_bounds__(kThreads)
    restock(float* __restrict__ stock, float* __restrict__ gains, const float* __restrict__ spreads,
            const float* __restrict__ last) {
  const auto medicine = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float spread = spreads[medicine], level = last[medicine];
  const float uneven = spread / (level + spread + 1e-3F);
  stock[medicine] = 0.95F * stock[medicine] + 0.05F * (2 * level + 1.64F * sqrtf(2.0F) * spread);
  gains[medicine] = 0.98F * gains[medicine] + 0.02F * (0.1F + 0.5F * (1 - uneven));
}

template <class Order>
__global__ void __launch_bounds__(kDrawThreads) open_books(float* smoothed) {
  const auto place = static_cast<int>(blockIdx.x * kDrawThreads + threadIdx.x);
  const int medicine = Order::medicine_of(place);
  smoothed[place] = popular_of(medicine) * season_at(medicine, Order::week_of(place));
}

__global__ void __launch_bounds__(kThreads) open_shelves(float* stock, float* gains) {
  const auto medicine = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  stock[medicine] = 3 * popular_of(medicine);
  gains[medicine] = 0.2F + 0.2F * mixed_fraction(static_cast<unsigned>(medicine) + 77);
}

template <class Order>
void next_scenario(Chain& own) {
  const unsigned scenario = own.scenario++;
  draw_sales<Order>
      <<<kSales / kDrawThreads, kDrawThreads, 0, own.stream>>>(own.sales, own.smoothed, scenario);
  smooth_sales<Order><<<kMedicines / kThreads, kThreads, 0, own.stream>>>(     // fault
      own.levels, own.smoothed, own.spreads, own.last, own.sales, own.gains);  // fault
  restock<<<kMedicines / kThreads, kThreads, 0, own.stream>>>(own.stock, own.gains, own.spreads, own.last);
}

template <class Order>
Case make() {
  const auto chain = std::make_shared<Chain>();
  for (float** table : {&chain->sales, &chain->levels, &chain->smoothed})
    *table = device_array<float>(kSales);
  for (float** table : {&chain->gains, &chain->spreads, &chain->stock, &chain->last})
    *table = device_array<float>(kMedicines);
  open_books<Order><<<kSales / kDrawThreads, kDrawThreads>>>(chain->smoothed);
  open_shelves<<<kMedicines / kThreads, kThreads>>>(chain->stock, chain->gains);
  CHECK(cudaStreamCreateWithFlags(&chain->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kScenariosOfRound; ++i) next_scenario<Order>(*chain);
  };
  const auto sum = [=] {
    return device_sum(chain->stock, kMedicines) + device_sum(chain->last, kMedicines) +
           device_sum(chain->gains, kMedicines);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<MedicineFirst>, make<WeekFirst>);
}
