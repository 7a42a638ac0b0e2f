// A crowd for a film: each figure has a skeleton of its own, which the host poses between two keys of a
// march; the GPU bends the figures' skins, finds their boxes and lights those that the camera sees. Eight
// frames a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kFigures = 256, kVertices = 32768, kMeshes = 4, kBones = 48, kKeys = 64, kThreads = 256;
constexpr int kChunks = kVertices / kThreads, kLamps = 12, kFrames = 8, kSlots = 3, kRounds = 600;
constexpr int kRows = kBones * 3;  // a bone has three rows of four numbers
constexpr std::size_t kSkin = std::size_t{kFigures} * kVertices;
constexpr unsigned kMask = 0xffffffffU;

struct Lamp {
  float x, y, z, strong;
};

__constant__ Lamp lamps[kLamps];

// A vertex at rest; it hangs on up to four bones.
struct Mesh {
  float4* places;  // with the colour in w
  float4* normals;
  float4* shares;
  uchar4* bones;
};

struct Box {
  float4 low, high;
};

// Where a figure is kept, and how it walks.
struct Figure {
  int slot, mesh;
  float pace, phase, x, z, turn;
};

struct Slot {
  float4* posed;  // pinned
  cudaEvent_t read;
};

struct Crowd {
  std::vector<Figure> figures;
  std::vector<float> keys;
  Slot slots[kSlots];
  Mesh mesh;
  float4* skeletons;
  float4 *places, *normals;
  Box* boxes;
  uchar4* colours;
  float* lights;  // of the figures
  cudaStream_t stream;
  int frame = 0;
};

__device__ float3 bent(const float4* rows, float4 place) {
  return make_float3(rows[0].x * place.x + rows[0].y * place.y + rows[0].z * place.z + rows[0].w * place.w,
                     rows[1].x * place.x + rows[1].y * place.y + rows[1].z * place.z + rows[1].w * place.w,
                     rows[2].x * place.x + rows[2].y * place.y + rows[2].z * place.z + rows[2].w * place.w);
}

__device__ void add_share(float4 (&rows)[3], const float4* bone, float share) {
#pragma unroll
  for (int row = 0; row < 3; ++row)
    rows[row] = make_float4(rows[row].x + share * bone[row].x, rows[row].y + share * bone[row].y,
                            rows[row].z + share * bone[row].z, rows[row].w + share * bone[row].w);
}

// A block has 256 vertices of a figure. Bones are mixed before the vertex and its normal go through them.
__global__ void __launch_bounds__(kThreads)
    bend_skin(float4* __restrict__ places, float4* __restrict__ normals, Mesh mesh,
              const float4* __restrict__ skeletons) {
  __shared__ float4 bones[kRows];
  const auto thread = static_cast<int>(threadIdx.x), figure = static_cast<int>(blockIdx.y);
  if (thread < kRows) bones[thread] = skeletons[figure * kRows + thread];
  const int own = static_cast<int>(blockIdx.x) * kThreads + thread;
  const int vertex = figure % kMeshes * kVertices + own;
  const float4 place = mesh.places[vertex], normal = mesh.normals[vertex], share = mesh.shares[vertex];
  const uchar4 bone = mesh.bones[vertex];
  __syncthreads();
  float4 rows[3] = {};
  add_share(rows, bones + bone.x * 3, share.x);
  add_share(rows, bones + bone.y * 3, share.y);
  add_share(rows, bones + bone.z * 3, share.z);
  add_share(rows, bones + bone.w * 3, share.w);
  const float3 there = bent(rows, make_float4(place.x, place.y, place.z, 1));
  const float3 out = bent(rows, make_float4(normal.x, normal.y, normal.z, 0));
  const std::size_t at = std::size_t{kVertices} * figure + own;
  const float inverse = rsqrtf(out.x * out.x + out.y * out.y + out.z * out.z + 1e-12F);
  places[at] = make_float4(there.x, there.y, there.z, place.w);
  normals[at] = make_float4(inverse * out.x, inverse * out.y, inverse * out.z, 0);
}

__device__ float4 lower(float4 one, float4 other) {
  return make_float4(fminf(one.x, other.x), fminf(one.y, other.y), fminf(one.z, other.z), 0);
}

__device__ float4 higher(float4 one, float4 other) {
  return make_float4(fmaxf(one.x, other.x), fmaxf(one.y, other.y), fmaxf(one.z, other.z), 0);
}

__device__ float4 from_lane(float4 value, int far) {
  return make_float4(__shfl_xor_sync(kMask, value.x, far), __shfl_xor_sync(kMask, value.y, far),
                     __shfl_xor_sync(kMask, value.z, far), 0);
}

