// A marching band seen from the stand: the host tells how 128 players stride, and the GPU bends their
// figures by bones, draws them as points into a picture with depth, lights it, and measures how bright it is.
// Sixteen frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPlayers = 128, kAbreast = 16, kBones = 32, kVertices = 65536, kThreads = 256;
constexpr int kPhases = 64, kSlots = 3, kFramesOfRound = 16, kRounds = 420;
constexpr int kWide = 2560, kHigh = 1440, kPixels = kWide * kHigh, kParts = 528;
constexpr unsigned kMask = 0xffffffffU;
constexpr unsigned long long kFar = ~0ULL;
constexpr float kPi = 3.1415927F, kZoom = 1400;

// The upper three rows of a matrix.
struct Bone {
  float4 rows[3];
};

struct Camera {
  float4 rows[3];
};

// The poses of all players, which the host writes for a frame.
struct Slot {
  Bone* poses;
  cudaEvent_t taken;
};

struct Show {
  Slot slots[kSlots];
  Bone walk[kPhases][kBones];
  Bone* poses;
  float4 *rest, *normals;       // of a figure: a place and a weight; a normal and two bones
  unsigned long long* nearest;  // of a pixel: depth, then normal and player
  float4* lights;
  uchar4* picture;
  float *parts, *exposure;
  cudaStream_t stream;
  int frame = 0;
};

__device__ float along(float4 row, float4 place) {
  return row.x * place.x + row.y * place.y + row.z * place.z + row.w;
}

__device__ float turned(float4 row, float4 way) {
  return row.x * way.x + row.y * way.y + row.z * way.z;
}

__device__ unsigned byte_of(float part) {
  return static_cast<unsigned>(__float2int_rn(127.5F + 127 * fminf(fmaxf(part, -1), 1)));
}

__device__ float4 blend(float4 one, float4 other, float weight) {
  return make_float4(other.x + weight * (one.x - other.x), other.y + weight * (one.y - other.y),
                     other.z + weight * (one.z - other.z), other.w + weight * (one.w - other.w));
}

// A block has a part of one player's figure. A point counts where it is nearer than what is drawn there.
__global__ void __launch_bounds__(kThreads)
    draw(unsigned long long* __restrict__ nearest, const float4* __restrict__ rest,
         const float4* __restrict__ normals, const Bone* __restrict__ poses, Camera camera) {
  __shared__ Bone bones[kBones];
  const auto thread = static_cast<int>(threadIdx.x), player = static_cast<int>(blockIdx.y);
  if (thread < kBones * 3)
    reinterpret_cast<float4*>(bones)[thread] =
        reinterpret_cast<const float4*>(poses + static_cast<std::size_t>(player) * kBones)[thread];
  __syncthreads();
  const auto vertex = static_cast<int>(blockIdx.x) * kThreads + thread;
  const float4 place = rest[vertex], normal = normals[vertex];
  const int pair = __float_as_int(normal.w);
  const Bone &one = bones[pair & 255], &other = bones[pair >> 8];
  const float4 across = blend(one.rows[0], other.rows[0], place.w);
  const float4 up = blend(one.rows[1], other.rows[1], place.w);
  const float4 ahead = blend(one.rows[2], other.rows[2], place.w);
  const float4 world = make_float4(along(across, place), along(up, place), along(ahead, place), 1);
  const float depth = along(camera.rows[2], world), scale = kZoom / fmaxf(depth, 0.1F);
  const int x = __float2int_rd(kWide / 2 + scale * along(camera.rows[0], world));
  const int y = __float2int_rd(kHigh / 2 - scale * along(camera.rows[1], world));
  if (depth < 0.5F || x < 0 || x >= kWide || y < 0 || y >= kHigh) return;
  const unsigned seen = byte_of(turned(across, normal)) | byte_of(turned(up, normal)) << 8 |
                        byte_of(turned(ahead, normal)) << 16 | static_cast<unsigned>(player) << 24;
  const unsigned long long key = static_cast<unsigned long long>(__float_as_uint(depth)) << 32 | seen;
  unsigned long long* pixel = nearest + y * kWide + x;
  if (key < *pixel) atomicMin(pixel, key);
}

__device__ float part_of(unsigned seen, int shift) {
  return (static_cast<float>(seen >> shift & 255) - 127.5F) / 127;
}

