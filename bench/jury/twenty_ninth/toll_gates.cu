// Toll gates around a city: sixteen million drives a day, each of which chooses one of the gates near its
// origin (a logit model), is billed there, and is booked; tariffs of the next day follow. Eight days a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kGates = 96, kRow = 8, kAccounts = kGates * kRow, kChoices = 16;
constexpr int kDrives = 1 << 24, kQuads = kDrives / 4, kThreads = 512, kBlocks = 512;
constexpr int kDaysOfRound = 8, kRounds = 280, kMinutes = 1440;

struct City {
  uint4* passages;          // four drives: gate, class from bit 8, minute from bit 16
  float4* weights;          // tonnes
  int4* fares;              // cents, for the invoices
  float *tariffs, *appeal;  // of accounts: a gate and a class
  unsigned* counts;
  unsigned long long* cents;
  float* turnover;
  int* days;
  cudaStream_t stream;
};

struct Drive {
  unsigned passage;
  float weight;
};

// Six classes, of which cars are more than half.
__device__ int kind_of(float fraction) {
  return (fraction < 0.02F) + (fraction < 0.06F) + (fraction < 0.12F) + (fraction < 0.25F) +
         (fraction < 0.45F);
}

// Of the sixteen gates around its origin, a driver takes the one that seems best to him.
__device__ Drive choose(const float* worth, unsigned seed) {
  const unsigned bits = mixed_bits(seed);
  const auto origin = static_cast<int>(bits % kGates);
  const int kind = kind_of(static_cast<float>(bits >> 8 & 0xffff) / 65536.0F);
  float best = -1e30F;
  int gate = 0;
  unsigned chance = bits;
#pragma unroll 4
  for (int choice = 0; choice < kChoices; ++choice) {
    chance = chance * 1664525U + 1013904223U;
    const float luck = (static_cast<float>(chance >> 8) + 0.5F) / static_cast<float>(1U << 24);
    const int near = origin + choice < kGates ? origin + choice : origin + choice - kGates;
    const float far = fabsf(static_cast<float>(choice) - 7.5F);
    const float value = worth[near * kRow + kind] - 0.15F * far - __logf(-__logf(luck));
    gate = value > best ? near : gate;
    best = fmaxf(best, value);
  }
  // Two rush hours: the sum of two fractions has its peak in the middle of half a day.
  const unsigned when = mixed_bits(chance);
  const unsigned half = (when & 0x3ff) * 360 / 1024 + (when >> 10 & 0x3ff) * 360 / 1024;
  const unsigned minute = half + (when >> 31) * (kMinutes / 2);
  const float weight =
      1.2F + static_cast<float>(kind * kind) * (0.6F + static_cast<float>(when >> 20 & 0xff) / 256);
  return {static_cast<unsigned>(gate) | static_cast<unsigned>(kind) << 8 | minute << 16, weight};
}

// What a gate is worth to the drivers of a class is the same for all of a block.
__global__ void __launch_bounds__(kThreads)
    drive(uint4* __restrict__ passages, float4* __restrict__ weights, const float* __restrict__ appeal,
          const float* __restrict__ tariffs, const int* __restrict__ days) {
  __shared__ float worth[kAccounts];
  for (int i = static_cast<int>(threadIdx.x); i < kAccounts; i += kThreads)
    worth[i] = appeal[i] - 0.004F * tariffs[i];
  __syncthreads();
  const unsigned day = static_cast<unsigned>(*days) * 2654435761U;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kQuads; i += kBlocks * kThreads) {
    const unsigned seed = day + 4 * static_cast<unsigned>(i);
    const Drive one = choose(worth, seed), two = choose(worth, seed + 1);
    const Drive three = choose(worth, seed + 2), four = choose(worth, seed + 3);
    passages[i] = make_uint4(one.passage, two.passage, three.passage, four.passage);
    weights[i] = make_float4(one.weight, two.weight, three.weight, four.weight);
  }
}

// Rush hours cost more, and so does what is heavy.
__device__ int fare_of(const float* tariffs, unsigned passage, float weight) {
  const unsigned account = (passage & 255) * kRow + (passage >> 8 & 255);
  const float hour = static_cast<float>((passage >> 16) % (kMinutes / 2)) / 60 - 6;
  const float rush = 1 + 0.5F * __expf(-0.5F * hour * hour);
  return static_cast<int>(tariffs[account] * rush + 12 * fmaxf(weight - 3.5F, 0));
}

// Books of the whole city.
struct CityBooks {
  unsigned* counts;
  unsigned long long* cents;

  __device__ CityBooks(unsigned* all_counts, unsigned long long* all_cents)
      : counts(all_counts), cents(all_cents) {}
  __device__ void add(unsigned passage, int fare) {
    const unsigned account = (passage & 255) * kRow + (passage >> 8 & 255);
    atomicAdd(counts + account, 1U);                                    // fault
    atomicAdd(cents + account, static_cast<unsigned long long>(fare));  // fault
  }
  __device__ void close() {}
};

// Books of a block, which are added to those of the city at the end.
struct BlockBooks {
  unsigned *all_counts, *counts, *cents;
  unsigned long long* all_cents;

