// Air in a classroom, by a lattice Boltzmann model: a fan moves the air between desks, carbon dioxide that
// pupils breathe out goes with it, and sensors at the seats take the mean of what is around them. Four steps
// of the model a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 256, kDeep = 128, kHigh = 64, kCells = kWide * kDeep * kHigh, kDirections = 19;
constexpr int kThreads = 256, kStepsOfRound = 4, kRounds = 4200, kSeatsWide = 8, kSeatsDeep = 8;
constexpr int kSeats = kSeatsWide * kSeatsDeep, kSeatHeight = 14;
constexpr float kRelaxation = 1.4F, kFan = 2e-5F, kSpread = 0.08F, kBreath = 0.02F, kLeak = 5e-4F;
constexpr unsigned kMask = 0xffffffffU;

// A direction and its opposite lie next to each other.
__device__ constexpr int kX[kDirections] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__device__ constexpr int kY[kDirections] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__device__ constexpr int kZ[kDirections] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

__device__ constexpr int opposite(int i) {
  return i == 0 ? 0 : (i - 1 ^ 1) + 1;
}
__device__ constexpr float weight(int i) {
  return i == 0 ? 1.0F / 3 : i < 7 ? 1.0F / 18 : 1.0F / 36;
}

struct Room {
  float *air, *next_air, *gas, *next_gas, *sensors;
  float4* flow;
  int step;
};

// Walls, and desks with room for knees below.
__device__ bool solid(int x, int y, int z) {
  if (x <= 0 || y <= 0 || z <= 0 || x >= kWide - 1 || y >= kDeep - 1 || z >= kHigh - 1) return true;
  return z >= 10 && z < 12 && x % 32 < 18 && y % 16 < 7;
}

__device__ int cell_at(int x, int y, int z) {
  return (z * kDeep + y) * kWide + x;
}

// What flows into a cell comes from its neighbours, or back from a wall.
__global__ void __launch_bounds__(kThreads)
    collide(float* __restrict__ next, float4* __restrict__ flow, const float* __restrict__ air, float fan) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  if (solid(x, y, z)) return;
  const int cell = cell_at(x, y, z);
  float part[kDirections], density = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    const int from_x = x - kX[i], from_y = y - kY[i], from_z = z - kZ[i];
    part[i] = solid(from_x, from_y, from_z) ? air[opposite(i) * kCells + cell]
                                            : air[i * kCells + cell_at(from_x, from_y, from_z)];
    density += part[i];
    ux += static_cast<float>(kX[i]) * part[i];
    uy += static_cast<float>(kY[i]) * part[i];
    uz += static_cast<float>(kZ[i]) * part[i];
  }
  const float inverse = 1 / density;
  ux *= inverse;
  uy *= inverse;
  uz *= inverse;
  const bool at_fan = z > kHigh - 16 && x > 24 && x < 72;
  const float push = at_fan ? fan : 0, square = 1.5F * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    const float along =
        static_cast<float>(kX[i]) * ux + static_cast<float>(kY[i]) * uy + static_cast<float>(kZ[i]) * uz;
    const float rest = weight(i) * density * (1 + 3 * along + 4.5F * along * along - square);
    next[i * kCells + cell] =
        part[i] + kRelaxation * (rest - part[i]) + 3 * weight(i) * push * static_cast<float>(kX[i]);
  }
  flow[cell] = make_float4(ux, uy, uz, density);
}

__device__ float gas_beside(const float* __restrict__ gas, int x, int y, int z, float own) {
  return solid(x, y, z) ? own : gas[cell_at(x, y, z)];
}

