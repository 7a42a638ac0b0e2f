// Simulates 8.4 million neurons of a cortex whose activity a probe records: spikes by Izhikevich's equations,
// which reach 64 neurons nearby. The host reads what half a million recorded neurons did two steps ago, and
// sets by it the current that 65,536 neurons are given. A step of a millisecond a round. At fault: both
// currents and records lie in managed memory that host and GPU use in turn, so pages move there and back in
// each step, by faults that kernels and host wait for; they could be copied beside the kernels. The pattern
// is that of genn-team/genn, pull request 282: managed memory costs about 20 %, as pages move in each step,
// and of elalish/manifold, issue 120.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kNeurons = 1 << 23, kWords = kNeurons / 32, kColumn = 1024, kColumns = kNeurons / kColumn;
constexpr int kRecorded = 1 << 19, kRecordWords = kRecorded / 32, kDriven = 1 << 16, kThreads = 256;
constexpr int kTargets = 64, kReach = 1 << 16, kSlots = 2, kMeasureEvery = 16, kRounds = 12000;
constexpr int kDeliverBlocks = 132 * 8, kGroups = kWords / 32, kWarps = kThreads / 32;
constexpr std::size_t kDriveBytes = kDriven * sizeof(float), kRecordBytes = kRecordWords * sizeof(unsigned);
constexpr float kUnit = 1.0F / 1024;  // of what a spike adds to a current
constexpr unsigned kMask = 0xffffffffU;

struct Neurons {
  float *volts, *recovery;
  int* arrived;  // since the step before, in units
  unsigned* spikes;
};

__device__ int own_thread() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

// Each fifth neuron is an inhibitory one.
__device__ bool inhibits(int neuron) {
  return neuron % 5 == 4;
}

__global__ void __launch_bounds__(kThreads) integrate(Neurons neurons, unsigned* __restrict__ record,
                                                      const float* __restrict__ drive, unsigned step) {
  const int neuron = own_thread();
  const bool quick = inhibits(neuron);
  const float noise = mixed_fraction(static_cast<unsigned>(neuron) + step * 0x9e3779b9U);
  float current = kUnit * static_cast<float>(neurons.arrived[neuron]) + (quick ? 5.0F : 11.0F) * noise;
  if (neuron < kDriven) current += drive[neuron];
  float volts = neurons.volts[neuron], recovery = neurons.recovery[neuron];
  for (int half = 0; half < 2; ++half)
    volts += 0.5F * (0.04F * volts * volts + 5 * volts + 140 - recovery + current);
  recovery += quick ? 0.1F * (0.2F * volts - recovery) : 0.02F * (0.2F * volts - recovery);
  const bool fires = volts >= 30;
  const unsigned word = __ballot_sync(kMask, fires);
  neurons.volts[neuron] = fires ? -65 : fmaxf(volts, -90);
  neurons.recovery[neuron] = fires ? recovery + (quick ? 2.0F : 8.0F) : recovery;
  neurons.arrived[neuron] = 0;
  if (neuron % 32 != 0) return;
  neurons.spikes[neuron / 32] = word;
  if (neuron < kRecorded) record[neuron / 32] = word;
}

__device__ void send(int* arrived, int neuron, int lane) {
  const int weight = inhibits(neuron) ? -1100 : 500;
  for (int i = lane; i < kTargets; i += 32) {
    const unsigned bits = mixed_bits(static_cast<unsigned>(neuron * kTargets + i));
    const int target = neuron + static_cast<int>(bits % kReach) - kReach / 2;
    atomicAdd(arrived + (target & (kNeurons - 1)), weight);
  }
}

// A warp has 32 words of 32 neurons at once, and sends their spikes together, one after the other.
__global__ void __launch_bounds__(kThreads) deliver(int* arrived, const unsigned* __restrict__ spikes) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int group = own_thread() / 32; group < kGroups; group += kDeliverBlocks * kWarps) {
    const unsigned own = spikes[group * 32 + lane];
    for (unsigned left = __ballot_sync(kMask, own != 0); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      for (unsigned word = __shfl_sync(kMask, own, from); word != 0; word &= word - 1)
        send(arrived, (group * 32 + from) * 32 + __ffs(static_cast<int>(word)) - 1, lane);
    }
  }
}

// The mean voltage of each column, by its block.
__global__ void __launch_bounds__(kThreads)
    measure_columns(float* __restrict__ fields, const float4* __restrict__ volts) {
  __shared__ float warps[kWarps];
  const float4 four = volts[own_thread()];
  float sum = four.x + four.y + four.z + four.w;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) sum += warps[i];
  fields[blockIdx.x] += sum / kColumn;
}

__global__ void __launch_bounds__(kThreads) wake(Neurons neurons) {
  const int neuron = own_thread();
  neurons.volts[neuron] = -70 + 20 * mixed_fraction(static_cast<unsigned>(neuron));
  neurons.recovery[neuron] = -14;
  neurons.arrived[neuron] = 0;
}

// What the host sees, and what the GPU does; where memory is managed, both are the same.
struct Slot {
  float *host_drive, *drive;
  unsigned *host_record, *record;
  cudaEvent_t uploaded, integrated, done;
};