  __device__ BlockBooks(unsigned* city_counts, unsigned long long* city_cents)
      : all_counts(city_counts), all_cents(city_cents) {
    __shared__ unsigned own_counts[kAccounts], own_cents[kAccounts];
    counts = own_counts;
    cents = own_cents;
    for (int i = static_cast<int>(threadIdx.x); i < kAccounts; i += kThreads) counts[i] = cents[i] = 0;
    __syncthreads();
  }
  __device__ void add(unsigned passage, int fare) {
    const unsigned account = (passage & 255) * kRow + (passage >> 8 & 255);
    atomicAdd(counts + account, 1U);
    atomicAdd(cents + account, static_cast<unsigned>(fare));
  }
  __device__ void close() {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kAccounts; i += kThreads) {
      if (counts[i] == 0) continue;
      atomicAdd(all_counts + i, counts[i]);
      atomicAdd(all_cents + i, static_cast<unsigned long long>(cents[i]));
    }
  }
};

template <class Books>
__global__ void __launch_bounds__(kThreads)
    bill(int4* __restrict__ fares, unsigned* __restrict__ counts, unsigned long long* __restrict__ cents,
         const uint4* __restrict__ passages, const float4* __restrict__ weights,
         const float* __restrict__ tariffs) {
  __shared__ float own_tariffs[kAccounts];
  for (int i = static_cast<int>(threadIdx.x); i < kAccounts; i += kThreads) own_tariffs[i] = tariffs[i];
  __syncthreads();
  Books books(counts, cents);
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kQuads; i += kBlocks * kThreads) {
    const uint4 passage = passages[i];
    const float4 weight = weights[i];
    const int4 fare =
        make_int4(fare_of(own_tariffs, passage.x, weight.x), fare_of(own_tariffs, passage.y, weight.y),
                  fare_of(own_tariffs, passage.z, weight.z), fare_of(own_tariffs, passage.w, weight.w));
    fares[i] = fare;
    books.add(passage.x, fare.x);  // fault
    books.add(passage.y, fare.y);  // fault
    books.add(passage.z, fare.z);  // fault
    books.add(passage.w, fare.w);  // fault
  }
  books.close();
}

// A gate that is crowded gets dearer. Accounts begin the next day empty.
__global__ void __launch_bounds__(kRow)
    close_day(float* tariffs, float* turnover, unsigned* counts, unsigned long long* cents, int* days) {
  const auto account = static_cast<int>(blockIdx.x * kRow + threadIdx.x);
  const auto kind = static_cast<int>(threadIdx.x);
  const auto count = static_cast<float>(counts[account]);
  const float mean = count > 0 ? static_cast<float>(cents[account]) / count : 0;
  turnover[account] = 0.99F * turnover[account] + static_cast<float>(cents[account]) * 1e-6F;
  const float share = count * kGates / kDrives;
  const float wanted = 150 + 200 * static_cast<float>(kind) + 300 * fminf(share, 2) + 0.05F * mean;
  tariffs[account] = 0.95F * tariffs[account] + 0.05F * wanted;
  counts[account] = 0;
  cents[account] = 0;
  if (account == 0) ++*days;
}

__global__ void build(float* tariffs, float* appeal) {
  const auto account = static_cast<int>(blockIdx.x * kRow + threadIdx.x);
  const auto kind = static_cast<int>(threadIdx.x);
  const float road = mixed_fraction(blockIdx.x + 31);
  tariffs[account] = 180 + 210 * static_cast<float>(kind) + 80 * road;
  appeal[account] = 2.0F * road * road + 0.3F * mixed_fraction(static_cast<unsigned>(account) + 977);
}

template <class Books>
void next_day(const City& city) {
  drive<<<kBlocks, kThreads, 0, city.stream>>>(city.passages, city.weights, city.appeal, city.tariffs,
                                               city.days);
  bill<Books><<<kBlocks, kThreads, 0, city.stream>>>(city.fares, city.counts, city.cents,         // fault
                                                     city.passages, city.weights, city.tariffs);  // fault
  close_day<<<kGates, kRow, 0, city.stream>>>(city.tariffs, city.turnover, city.counts, city.cents,
                                              city.days);
}

template <class Books>
Case make() {
  const auto city = std::make_shared<City>();
  city->passages = device_array<uint4>(kQuads);
  city->weights = device_array<float4>(kQuads);
  city->fares = device_array<int4>(kQuads);
  for (float** table : {&city->tariffs, &city->appeal, &city->turnover})
    *table = device_array<float>(kAccounts);
  city->counts = device_array<unsigned>(kAccounts);
  city->cents = device_array<unsigned long long>(kAccounts);
  city->days = device_array<int>(1);
  CHECK(cudaMemset(city->turnover, 0, kAccounts * sizeof(float)));
  CHECK(cudaMemset(city->counts, 0, kAccounts * sizeof(unsigned)));
  CHECK(cudaMemset(city->cents, 0, kAccounts * sizeof(unsigned long long)));
  CHECK(cudaMemset(city->days, 0, sizeof(int)));
  build<<<kGates, kRow>>>(city->tariffs, city->appeal);
  CHECK(cudaStreamCreateWithFlags(&city->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int day = 0; day < kDaysOfRound; ++day) next_day<Books>(*city);
  };
  const auto sum = [=] {
    return device_sum(city->turnover, kAccounts) + device_sum(city->tariffs, kAccounts) +
           device_sum(reinterpret_cast<const int*>(city->fares), 1 << 20) * 1e-6;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<CityBooks>, make<BlockBooks>);
}
