// Watches for earthquakes: a network of stations sends its samples, the shapes of known quakes are looked for
// in them at all times, and where many stations find one together, an event is told to the host. Samples of
// the next minutes are uploaded while the GPU looks through those before. Some minutes of all stations a
// round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kStations = 256, kSamples = 1 << 17, kLead = 256, kRow = kLead + kSamples;
constexpr int kShapes = 12, kLength = 128, kThreads = 256, kOutputs = 8, kSpan = kThreads * kOutputs;
constexpr int kSpans = kSamples / kSpan, kRaw = kLead + kSpan, kFilter = 4, kSlots = 3, kRounds = 800;
constexpr std::size_t kChunk = std::size_t{kStations} * kRow;
constexpr float kFloor = 1e-3F, kLearn = 0.05F;
constexpr unsigned kMask = 0xffffffffU;

using Sample = short;

// Shapes by their samples: all of the first one, all of the second one. Their energies are 1.
__constant__ float shapes[kLength][kShapes];

// The best likeness in a span of a station, and which shape it is.
struct Find {
  float likeness;
  int shape;
};

// What all stations find in a span.
struct Event {
  float strength;
  int stations;
};

struct Slot {
  Sample *recorded, *uploaded;
  Event *found, *told;
  cudaEvent_t ready, done;
};

struct Network {
  Slot slots[kSlots];
  Find* finds;
  float* usual;  // likeness that a station has without quakes
  cudaStream_t copies, work;
  double told = 0;
  int chunk = 0;
};

__device__ Find better(Find one, Find other) {
  return other.likeness > one.likeness ? other : one;
}

__device__ Find warp_best(Find find) {
  for (int far = 16; far > 0; far /= 2)
    find =
        better(find, {__shfl_xor_sync(kMask, find.likeness, far), __shfl_xor_sync(kMask, find.shape, far)});
  return find;
}

// A block has a span of a station. Samples become numbers and lose what is slow; then a thread compares eight
// windows, 256 samples apart, with all shapes.
__global__ void __launch_bounds__(kThreads, 2)
    match_shapes(Find* __restrict__ finds, const Sample* __restrict__ samples) {
  __shared__ short4 raw[kRaw / 4];
  __shared__ float clean[kRaw];
  __shared__ Find warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), span = static_cast<int>(blockIdx.x);
  const auto station = static_cast<int>(blockIdx.y);
  const auto* row = reinterpret_cast<const short4*>(samples + std::size_t{kRow} * station + span * kSpan);
  for (int i = thread; i < kRaw / 4; i += kThreads) raw[i] = row[i];
  __syncthreads();
  const auto* sample = reinterpret_cast<const Sample*>(raw);
  for (int i = kFilter + thread; i < kRaw; i += kThreads) {
    const int slow = sample[i - 1] + sample[i - 2] + sample[i - 3] + sample[i - 4];
    clean[i] = 1e-3F * (static_cast<float>(sample[i]) - 0.25F * static_cast<float>(slow));
  }
  __syncthreads();
  float likeness[kOutputs][kShapes] = {}, energy[kOutputs] = {};
  const float* window = clean + kLead - kLength + 1 + thread;
#pragma unroll 4
  for (int at = 0; at < kLength; ++at)
#pragma unroll
    for (int output = 0; output < kOutputs; ++output) {
      const float here = window[at + output * kThreads];
      energy[output] += here * here;
#pragma unroll
      for (int shape = 0; shape < kShapes; ++shape) likeness[output][shape] += here * shapes[at][shape];
    }
  Find best = {0, 0};
#pragma unroll
  for (int output = 0; output < kOutputs; ++output) {
    const float share = rsqrtf(energy[output] + kFloor);
#pragma unroll
    for (int shape = 0; shape < kShapes; ++shape)
      best = better(best, {share * likeness[output][shape], shape});
  }
  best = warp_best(best);
  if (thread % 32 == 0) warps[thread / 32] = best;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) best = better(best, warps[warp]);
  finds[station * kSpans + span] = best;
}

// A block has a span, a thread a station: what is more than usual there counts, if the shape is that of the
// most stations.
__global__ void __launch_bounds__(kStations)
    associate(Event* __restrict__ events, const Find* __restrict__ finds, const float* __restrict__ usual) {
  __shared__ int votes[kShapes];
  __shared__ float warps[kStations / 32];
  const auto station = static_cast<int>(threadIdx.x), span = static_cast<int>(blockIdx.x);
  if (station < kShapes) votes[station] = 0;
  __syncthreads();
  const Find find = finds[station * kSpans + span];
  const float more = fmaxf(find.likeness - usual[station], 0);
  if (more > 0) atomicAdd(votes + find.shape, 1);
  __syncthreads();
  int shape = 0;
#pragma unroll
  for (int other = 1; other < kShapes; ++other) shape = votes[other] > votes[shape] ? other : shape;
  float sum = find.shape == shape ? more : 0;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (station % 32 == 0) warps[station / 32] = sum;
  __syncthreads();
  if (station != 0) return;
  for (int warp = 1; warp < kStations / 32; ++warp) sum += warps[warp];
  events[span] = {sum, votes[shape]};
}