// Grass where nobody is. What is lit follows the last frame a little, and the next frame begins empty.
__global__ void __launch_bounds__(kThreads)
    light(uchar4* __restrict__ picture, float4* __restrict__ lights, unsigned long long* __restrict__ nearest,
          const float* __restrict__ exposure, float3 sun) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned long long key = nearest[i];
  nearest[i] = kFar;
  const auto seen = static_cast<unsigned>(key);
  const float bright = part_of(seen, 0) * sun.x + part_of(seen, 8) * sun.y + part_of(seen, 16) * sun.z;
  const float shine = 0.25F + 0.75F * fmaxf(bright, 0);
  const float cloth = 0.6F + 0.4F * mixed_fraction(seen >> 24);
  const float blade = 0.2F + 0.1F * mixed_fraction(static_cast<unsigned>(i)) + 0.1F * sun.y;
  const float3 now = key == kFar
                         ? make_float3(0.3F * blade, blade, 0.2F * blade)
                         : make_float3(shine * cloth, 0.3F * shine, 0.4F * shine * (1 - cloth) + 0.1F);
  const float4 last = lights[i];
  const float4 own = make_float4(last.x + 0.7F * (now.x - last.x), last.y + 0.7F * (now.y - last.y),
                                 last.z + 0.7F * (now.z - last.z), 1);
  lights[i] = own;
  const float much = 255 * *exposure;
  picture[i] = make_uchar4(static_cast<unsigned char>(fminf(much * own.x, 255)),
                           static_cast<unsigned char>(fminf(much * own.y, 255)),
                           static_cast<unsigned char>(fminf(much * own.z, 255)), 255);
}

__device__ float block_sum(float sum) {
  __shared__ float warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (float warp : warps) sum += warp;
  return sum;
}

// How bright the picture is, by every fourth pixel of every fourth row.
__global__ void __launch_bounds__(kThreads)
    meter(float* __restrict__ parts, const uchar4* __restrict__ picture) {
  float sum = 0;
  constexpr int kFew = kPixels / 16;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kFew; i += kParts * kThreads) {
    const uchar4 own = picture[i / (kWide / 4) * 4 * kWide + i % (kWide / 4) * 4];
    sum += 0.3F * static_cast<float>(own.x) + 0.6F * static_cast<float>(own.y) +
           0.1F * static_cast<float>(own.z);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum / (255.0F * kFew);
}

__global__ void __launch_bounds__(kThreads) adapt(float* exposure, const float* __restrict__ parts) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kParts; i += kThreads) sum += parts[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *exposure = fminf(fmaxf(*exposure * (1 + 0.1F * (0.4F - sum)), 0.3F), 4);
}

// Vertices of a bone lie side by side, around an ellipsoid.
__global__ void __launch_bounds__(kThreads) model(float4* rest, float4* normals) {
  const auto vertex = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  constexpr int kOfBone = kVertices / kBones;
  const int bone = vertex / kOfBone, other = min(bone + 1, kBones - 1);
  const float part = (static_cast<float>(vertex % kOfBone) + 0.5F) / kOfBone;
  const float around = 2.4F * static_cast<float>(vertex);
  const float high = 2 * part - 1, wide = sqrtf(1 - high * high);
  const float3 normal = make_float3(wide * __cosf(around), high, wide * __sinf(around));
  const auto height = 0.05F + 1.75F * static_cast<float>(bone / 2) / (kBones / 2);
  const float side = bone % 2 == 0 ? -0.15F : 0.15F;
  rest[vertex] =
      make_float4(side + 0.16F * normal.x, height + 0.12F * normal.y, 0.13F * normal.z, 0.75F + 0.25F * wide);
  normals[vertex] = make_float4(normal.x, normal.y, normal.z, __int_as_float(bone | other << 8));
}

// A stride: bones swing around their joints, left and right in turns.
void rehearse(Show& show) {
  for (int phase = 0; phase < kPhases; ++phase)
    for (int bone = 0; bone < kBones; ++bone) {
      const float high = 0.05F + 1.75F * static_cast<float>(bone / 2) / (kBones / 2), joint = high + 0.12F;
      const float much = 0.5F * std::abs(high - 1.0F) * (bone % 2 == 0 ? 1.0F : -1.0F);
      const float angle = much * std::sin(2 * kPi * static_cast<float>(phase) / kPhases);
      const float cosine = std::cos(angle), sine = std::sin(angle);
      show.walk[phase][bone] = {
          {{1, 0, 0, 0}, {0, cosine, -sine, joint - cosine * joint}, {0, sine, cosine, -sine * joint}}};
    }
}

// Ranks follow each other at a small distance, and the whole band goes to and fro.
void pose(const Show& show, Bone* poses, int player, int frame) {
  const auto column = static_cast<float>(player % kAbreast), rank = static_cast<float>(player / kAbreast);
  const auto time = static_cast<float>(frame);
  const float x = 1.6F * (column - 0.5F * (kAbreast - 1)) + 0.3F * std::sin(0.02F * time + rank);
  const float z = 1.7F * rank + 4 * std::sin(0.005F * time);
  const Bone* walk = show.walk[(frame + 3 * player) % kPhases];
  for (int bone = 0; bone < kBones; ++bone) {
    Bone own = walk[bone];
    own.rows[0].w += x;
    own.rows[2].w += z;
    poses[bone] = own;
  }
}

