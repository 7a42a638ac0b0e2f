// Plans how a robot arm of six joints follows a point: 4096 paths of eight steps are drawn around the plan,
// tried and weighed, and the plan is bent towards the good ones, eight times for each command. The arm's pose
// is sent before and its command is read after that. What is done for a command is recorded as a graph. A
// command a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kJoints = 6, kSteps = 8, kMoves = kSteps * kJoints, kPaths = 4096, kTurns = 8;
constexpr int kTryThreads = 64, kThreads = 256, kWeighThreads = 1024, kOfWeigher = kPaths / kWeighThreads;
constexpr int kRounds = 12000;
constexpr float kSpread = 0.08F, kEffort = 0.2F, kSharp = 4;
constexpr unsigned kMask = 0xffffffffU;

struct Pose {
  float joints[kJoints];
  unsigned number;  // of the command
  float unused;
};

// A plan has a move for each joint in each step. The two plans take turns.
struct Planner {
  Pose *host_pose, *pose;
  float *host_command, *command;
  float *plans[2], *noise, *costs, *weights;
  cudaStream_t stream;
  cudaGraphExec_t recorded[2];
  double travelled;
  unsigned number;
};

// Noise of move m of path p is at m * kPaths + p.
__global__ void __launch_bounds__(kThreads)
    draw_paths(float* __restrict__ noise, const Pose* __restrict__ pose, int turn) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned seed = mixed_bits(pose->number * kTurns + static_cast<unsigned>(turn)) + i;
  noise[i] = kSpread * (mixed_fraction(seed) + mixed_fraction(seed ^ 0x5bd1e995U) - 1);
}

// Where the point is that the arm follows.
__device__ float2 point_at(float number) {
  return make_float2(2.5F + __cosf(0.01F * number), 1.5F * __sinf(0.013F * number));
}

// A thread has a path.
__global__ void __launch_bounds__(kTryThreads)
    try_paths(float* __restrict__ costs, const float* __restrict__ noise, const float* __restrict__ plan,
              const Pose* __restrict__ pose) {
  const auto path = static_cast<int>(blockIdx.x * kTryThreads + threadIdx.x);
  float joints[kJoints], cost = 0;
#pragma unroll
  for (int joint = 0; joint < kJoints; ++joint) joints[joint] = pose->joints[joint];
  const auto number = static_cast<float>(pose->number);
#pragma unroll 2
  for (int step = 0; step < kSteps; ++step) {
    float x = 0, y = 0, angle = 0;
#pragma unroll
    for (int joint = 0; joint < kJoints; ++joint) {
      const int move = step * kJoints + joint;
      const float turned = plan[move] + noise[move * kPaths + path];
      joints[joint] += turned;
      cost += kEffort * turned * turned;
      angle += joints[joint];
      x += __cosf(angle);
      y += __sinf(angle);
    }
    const float2 point = point_at(number + static_cast<float>(step));
    cost += (x - point.x) * (x - point.x) + (y - point.y) * (y - point.y);
  }
  costs[path] = cost;
}

template <class Join>
__device__ float joined(float own, float* shared, Join join) {
  for (int far = 16; far > 0; far /= 2) own = join(own, __shfl_xor_sync(kMask, own, far));
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = own;
  __syncthreads();
  own = shared[threadIdx.x % (blockDim.x / 32)];
  for (int far = 16; far > 0; far /= 2) own = join(own, __shfl_xor_sync(kMask, own, far));
  return own;
}

// One block: the best path counts most, and all weights are one together.
__global__ void __launch_bounds__(kWeighThreads)
    weigh_paths(float* __restrict__ weights, const float* __restrict__ costs) {
  __shared__ float lowest[kWeighThreads / 32], sums[kWeighThreads / 32];
  float own[kOfWeigher], low = 1e30F, sum = 0;
#pragma unroll
  for (int i = 0; i < kOfWeigher; ++i) {
    own[i] = costs[i * kWeighThreads + static_cast<int>(threadIdx.x)];
    low = fminf(low, own[i]);
  }
  low = joined(low, lowest, [](float one, float other) { return fminf(one, other); });
#pragma unroll
  for (int i = 0; i < kOfWeigher; ++i) {
    own[i] = __expf(kSharp * (low - own[i]));
    sum += own[i];
  }
  sum = joined(sum, sums, [](float one, float other) { return one + other; });
#pragma unroll
  for (int i = 0; i < kOfWeigher; ++i)
    weights[i * kWeighThreads + static_cast<int>(threadIdx.x)] = own[i] / sum;
}