// A block of 1024 threads has a figure.
__global__ void __launch_bounds__(1024)
    find_boxes(Box* __restrict__ boxes, const float4* __restrict__ places) {
  __shared__ Box warps[32];
  const auto thread = static_cast<int>(threadIdx.x);
  const float4* own = places + std::size_t{kVertices} * blockIdx.x;
  Box box = {make_float4(1e30F, 1e30F, 1e30F, 0), make_float4(-1e30F, -1e30F, -1e30F, 0)};
#pragma unroll 8
  for (int i = thread; i < kVertices; i += 1024) {
    const float4 place = own[i];
    box = {lower(box.low, place), higher(box.high, place)};
  }
  for (int far = 16; far > 0; far /= 2)
    box = {lower(box.low, from_lane(box.low, far)), higher(box.high, from_lane(box.high, far))};
  if (thread % 32 == 0) warps[thread / 32] = box;
  __syncthreads();
  if (thread >= 32) return;
  box = warps[thread];
  for (int far = 16; far > 0; far /= 2)
    box = {lower(box.low, from_lane(box.low, far)), higher(box.high, from_lane(box.high, far))};
  if (thread == 0) boxes[blockIdx.x] = box;
}

__device__ unsigned char byte_of(float light) {
  return static_cast<unsigned char>(255 * __saturatef(light) + 0.5F);
}

// Figures out of sight keep their light. A block has 256 vertices.
__global__ void __launch_bounds__(kThreads)
    light_skin(uchar4* __restrict__ colours, float* __restrict__ lights, const float4* __restrict__ places,
               const float4* __restrict__ normals, const Box* __restrict__ boxes, float look) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), figure = static_cast<int>(blockIdx.y);
  const Box box = boxes[figure];
  const float side = 0.5F * (box.low.x + box.high.x) - look, deep = box.high.z + 60;
  if (fabsf(side) > deep) return;
  const std::size_t at = std::size_t{kVertices} * figure + blockIdx.x * kThreads + thread;
  const float4 place = places[at], normal = normals[at];
  float sum = 0.05F;
#pragma unroll
  for (const Lamp& lamp : lamps) {
    const float x = lamp.x - place.x, y = lamp.y - place.y, z = lamp.z - place.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + 1e-3F);
    const float facing = fmaxf(normal.x * x + normal.y * y + normal.z * z, 0);
    sum += lamp.strong * facing * inverse * inverse * inverse;
  }
  colours[at] =
      make_uchar4(byte_of(sum * place.w), byte_of(sum * (1 - 0.5F * place.w)), byte_of(0.8F * sum), 255);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  float& light = lights[figure * kChunks + static_cast<int>(blockIdx.x)];
  light = 0.9F * light + 0.1F / kThreads * sum;
}

// A body of rings, from the feet to the head; bones lie one above the other.
__global__ void __launch_bounds__(kThreads) model_mesh(Mesh mesh) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int number = i / kVertices, own = i % kVertices;
  const float high = 1.8F * static_cast<float>(own) / kVertices, turn = 0.12F * static_cast<float>(own);
  const float wide = 0.15F + 0.05F * static_cast<float>(number) + 0.08F * __sinf(6 * high);
  mesh.places[i] =
      make_float4(wide * __cosf(turn), high, wide * __sinf(turn), mixed_fraction(static_cast<unsigned>(i)));
  mesh.normals[i] = make_float4(__cosf(turn), 0.1F, __sinf(turn), 0);
  const float bone = static_cast<float>(kBones - 3) * own / kVertices;
  const float part = bone - floorf(bone);
  mesh.shares[i] = make_float4(0.4F * (1 - part), 0.5F - 0.2F * part, 0.1F + 0.2F * part, 0.4F * part);
  const auto first = static_cast<unsigned char>(bone);
  mesh.bones[i] = make_uchar4(first, first + 1, first + 2, min(first + 3, kBones - 1));
}

// Bones swing with the step, those further up less.
std::vector<float> march_keys() {
  std::vector<float> keys(std::size_t{kKeys} * kRows * 4);
  for (int key = 0; key < kKeys; ++key)
    for (int bone = 0; bone < kBones; ++bone) {
      const float step = 6.2831853F * static_cast<float>(key) / kKeys;
      const float swing = 0.3F / (1 + 0.1F * static_cast<float>(bone)) * std::sin(step + 0.2F * bone);
      float* rows = keys.data() + (std::size_t{kBones} * key + bone) * 12;
      const float turned[12] = {std::cos(swing),
                                -std::sin(swing),
                                0,
                                0.02F * std::cos(step),
                                std::sin(swing),
                                std::cos(swing),
                                0,
                                0.03F * std::sin(2 * step),
                                0,
                                0,
                                1,
                                0};
      std::copy(turned, turned + 12, rows);
    }
  return keys;
}

// Between two keys, and at the figure's place.
void pose(float* __restrict__ rows, const Crowd& crowd, const Figure& figure, int frame) {
  const float time = figure.phase + figure.pace * static_cast<float>(frame);
  const float whole = std::floor(time), part = time - whole;
  const int key = static_cast<int>(whole) % kKeys;
  const float* one = crowd.keys.data() + std::size_t{kRows} * 4 * key;
  const float* next = crowd.keys.data() + std::size_t{kRows} * 4 * ((key + 1) % kKeys);
  for (int i = 0; i < kRows * 4; ++i) rows[i] = one[i] + part * (next[i] - one[i]);
  const float x = figure.x + 10 * std::sin(figure.turn + 0.002F * static_cast<float>(frame));
  for (int bone = 0; bone < kBones; ++bone) {
    rows[bone * 12 + 3] += x;
    rows[bone * 12 + 11] += figure.z;
  }
}