struct Cortex {
  Neurons neurons;
  Slot slots[kSlots];
  float* fields;
  float* pattern;  // what each driven neuron is given, by its place
  cudaStream_t work, copies;
  int step;
  double heard;
};

template <class T>
T* managed_array(std::size_t n) {
  T* both = nullptr;
  CHECK(cudaMallocManaged(&both, n * sizeof(T)));  // fault
  return both;
}

// Without an instruction of its own, so that the compiler can count several words at once.
unsigned ones_of(unsigned word) {
  word -= word >> 1 & 0x55555555U;
  word = (word & 0x33333333U) + (word >> 2 & 0x33333333U);
  word = (word + (word >> 4)) & 0x0f0f0f0fU;
  word += word >> 8;
  return (word + (word >> 16)) & 63;
}

// How many recorded neurons fired.
int count_spikes(const Slot& slot) {
  CHECK(cudaEventSynchronize(slot.done));
  unsigned count = 0;
  for (int i = 0; i < kRecordWords; ++i) count += ones_of(slot.host_record[i]);
  return static_cast<int>(count);
}

void set_drive(const Cortex& cortex, const Slot& slot, int heard) {
  const float wanted = 0.01F * kRecorded;
  const float strength = std::clamp(1 + 2 * (wanted - static_cast<float>(heard)) / wanted, 0.0F, 2.0F);
  for (int i = 0; i < kDriven; ++i) slot.host_drive[i] = strength * cortex.pattern[i];
}

void upload(const Cortex& cortex, const Slot& slot) {
  CHECK(cudaMemcpyAsync(slot.drive, slot.host_drive, kDriveBytes, cudaMemcpyHostToDevice, cortex.copies));
  CHECK(cudaEventRecord(slot.uploaded, cortex.copies));
  CHECK(cudaStreamWaitEvent(cortex.work, slot.uploaded, 0));
}

void download(const Cortex& cortex, const Slot& slot) {
  CHECK(cudaEventRecord(slot.integrated, cortex.work));
  CHECK(cudaStreamWaitEvent(cortex.copies, slot.integrated, 0));
  CHECK(cudaMemcpyAsync(slot.host_record, slot.record, kRecordBytes, cudaMemcpyDeviceToHost, cortex.copies));
  CHECK(cudaEventRecord(slot.done, cortex.copies));
}

void take_step(Cortex& cortex, bool managed) {
  const Slot& slot = cortex.slots[cortex.step % kSlots];
  const int heard = cortex.step < kSlots ? 0 : count_spikes(slot);
  cortex.heard += heard;
  set_drive(cortex, slot, heard);
  if (!managed) upload(cortex, slot);
  const Neurons& neurons = cortex.neurons;
  const auto number = static_cast<unsigned>(cortex.step);
  integrate<<<kNeurons / kThreads, kThreads, 0, cortex.work>>>(neurons, slot.record, slot.drive, number);
  if (managed) {
    CHECK(cudaEventRecord(slot.done, cortex.work));
  } else {
    download(cortex, slot);
  }
  deliver<<<kDeliverBlocks, kThreads, 0, cortex.work>>>(neurons.arrived, neurons.spikes);
  const auto* volts = reinterpret_cast<const float4*>(neurons.volts);
  if (++cortex.step % kMeasureEvery == 0)
    measure_columns<<<kColumns, kThreads, 0, cortex.work>>>(cortex.fields, volts);
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

Slot new_slot(bool managed) {
  Slot slot{};
  slot.uploaded = new_event();
  slot.integrated = new_event();
  slot.done = new_event();
  slot.drive = managed ? managed_array<float>(kDriven) : device_array<float>(kDriven);  // fault
  slot.record =
      managed ? managed_array<unsigned>(kRecordWords) : device_array<unsigned>(kRecordWords);  // fault
  slot.host_drive = managed ? slot.drive : pinned_array<float>(kDriven);
  slot.host_record = managed ? slot.record : pinned_array<unsigned>(kRecordWords);
  return slot;
}

Case make(bool managed) {
  const auto cortex = std::make_shared<Cortex>();
  cortex->neurons = {device_array<float>(kNeurons), device_array<float>(kNeurons),
                     device_array<int>(kNeurons), device_array<unsigned>(kWords)};
  for (Slot& slot : cortex->slots) slot = new_slot(managed);
  CHECK(cudaStreamCreateWithFlags(&cortex->work, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&cortex->copies, cudaStreamNonBlocking));
  cortex->fields = device_array<float>(kColumns);
  CHECK(cudaMemset(cortex->fields, 0, kColumns * sizeof(float)));
  cortex->pattern = pinned_array<float>(kDriven);
  for (int i = 0; i < kDriven; ++i) cortex->pattern[i] = 4 * mixed_fraction(~static_cast<unsigned>(i));
  wake<<<kNeurons / kThreads, kThreads>>>(cortex->neurons);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*cortex, managed); },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return cortex->heard - device_sum(cortex->fields, kColumns);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