// A warp has a station, and learns from the mean of its spans.
__global__ void __launch_bounds__(kThreads)
    learn_usual(float* __restrict__ usual, const Find* __restrict__ finds) {
  const auto warp = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) / 32;
  const auto lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
#pragma unroll
  for (int span = lane; span < kSpans; span += 32) sum += finds[warp * kSpans + span].likeness;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane == 0) usual[warp] += kLearn * (sum / kSpans - usual[warp]);
}

float shape_at(int shape, int at) {
  const auto time = static_cast<float>(at);
  return std::exp(-0.02F * time) * std::sin((0.15F + 0.05F * static_cast<float>(shape)) * time);
}

void upload_shapes() {
  std::vector<float> table(kLength * kShapes);
  for (int shape = 0; shape < kShapes; ++shape) {
    float energy = 0;
    for (int at = 0; at < kLength; ++at) energy += shape_at(shape, at) * shape_at(shape, at);
    for (int at = 0; at < kLength; ++at)
      table[at * kShapes + shape] = shape_at(shape, at) / std::sqrt(energy);
  }
  CHECK(cudaMemcpyToSymbol(shapes, table.data(), table.size() * sizeof(float)));
}

// A quake reaches the stations one after the other; it replaces what was recorded there.
void record(const Slot& slot, int chunk) {
  const auto number = static_cast<unsigned>(chunk);
  const auto shape = static_cast<int>(mixed_bits(number) % kShapes);
  const auto begin = kLead + static_cast<int>(mixed_bits(number + 9999) % (kSamples - 4096));
  const float strong = 500 + 3000 * mixed_fraction(number + 77);
  float quake[kLength];
  for (int at = 0; at < kLength; ++at) quake[at] = strong * shape_at(shape, at);
  for (int station = 0; station < kStations; ++station) {
    const auto delay = static_cast<int>(mixed_bits(number * kStations + station) % 1024);
    Sample* row = slot.recorded + std::size_t{kRow} * station + begin + delay;
    for (int at = 0; at < kLength; ++at)
      row[at] = static_cast<Sample>(quake[at] +
                                    static_cast<float>(mixed_bits(number + at * kStations + station) % 200));
  }
}

void watch(Network& network) {
  const int chunk = network.chunk++;
  Slot& slot = network.slots[chunk % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (chunk >= kSlots)
    for (int span = 0; span < kSpans; ++span)
      network.told += slot.told[span].strength + 0.01 * slot.told[span].stations;
  record(slot, chunk);
  CHECK(cudaMemcpyAsync(slot.uploaded, slot.recorded, kChunk * sizeof(Sample), cudaMemcpyHostToDevice,
                        network.copies));
  CHECK(cudaEventRecord(slot.ready, network.copies));
  CHECK(cudaStreamWaitEvent(network.work, slot.ready, 0));
  match_shapes<<<dim3(kSpans, kStations), kThreads, 0, network.work>>>(network.finds, slot.uploaded);
  associate<<<kSpans, kStations, 0, network.work>>>(slot.found, network.finds, network.usual);
  learn_usual<<<kStations * 32 / kThreads, kThreads, 0, network.work>>>(network.usual, network.finds);
  CHECK(cudaMemcpyAsync(slot.told, slot.found, kSpans * sizeof(Event), cudaMemcpyDeviceToHost, network.work));
  CHECK(cudaEventRecord(slot.done, network.work));
}

Case make() {
  const auto network = std::make_shared<Network>();
  upload_shapes();
  for (unsigned number = 0; number < kSlots; ++number) {
    Slot& slot = network->slots[number];
    slot.recorded = pinned_array<Sample>(kChunk);
    for (std::size_t i = 0; i < kChunk; ++i)
      slot.recorded[i] = static_cast<Sample>(mixed_bits(static_cast<unsigned>(i) + number * 50000017U) % 400);
    slot.uploaded = device_array<Sample>(kChunk);
    slot.found = device_array<Event>(kSpans);
    slot.told = pinned_array<Event>(kSpans);
    CHECK(cudaEventCreateWithFlags(&slot.ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  network->finds = device_array<Find>(std::size_t{kStations} * kSpans);
  network->usual = device_array<float>(kStations);
  CHECK(cudaMemset(network->usual, 0, kStations * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&network->copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&network->work, cudaStreamNonBlocking));
  return {[=] { watch(*network); }, [=] { return network->told; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