float4* skeleton_of(const Crowd& crowd, const Figure& figure) {
  return crowd.skeletons + std::size_t{kRows} * figure.slot;
}

// Each figure updates what it has on the GPU.
struct EachFigure {
  static void update(const Crowd& crowd, const Slot& slot, int frame) {
    for (const Figure& figure : crowd.figures) {
      float4* posed = slot.posed + std::size_t{kRows} * figure.slot;
      pose(&posed->x, crowd, figure, frame);
      CHECK(cudaMemcpyAsync(skeleton_of(crowd, figure), posed, kRows * sizeof(float4),  // fault
                            cudaMemcpyHostToDevice, crowd.stream));                     // fault
    }
  }
};

struct WholeCrowd {
  static void update(const Crowd& crowd, const Slot& slot, int frame) {
    for (const Figure& figure : crowd.figures)
      pose(&slot.posed[std::size_t{kRows} * figure.slot].x, crowd, figure, frame);
    CHECK(cudaMemcpyAsync(crowd.skeletons, slot.posed, std::size_t{kFigures} * kRows * sizeof(float4),
                          cudaMemcpyHostToDevice, crowd.stream));
  }
};

template <class Update>
void draw(Crowd& crowd) {
  const int frame = crowd.frame++;
  const Slot& slot = crowd.slots[frame % kSlots];
  CHECK(cudaEventSynchronize(slot.read));
  Update::update(crowd, slot, frame);  // fault
  CHECK(cudaEventRecord(slot.read, crowd.stream));
  const dim3 grid(kChunks, kFigures);
  const float look = 20 * std::sin(0.01F * static_cast<float>(frame));
  bend_skin<<<grid, kThreads, 0, crowd.stream>>>(crowd.places, crowd.normals, crowd.mesh, crowd.skeletons);
  find_boxes<<<kFigures, 1024, 0, crowd.stream>>>(crowd.boxes, crowd.places);
  light_skin<<<grid, kThreads, 0, crowd.stream>>>(crowd.colours, crowd.lights, crowd.places, crowd.normals,
                                                  crowd.boxes, look);
}

void gather(Crowd& crowd) {
  for (unsigned i = 0; i < kFigures; ++i)
    crowd.figures.push_back({static_cast<int>(i), static_cast<int>(i % kMeshes), 0.5F + mixed_fraction(i),
                             kKeys * mixed_fraction(i + 1000), 100 * mixed_fraction(i + 2000) - 50,
                             -40 * mixed_fraction(i + 3000), 6 * mixed_fraction(i + 4000)});
  crowd.keys = march_keys();
  Lamp table[kLamps];
  for (unsigned i = 0; i < kLamps; ++i)
    table[i] = {90 * mixed_fraction(i + 50) - 45, 6, 40 * mixed_fraction(i + 90) - 40,
                20 + 20 * mixed_fraction(i)};
  CHECK(cudaMemcpyToSymbol(lamps, table, sizeof table));
}

template <class Update>
Case make() {
  const auto crowd = std::make_shared<Crowd>();
  gather(*crowd);
  constexpr std::size_t kModels = std::size_t{kMeshes} * kVertices;
  crowd->mesh = {device_array<float4>(kModels), device_array<float4>(kModels), device_array<float4>(kModels),
                 device_array<uchar4>(kModels)};
  model_mesh<<<kModels / kThreads, kThreads>>>(crowd->mesh);
  for (Slot& slot : crowd->slots) {
    slot.posed = pinned_array<float4>(std::size_t{kFigures} * kRows);
    CHECK(cudaEventCreateWithFlags(&slot.read, cudaEventDisableTiming));
  }
  crowd->skeletons = device_array<float4>(std::size_t{kFigures} * kRows);
  crowd->places = device_array<float4>(kSkin);
  crowd->normals = device_array<float4>(kSkin);
  crowd->boxes = device_array<Box>(kFigures);
  crowd->colours = device_array<uchar4>(kSkin);
  CHECK(cudaMemset(crowd->colours, 0, kSkin * sizeof(uchar4)));
  crowd->lights = device_array<float>(kFigures * kChunks);
  CHECK(cudaMemset(crowd->lights, 0, kFigures * kChunks * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&crowd->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFrames; ++i) draw<Update>(*crowd);
  };
  const auto seen = [=] {
    return device_sum(crowd->lights, kFigures * kChunks) +
           device_sum(reinterpret_cast<const float*>(crowd->boxes), kFigures * sizeof(Box) / sizeof(float));
  };
  return {round, seen, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<EachFigure>, make<WholeCrowd>);
}