// From where the wind comes, and by diffusion. Pupils breathe above their desks.
__global__ void __launch_bounds__(kThreads)
    carry_gas(float* __restrict__ next, const float* __restrict__ gas, const float4* __restrict__ flow) {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  if (solid(x, y, z)) return;
  const int cell = cell_at(x, y, z);
  const float4 wind = flow[cell];
  const float own = gas[cell];
  const float west = gas_beside(gas, x - 1, y, z, own), east = gas_beside(gas, x + 1, y, z, own);
  const float south = gas_beside(gas, x, y - 1, z, own), north = gas_beside(gas, x, y + 1, z, own);
  const float below = gas_beside(gas, x, y, z - 1, own), above = gas_beside(gas, x, y, z + 1, own);
  const float spread = west + east + south + north + below + above - 6 * own;
  const float carried = wind.x * (wind.x > 0 ? own - west : east - own) +
                        wind.y * (wind.y > 0 ? own - south : north - own) +
                        wind.z * (wind.z > 0 ? own - below : above - own);
  const bool pupil = z == kSeatHeight && x % 32 == 20 && y % 16 == 10;
  next[cell] = (1 - kLeak) * own + kSpread * spread - carried + (pupil ? kBreath : 0);
}

// A warp has a seat and looks at a cube of 32 cells. `sensors` are over all steps.
__global__ void __launch_bounds__(kThreads)
    read_sensors(float* __restrict__ sensors, const float* __restrict__ gas,
                 const float4* __restrict__ flow) {
  const auto seat = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const int x = seat % kSeatsWide * 32 + 20 + lane % 4, y = seat / kSeatsWide * 16 + 8 + lane / 4 % 4;
  const int cell = cell_at(x, y, kSeatHeight + lane / 16);
  const float4 wind = flow[cell];
  float sum = gas[cell] + sqrtf(wind.x * wind.x + wind.y * wind.y + wind.z * wind.z);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane == 0) sensors[seat] += sum / 32;
}

__global__ void __launch_bounds__(kThreads) fill_air(float* air) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  air[i] = weight(static_cast<int>(i / kCells)) * (1 + 0.001F * (mixed_fraction(i) - 0.5F));
}

// The fan swings slowly.
void move_air(Room& room) {
  const float fan = kFan * (1 + 0.5F * std::sin(0.002F * static_cast<float>(room.step++)));
  collide<<<dim3(kDeep, kHigh), kThreads>>>(room.next_air, room.flow, room.air, fan);
}

void move_gas(Room& room) {
  carry_gas<<<dim3(kDeep, kHigh), kThreads>>>(room.next_gas, room.gas, room.flow);
  std::swap(room.gas, room.next_gas);
  read_sensors<<<kSeats * 32 / kThreads, kThreads>>>(room.sensors, room.gas, room.flow);
}

void update_by_copy(Room& room) {
  CHECK(cudaMemcpyAsync(room.air, room.next_air, std::size_t{kDirections} * kCells * sizeof(float),  // fault
                        cudaMemcpyDeviceToDevice));
}

void update_by_swap(Room& room) {
  std::swap(room.air, room.next_air);
}

template <class Update>
Case make(Update update) {
  const auto room = std::make_shared<Room>();
  for (float** air : {&room->air, &room->next_air}) {
    *air = device_array<float>(std::size_t{kDirections} * kCells);
    fill_air<<<kDirections*(kCells / kThreads), kThreads>>>(*air);
  }
  for (float** gas : {&room->gas, &room->next_gas}) {
    *gas = device_array<float>(kCells);
    CHECK(cudaMemset(*gas, 0, kCells * sizeof(float)));
  }
  room->flow = device_array<float4>(kCells);
  CHECK(cudaMemset(room->flow, 0, kCells * sizeof(float4)));
  room->sensors = device_array<float>(kSeats);
  CHECK(cudaMemset(room->sensors, 0, kSeats * sizeof(float)));
  return {[=] {
            for (int step = 0; step < kStepsOfRound; ++step) {
              move_air(*room);
              update(*room);
              move_gas(*room);
            }
          },
          [=] { return device_sum(room->sensors, kSeats); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(update_by_copy); }, [] { return make(update_by_swap); });
}
