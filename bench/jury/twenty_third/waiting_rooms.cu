// Plans the appointments of a clinic: 4096 plans are tried on 256 days each, with patients who come early or
// late and stay for a time that nobody knows before; plans with little waiting are crossed and changed a
// little. Two generations a round, as one graph.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPlans = 4096, kPatients = 96, kDays = 256, kThreads = 256, kParents = 512, kDoctors = 4;
constexpr int kGenerations = 2, kRounds = 3200;
constexpr float kDay = 480, kVisit = 16, kIdle = 0.4F, kLate = 1.5F, kChange = 6;
constexpr unsigned kMask = 0xffffffffU;

struct Clinic {
  float *plans, *next_plans, *costs, *best;
  int *order, *generation;
  cudaGraphExec_t round;
  cudaStream_t stream;
};

// Who is free first takes the next patient.
struct Doctors {
  float free[kDoctors] = {};

  // Returns when the visit begins.
  __device__ float take(float comes, float stays) {
    float first = free[0];
#pragma unroll
    for (int i = 1; i < kDoctors; ++i) first = fminf(first, free[i]);
    const float begins = fmaxf(first, comes);
    bool open = true;
#pragma unroll
    for (int i = 0; i < kDoctors; ++i) {
      const bool own = open && free[i] == first;
      free[i] = own ? begins + stays : free[i];
      open = open && !own;
    }
    return begins;
  }
};

// A block has a plan, a thread has a day.
__global__ void __launch_bounds__(kThreads)
    try_plans(float* __restrict__ costs, const float* __restrict__ plans,
              const int* __restrict__ generation) {
  __shared__ float plan[kPatients];
  __shared__ float warps[kThreads / 32];
  if (threadIdx.x < kPatients) plan[threadIdx.x] = plans[blockIdx.x * kPatients + threadIdx.x];
  __syncthreads();
  // All plans of a generation see the same days.
  const unsigned day = mixed_bits(static_cast<unsigned>(*generation) * kDays + threadIdx.x);
  Doctors doctors;
  float waited = 0, worked = 0;
  for (unsigned patient = 0; patient < kPatients; ++patient) {
    const unsigned bits = mixed_bits(day + patient * 0x9e3779b9U);
    const float punctual = static_cast<float>(bits & 0xffffU) / 65536;
    const float chance = static_cast<float>(bits >> 16) / 65536;
    const float comes = plan[patient] + 20 * (punctual - 0.6F);
    const float stays = 4 - kVisit * __logf(chance + 1e-5F);
    waited += doctors.take(comes, stays) - comes;
    worked += stays;
  }
  float last = 0;
#pragma unroll
  for (const float free : doctors.free) last = fmaxf(last, free);
  float cost = waited / kPatients + kIdle * (last - worked / kDoctors) + kLate * fmaxf(last - kDay, 0);
  for (int far = 16; far > 0; far /= 2) cost += __shfl_xor_sync(kMask, cost, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = cost;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) cost += warps[i];
  costs[blockIdx.x] = cost / kDays;
}

// A warp has a plan and counts how many are better. `best` is over all generations.
__global__ void __launch_bounds__(kThreads)
    rank_plans(int* __restrict__ order, float* __restrict__ best, const float* __restrict__ costs) {
  const auto plan = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const float own = costs[plan];
  int better = 0;
#pragma unroll 8
  for (int i = lane; i < kPlans; i += 32) {
    const float other = costs[i];
    better += other < own || (other == own && i < plan) ? 1 : 0;
  }
  better = __reduce_add_sync(kMask, better);
  if (lane != 0) return;
  order[better] = plan;
  if (better == 0) *best += 1e-3F * own;
}

// A thread has an appointment of a new plan, which is that of one of two parents and moved a little.
__global__ void __launch_bounds__(kThreads)
    cross_plans(float* __restrict__ next, const float* __restrict__ plans, const int* __restrict__ order,
                const int* __restrict__ generation) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned plan = i / kPatients, patient = i % kPatients;
  const unsigned seed = mixed_bits(static_cast<unsigned>(*generation) + 99);
  const unsigned pair = mixed_bits(plan + seed), own = mixed_bits(i + seed);
  const unsigned rank = (own & 1) != 0 ? pair % kParents : (pair >> 16) % kParents;
  const float time = plans[static_cast<unsigned>(order[rank]) * kPatients + patient];
  const float moved = (own & 14) == 0 ? kChange * (mixed_fraction(own) - 0.5F) : 0;
  next[i] = fminf(fmaxf(time + moved, 0), kDay);
}

__global__ void count_generation(int* generation) {
  *generation += 1;
}

__global__ void __launch_bounds__(kThreads) fill_plans(float* plans) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const float even = kDay * static_cast<float>(i % kPatients) / kPatients;
  plans[i] = fminf(fmaxf(even + 40 * (mixed_fraction(i) - 0.5F), 0), kDay);
}

void enqueue_generation(Clinic& clinic) {
  try_plans<<<kPlans, kThreads, 0, clinic.stream>>>(clinic.costs, clinic.plans, clinic.generation);
  rank_plans<<<kPlans * 32 / kThreads, kThreads, 0, clinic.stream>>>(clinic.order, clinic.best, clinic.costs);
  cross_plans<<<kPlans * kPatients / kThreads, kThreads, 0, clinic.stream>>>(clinic.next_plans, clinic.plans,
                                                                             clinic.order, clinic.generation);
  count_generation<<<1, 1, 0, clinic.stream>>>(clinic.generation);
  std::swap(clinic.plans, clinic.next_plans);
}

cudaGraphExec_t new_round(Clinic& clinic) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(clinic.stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kGenerations; ++i) enqueue_generation(clinic);
  CHECK(cudaStreamEndCapture(clinic.stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

Case make() {
  const auto clinic = std::make_shared<Clinic>();
  clinic->plans = device_array<float>(kPlans * kPatients);
  clinic->next_plans = device_array<float>(kPlans * kPatients);
  clinic->costs = device_array<float>(kPlans);
  clinic->order = device_array<int>(kPlans);
  clinic->best = device_array<float>(1);
  clinic->generation = device_array<int>(1);
  fill_plans<<<kPlans * kPatients / kThreads, kThreads>>>(clinic->plans);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(clinic->best, 0, sizeof(float)));
  CHECK(cudaMemset(clinic->generation, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&clinic->stream, cudaStreamNonBlocking));
  clinic->round = new_round(*clinic);
  return {[=] { CHECK(cudaGraphLaunch(clinic->round, clinic->stream)); },
          [=] { return device_sum(clinic->best, 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
