// Lets 33.5 million cars follow one another on rings of 1024: each looks at the car in front, speeds up or
// brakes, and drives on. A step a round.
// At fault: a car is a record of 40 bytes, so neighbouring lanes load and store 40 bytes apart, and what a
// step does not need is fetched, too. The pattern is that of ROCm/hip, issue 3106, and kokkos/kokkos, issue
// 4751: an array for each member.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kCars = 1 << 25, kRing = 1024, kThreads = 256, kRounds = 9000;
constexpr float kTime = 0.1F, kApart = 25, kAround = kRing * kApart;
constexpr float kSpeedUp = 1.2F, kBrake = 1.8F, kHeadway = 1.3F;

// Places and speeds are there twice, for the step before and the next one.
struct Car {
  float place[2], speed[2], wish, gap, length, fuel;
  int home, goal;
};

struct Records {
  Car* cars;

  __device__ float& place(int car, int which) const { return cars[car].place[which]; }  // fault
  __device__ float& speed(int car, int which) const { return cars[car].speed[which]; }  // fault
  __device__ float& wish(int car) const { return cars[car].wish; }                      // fault
  __device__ float& gap(int car) const { return cars[car].gap; }                        // fault
  __device__ float& length(int car) const { return cars[car].length; }                  // fault
};

struct Arrays {
  float *places[2], *speeds[2], *wishes, *gaps, *lengths;

  __device__ float& place(int car, int which) const { return places[which][car]; }
  __device__ float& speed(int car, int which) const { return speeds[which][car]; }
  __device__ float& wish(int car) const { return wishes[car]; }
  __device__ float& gap(int car) const { return gaps[car]; }
  __device__ float& length(int car) const { return lengths[car]; }
};

// A driver speeds up towards the speed wished for, and keeps the gap wished for.
template <class Cars, int kNow>
__global__ void __launch_bounds__(kThreads) follow(Cars cars) {
  const int car = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int front = car / kRing * kRing + (car + 1) % kRing;
  const float place = cars.place(car, kNow), speed = cars.speed(car, kNow);  // fault
  float free = cars.place(front, kNow) - place;                              // fault
  if (free < 0) free += kAround;
  free = fmaxf(free - cars.length(front), 0.5F);          // fault
  const float closing = speed - cars.speed(front, kNow);  // fault
  const float wanted =
      cars.gap(car) + fmaxf(speed * kHeadway + speed * closing * 0.5F * rsqrtf(kSpeedUp * kBrake), 0);
  const float share = speed / cars.wish(car), near = wanted / free;  // fault
  const float change = kSpeedUp * (1 - share * share * share * share - near * near);
  const float later = fmaxf(speed + kTime * fmaxf(change, -8), 0);
  const float there = place + kTime * later;
  cars.speed(car, 1 - kNow) = later;                                      // fault
  cars.place(car, 1 - kNow) = there < kAround ? there : there - kAround;  // fault
}

template <class Cars>
__global__ void __launch_bounds__(kThreads) begin(Cars cars) {
  const int car = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto bits = static_cast<unsigned>(car);
  cars.place(car, 0) = kApart * (static_cast<float>(car % kRing) + 0.4F * mixed_fraction(bits));
  cars.speed(car, 0) = 8 + 4 * mixed_fraction(bits + 0x20000000U);
  cars.wish(car) = 20 + 15 * mixed_fraction(bits + 0x40000000U);
  cars.gap(car) = 1.5F + mixed_fraction(bits + 0x60000000U);
  cars.length(car) = 4 + mixed_fraction(bits + 0x80000000U);
}

template <class Cars>
__global__ void __launch_bounds__(kThreads) bring_speeds(float* speeds, Cars cars) {
  const int car = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  speeds[car] = cars.speed(car, 0);
}

template <class Cars>
Case make(Cars cars) {
  begin<<<kCars / kThreads, kThreads>>>(cars);
  CHECK(cudaGetLastError());
  auto round = std::make_shared<int>(0);
  return {[=] {
            if ((*round)++ % 2 == 0) {
              follow<Cars, 0><<<kCars / kThreads, kThreads>>>(cars);  // fault
            } else {
              follow<Cars, 1><<<kCars / kThreads, kThreads>>>(cars);  // fault
            }
          },
          [=] {
            auto* speeds = device_array<float>(kCars);
            bring_speeds<<<kCars / kThreads, kThreads>>>(speeds, cars);
            return device_sum(speeds, kCars);
          },
          kRounds};
}

Case make_records() {
  auto* cars = device_array<Car>(kCars);
  CHECK(cudaMemset(cars, 0, kCars * sizeof(Car)));
  return make(Records{cars});
}

Case make_arrays() {
  const auto array = [] { return device_array<float>(kCars); };
  return make(Arrays{{array(), array()}, {array(), array()}, array(), array(), array()});
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make_records(); }, [] { return make_arrays(); });
}
