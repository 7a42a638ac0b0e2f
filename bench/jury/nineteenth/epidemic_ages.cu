// Follows a disease through 16.8 million people of 16 ages: who falls ill at home or among people of near
// ages, who recovers, and who becomes susceptible again. Each day a part of the people is vaccinated; each
// eighth day a map is drawn of where the ill are. A day a round.
// At fault: whoever falls ill or recovers changes the counts of the age in global memory, so some hundred
// thousand changes of 32 numbers queue up in each step; a block could count for itself and change them once.
// The pattern is that of kr-colab/pg_gpu, pull request 45: sums of a warp before the atomic addition, 2.1
// times as fast, and taichi-dev/taichi, pull request 2487: the same for all reductions.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kAges = 16, kPeople = 1 << 24, kThreads = 256, kOfBlock = 8192, kBlocks = kPeople / kOfBlock;
constexpr int kDoses = kPeople / 32, kArea = 1024, kAreas = kPeople / kArea, kMapEvery = 8, kRounds = 16000;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kIllDays = 8, kImmuneDays = 80, kMask = 0xffffffffU, kDayMask = 255, kDose = 256;

// Of an age; `fresh` are all that ever fell ill.
struct Count {
  int ill;
  unsigned fresh;
};

__device__ int age_of(int person) {
  return static_cast<int>(mixed_bits(static_cast<unsigned>(person)) % kAges);
}

// A change is made where everybody sees it.
struct Register {
  Count* counts;

  __device__ void begin() {}
  __device__ void end() {}
  __device__ void fall_ill(int age) {
    atomicAdd(&counts[age].ill, 1);
    atomicAdd(&counts[age].fresh, 1U);
  }
  __device__ void recover(int age) { atomicAdd(&counts[age].ill, -1); }
};

// A block notes what changes, and adds it at its end.
struct Notebook {
  Count *counts, *notes;

  __device__ void begin() {
    __shared__ Count of_block[kAges];
    notes = of_block;
    if (threadIdx.x < kAges) notes[threadIdx.x] = {0, 0};
    __syncthreads();
  }
  __device__ void end() {
    __syncthreads();
    if (threadIdx.x >= kAges) return;
    atomicAdd(&counts[threadIdx.x].ill, notes[threadIdx.x].ill);
    atomicAdd(&counts[threadIdx.x].fresh, notes[threadIdx.x].fresh);
  }
  __device__ void fall_ill(int age) {
    atomicAdd(&notes[age].ill, 1);
    atomicAdd(&notes[age].fresh, 1U);
  }
  __device__ void recover(int age) { atomicAdd(&notes[age].ill, -1); }
};

// The risk by age, from how many are ill; ages meet those near to them most.
__global__ void __launch_bounds__(kAges)
    mix_ages(float* __restrict__ risks, const Count* __restrict__ counts) {
  const auto age = static_cast<int>(threadIdx.x);
  float meets = 0;
  for (int other = 0; other < kAges; ++other) {
    const int apart = age > other ? age - other : other - age;
    meets += static_cast<float>(counts[other].ill) / static_cast<float>(1 + apart);
  }
  risks[age] = fminf(1.2F * meets / kPeople, 0.5F);
}

// A person is the days since the infection, where 0 is susceptible, and whether there was a dose. Four side
// by side are a household.
template <class Book>
__global__ void __launch_bounds__(kThreads)
    live_day(unsigned* __restrict__ people, const float* __restrict__ risks, Book book, unsigned day) {
  const int first = static_cast<int>(blockIdx.x) * kOfBlock;
  const auto lane = threadIdx.x % 32;
  book.begin();
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < kOfBlock; i += kThreads) {
    const int person = first + i;
    const unsigned before = people[person];
    unsigned days = before & kDayMask;
    const bool ill = days > 0 && days <= kIllDays;
    const unsigned all = __ballot_sync(kMask, ill);
    if (days == 0) {
      const bool ill_at_home = (all >> (lane & ~3U) & 15) != 0;
      const int age = age_of(person);
      float risk = risks[age] + (ill_at_home ? 0.05F : 0.0F) + 1e-5F;
      if ((before & kDose) != 0) risk *= 0.4F;
      if (mixed_fraction(static_cast<unsigned>(person) ^ day * 0x9e3779b9U) < risk) {
        days = 1;
        book.fall_ill(age);  // fault
      }
    } else {
      if (days == kIllDays) book.recover(age_of(person));  // fault
      days = days == kIllDays + kImmuneDays ? 0 : days + 1;
    }
    people[person] = (before & ~kDayMask) | days;
  }
  book.end();
}

// A dose lasts till its turn comes again, when some have no more of it.
__global__ void __launch_bounds__(kThreads)
    vaccinate(unsigned* __restrict__ people, int first, unsigned day) {
  const int person = first + static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const bool comes = mixed_fraction(static_cast<unsigned>(person) + day * 0x85ebca6bU) < 0.6F;
  people[person] = (people[person] & kDayMask) | (comes ? kDose : 0);
}

// A block has an area, and a thread four of its people.
__global__ void __launch_bounds__(kThreads)
    draw_map(float* __restrict__ map, const uint4* __restrict__ people) {
  __shared__ int warps[kWarps];
  const uint4 four = people[blockIdx.x * kThreads + threadIdx.x];
  int ill = 0;
  for (const unsigned each : {four.x, four.y, four.z, four.w}) {
    const unsigned days = each & kDayMask;
    if (days > 0 && days <= kIllDays) ++ill;
  }
  ill = __reduce_add_sync(kMask, ill);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = ill;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) ill += warps[i];
  map[blockIdx.x] = 0.9F * map[blockIdx.x] + static_cast<float>(ill);
}

struct Country {
  unsigned* people;
  Count* counts;
  float *risks, *map;
  unsigned day;
};

template <class Book>
void take_day(Country& country, Book book) {
  mix_ages<<<1, kAges>>>(country.risks, country.counts);
  live_day<<<kBlocks, kThreads>>>(country.people, country.risks, book, country.day);
  const int turn = static_cast<int>(country.day % (kPeople / kDoses)) * kDoses;
  vaccinate<<<kDoses / kThreads, kThreads>>>(country.people, turn, country.day);
  if (++country.day % kMapEvery == 0)
    draw_map<<<kAreas, kThreads>>>(country.map, reinterpret_cast<const uint4*>(country.people));
}

Case make(bool notes) {
  const auto country = std::make_shared<Country>();
  *country = {device_array<unsigned>(kPeople), device_array<Count>(kAges), device_array<float>(kAges),
              device_array<float>(kAreas), 0};
  CHECK(cudaMemset(country->people, 0, kPeople * sizeof(unsigned)));
  CHECK(cudaMemset(country->counts, 0, kAges * sizeof(Count)));
  CHECK(cudaMemset(country->map, 0, kAreas * sizeof(float)));
  return {[=] {
            if (notes) {
              take_day(*country, Notebook{country->counts, nullptr});
            } else {
              take_day(*country, Register{country->counts});
            }
          },
          [=] {
            return device_sum(reinterpret_cast<const unsigned*>(country->counts), 2 * kAges) +
                   device_sum(country->map, kAreas);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