// A block has a move of the plan.
__global__ void __launch_bounds__(kThreads)
    bend_plan(float* __restrict__ plan, const float* __restrict__ noise, const float* __restrict__ weights) {
  __shared__ float warps[kThreads / 32];
  const float* own = noise + static_cast<int>(blockIdx.x) * kPaths;
  float sum = 0;
#pragma unroll 4
  for (auto path = static_cast<int>(threadIdx.x); path < kPaths; path += kThreads)
    sum += weights[path] * own[path];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum += warps[i];
  plan[blockIdx.x] += sum;
}

// The first step is the command. The next plan begins with the step after it.
__global__ void __launch_bounds__(kMoves)
    give_command(float* __restrict__ command, float* __restrict__ next, const float* __restrict__ plan) {
  const auto move = static_cast<int>(threadIdx.x);
  if (move < kJoints) command[move] = plan[move];
  next[move] = move + kJoints < kMoves ? plan[move + kJoints] : 0;
}

// Everything that is done for a command.
void launch_all(const Planner& planner, int which) {
  float* plan = planner.plans[which];
  CHECK(
      cudaMemcpyAsync(planner.pose, planner.host_pose, sizeof(Pose), cudaMemcpyHostToDevice, planner.stream));
  for (int turn = 0; turn < kTurns; ++turn) {
    draw_paths<<<kMoves * kPaths / kThreads, kThreads, 0, planner.stream>>>(planner.noise, planner.pose,
                                                                            turn);
    try_paths<<<kPaths / kTryThreads, kTryThreads, 0, planner.stream>>>(planner.costs, planner.noise, plan,
                                                                        planner.pose);
    weigh_paths<<<1, kWeighThreads, 0, planner.stream>>>(planner.weights, planner.costs);
    bend_plan<<<kMoves, kThreads, 0, planner.stream>>>(plan, planner.noise, planner.weights);
  }
  give_command<<<1, kMoves, 0, planner.stream>>>(planner.command, planner.plans[1 - which], plan);
  CHECK(cudaMemcpyAsync(planner.host_command, planner.command, kJoints * sizeof(float),
                        cudaMemcpyDeviceToHost, planner.stream));
}

cudaGraphExec_t record(const Planner& planner, int which) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t recorded = nullptr;
  CHECK(cudaStreamBeginCapture(planner.stream, cudaStreamCaptureModeThreadLocal));  // fault
  launch_all(planner, which);
  CHECK(cudaStreamEndCapture(planner.stream, &graph));  // fault
  CHECK(cudaGraphInstantiate(&recorded, graph, 0));     // fault
  CHECK(cudaGraphDestroy(graph));
  return recorded;
}

void plan_anew(const Planner& planner, int which) {
  cudaGraphExec_t recorded = record(planner, which);
  CHECK(cudaGraphLaunch(recorded, planner.stream));  // fault
  CHECK(cudaStreamSynchronize(planner.stream));
  CHECK(cudaGraphExecDestroy(recorded));  // fault
}

void plan_again(Planner& planner, int which) {
  if (planner.recorded[which] == nullptr) planner.recorded[which] = record(planner, which);
  CHECK(cudaGraphLaunch(planner.recorded[which], planner.stream));
  CHECK(cudaStreamSynchronize(planner.stream));
}

// Stands for the arm: it carries out the command.
void move_arm(Planner& planner) {
  for (int joint = 0; joint < kJoints; ++joint) {
    planner.host_pose->joints[joint] += planner.host_command[joint];
    planner.travelled += std::abs(planner.host_command[joint]);
  }
}

Case make(bool keeps) {
  const auto planner = std::make_shared<Planner>();
  *planner = {pinned_array<Pose>(1),
              device_array<Pose>(1),
              pinned_array<float>(kJoints),
              device_array<float>(kJoints),
              {device_array<float>(kMoves), device_array<float>(kMoves)},
              device_array<float>(std::size_t{kMoves} * kPaths),
              device_array<float>(kPaths),
              device_array<float>(kPaths),
              nullptr,
              {},
              0,
              0};
  *planner->host_pose = {{0.1F, 0.2F, -0.1F, 0.3F, -0.2F, 0.1F}, 0, 0};
  for (float* plan : planner->plans) CHECK(cudaMemset(plan, 0, kMoves * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&planner->stream, cudaStreamNonBlocking));
  launch_all(*planner, 0);  // a first plan, before the arm moves
  const auto round = [=] {
    planner->host_pose->number = planner->number;
    const auto which = static_cast<int>(planner->number++ % 2);
    if (keeps) {
      plan_again(*planner, which);
    } else {
      plan_anew(*planner, which);
    }
    move_arm(*planner);
  };
  return {round, [=] { return planner->travelled; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