// How the poses of a frame go to the GPU.
struct ByPlayer {
  static void upload(const Show& show, const Slot& slot) {
    for (int player = 0; player < kPlayers; ++player)
      CHECK(cudaMemcpyAsync(show.poses + player * kBones, slot.poses + player * kBones,    // fault
                            kBones * sizeof(Bone), cudaMemcpyHostToDevice, show.stream));  // fault
  }
};

struct ByBand {
  static void upload(const Show& show, const Slot& slot) {
    CHECK(cudaMemcpyAsync(show.poses, slot.poses, kPlayers * kBones * sizeof(Bone), cudaMemcpyHostToDevice,
                          show.stream));
  }
};

// The camera stands 14 m before the first rank, 5 m high, and pans slowly.
Camera camera_at(int frame) {
  const float pan = 0.15F * std::sin(0.007F * static_cast<float>(frame)), tilt = 0.2F;
  const float3 ahead = {std::sin(pan) * std::cos(tilt), -std::sin(tilt), std::cos(pan) * std::cos(tilt)};
  const float3 right = {std::cos(pan), 0, -std::sin(pan)};
  const float3 up = {ahead.y * right.z - ahead.z * right.y, ahead.z * right.x - ahead.x * right.z,
                     ahead.x * right.y - ahead.y * right.x};
  const float3 eye = {0, 5, -14};
  const auto row = [&](float3 way) {
    return float4{way.x, way.y, way.z, -(way.x * eye.x + way.y * eye.y + way.z * eye.z)};
  };
  return {{row(right), row(up), row(ahead)}};
}

template <class Way>
void next_frame(Show& show) {
  const int frame = show.frame++;
  const Slot& slot = show.slots[frame % kSlots];
  CHECK(cudaEventSynchronize(slot.taken));
  for (int player = 0; player < kPlayers; ++player) pose(show, slot.poses + player * kBones, player, frame);
  Way::upload(show, slot);  // fault
  CHECK(cudaEventRecord(slot.taken, show.stream));
  draw<<<dim3(kVertices / kThreads, kPlayers), kThreads, 0, show.stream>>>(
      show.nearest, show.rest, show.normals, show.poses, camera_at(frame));
  const float day = 0.003F * static_cast<float>(frame), low = 0.6F + 0.3F * std::sin(day);
  const float flat = std::sqrt(1 - low * low);
  const float3 sun = {flat * std::sin(1.3F * day), low, -flat * std::cos(1.3F * day)};
  light<<<kPixels / kThreads, kThreads, 0, show.stream>>>(show.picture, show.lights, show.nearest,
                                                          show.exposure, sun);
  meter<<<kParts, kThreads, 0, show.stream>>>(show.parts, show.picture);
  adapt<<<1, kThreads, 0, show.stream>>>(show.exposure, show.parts);
}

void set_up(Show& show) {
  rehearse(show);
  for (Slot& slot : show.slots) {
    slot.poses = pinned_array<Bone>(kPlayers * kBones);
    CHECK(cudaEventCreateWithFlags(&slot.taken, cudaEventDisableTiming));
  }
  show.poses = device_array<Bone>(kPlayers * kBones);
  show.rest = device_array<float4>(kVertices);
  show.normals = device_array<float4>(kVertices);
  show.nearest = device_array<unsigned long long>(kPixels);
  show.lights = device_array<float4>(kPixels);
  show.picture = device_array<uchar4>(kPixels);
  show.parts = device_array<float>(kParts);
  show.exposure = device_array<float>(1);
  model<<<kVertices / kThreads, kThreads>>>(show.rest, show.normals);
  CHECK(cudaMemset(show.nearest, 255, kPixels * sizeof(unsigned long long)));
  CHECK(cudaMemset(show.lights, 0, kPixels * sizeof(float4)));
  const float one = 1;
  CHECK(cudaMemcpy(show.exposure, &one, sizeof one, cudaMemcpyHostToDevice));
  CHECK(cudaStreamCreateWithFlags(&show.stream, cudaStreamNonBlocking));
}

template <class Way>
Case make() {
  const auto show = std::make_shared<Show>();
  set_up(*show);
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame<Way>(*show);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const unsigned char*>(show->picture), kPixels * sizeof(uchar4)) +
           1e6 * device_sum(show->exposure, 1);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<ByPlayer>, make<ByBand>);
}
