// Finds the pressure in an oil reservoir of 128 x 128 x 256 cells: conjugate gradients with a diagonal
// preconditioner on the seven-point matrix of a rock that conducts unevenly. A step of the reservoir, that is
// 24 iterations, a round; the residual is read at the end of a step.
// At fault: both dot products of each iteration are read by the host, which waits for them and sends their
// quotient with the next launch, so the GPU idles twice an iteration. The pattern is that of
// spiriMirror/libuipc, pull request 358, and sonots/cumo, pull request 298: scalars that stay on the GPU.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 128, kDeep = 128, kHigh = 256, kPlane = kWide * kDeep, kCells = kPlane * kHigh;
constexpr int kThreads = 256, kBlocks = 132 * 8, kIterations = 24, kSlots = 3, kRounds = 2000;
constexpr unsigned kMask = 0xffffffffU;

// Symmetric: each coefficient joins a cell and the next one along an axis; 0 at the border.
struct Matrix {
  float *diagonal, *east, *north, *up;
};

struct Vectors {
  float *x, *r, *p, *q;
};

// Residual products of three iterations in turn: of the last one, of this one, and one that is cleared.
struct Scalars {
  double pq, rz[kSlots];
};

struct Known {
  float value;
  __device__ float operator()() const { return value; }
};

struct OnDevice {
  const double *over, *under;
  __device__ float operator()() const { return static_cast<float>(*over / *under); }
};

__device__ void add_of_block(double* to, double value) {
  __shared__ double warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(kMask, value, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) value += warps[i];
  atomicAdd(to, value);
}

__device__ int first_cell() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

__global__ void __launch_bounds__(kThreads) conduct(Matrix a, unsigned seed) {
  const int i = first_cell(), x = i % kWide, y = i / kWide % kDeep, z = i / kPlane;
  const auto along = [&](bool inner, unsigned salt) {
    return inner ? 0.2F + mixed_fraction(static_cast<unsigned>(i) * 3 + salt + seed) : 0.0F;
  };
  a.east[i] = along(x + 1 < kWide, 0);
  a.north[i] = along(y + 1 < kDeep, 1);
  a.up[i] = along(z + 1 < kHigh, 2);
}

__global__ void __launch_bounds__(kThreads) add_up_diagonal(Matrix a) {
  const int i = first_cell();
  a.diagonal[i] =
      0.02F + a.east[i] + a.east[i - 1] + a.north[i] + a.north[i - kWide] + a.up[i] + a.up[i - kPlane];
}

// Wells take and give oil, differently in each step.
__global__ void __launch_bounds__(kThreads) begin_step(Vectors v, Matrix a, Scalars* scalars, int step) {
  double sum = 0;
  for (int i = first_cell(); i < kCells; i += kBlocks * kThreads) {
    const unsigned place = static_cast<unsigned>(i) / 64;
    const float well = mixed_fraction(place + static_cast<unsigned>(step) * 65537U) - 0.45F;
    const float z = well / a.diagonal[i];
    v.x[i] = 0;
    v.r[i] = well;
    v.p[i] = z;
    sum += well * z;
  }
  add_of_block(&scalars->rz[0], sum);
}

__global__ void __launch_bounds__(kThreads)
    multiply(float* __restrict__ q, const float* __restrict__ p, Matrix a, double* pq) {
  double sum = 0;
  for (int i = first_cell(); i < kCells; i += kBlocks * kThreads) {
    const float own = p[i];
    const float across = a.east[i] * p[i + 1] + a.east[i - 1] * p[i - 1] + a.north[i] * p[i + kWide] +
                         a.north[i - kWide] * p[i - kWide] + a.up[i] * p[i + kPlane] +
                         a.up[i - kPlane] * p[i - kPlane];
    const float product = a.diagonal[i] * own - across;
    q[i] = product;
    sum += own * product;
  }
  add_of_block(pq, sum);
}

template <class Ratio>
__global__ void __launch_bounds__(kThreads)
    advance(Vectors v, const float* __restrict__ diagonal, Ratio alpha, double* rz) {
  const float factor = alpha();
  double sum = 0;
  for (int i = first_cell(); i < kCells; i += kBlocks * kThreads) {
    v.x[i] += factor * v.p[i];
    const float left = v.r[i] - factor * v.q[i];
    v.r[i] = left;
    sum += left * left / diagonal[i];
  }
  add_of_block(rz, sum);
}

// Clears what the next iteration adds to.
template <class Ratio>
__global__ void __launch_bounds__(kThreads)
    redirect(float* __restrict__ p, const float* __restrict__ r, const float* __restrict__ diagonal,
             Ratio beta, double* pq, double* later) {
  const float factor = beta();
  for (int i = first_cell(); i < kCells; i += kBlocks * kThreads) p[i] = r[i] / diagonal[i] + factor * p[i];
  if (first_cell() == 0) *pq = *later = 0;
}

struct Reservoir {
  Matrix a;
  Vectors v;
  Scalars *scalars, *host;
  int step;
};

double read(const double* scalar) {
  double value;
  CHECK(cudaMemcpy(&value, scalar, sizeof(double), cudaMemcpyDeviceToHost));  // fault
  return value;
}

void iterate_by_host(const Reservoir& all, int number, double& rz) {
  Scalars* s = all.scalars;
  double* next = &s->rz[(number + 1) % kSlots];
  multiply<<<kBlocks, kThreads>>>(all.v.q, all.v.p, all.a, &s->pq);
  const Known alpha{static_cast<float>(rz / read(&s->pq))};  // fault
  advance<<<kBlocks, kThreads>>>(all.v, all.a.diagonal, alpha, next);
  const double left = read(next);  // fault
  const Known beta{static_cast<float>(left / rz)};
  redirect<<<kBlocks, kThreads>>>(all.v.p, all.v.r, all.a.diagonal, beta, &s->pq,
                                  &s->rz[(number + 2) % kSlots]);
  rz = left;
}

void iterate_on_device(const Reservoir& all, int number) {
  Scalars* s = all.scalars;
  double *last = &s->rz[number % kSlots], *next = &s->rz[(number + 1) % kSlots];
  multiply<<<kBlocks, kThreads>>>(all.v.q, all.v.p, all.a, &s->pq);
  advance<<<kBlocks, kThreads>>>(all.v, all.a.diagonal, OnDevice{last, &s->pq}, next);
  redirect<<<kBlocks, kThreads>>>(all.v.p, all.v.r, all.a.diagonal, OnDevice{next, last}, &s->pq,
                                  &s->rz[(number + 2) % kSlots]);
}

void take_step(Reservoir& all, bool by_host) {
  CHECK(cudaMemsetAsync(all.scalars, 0, sizeof(Scalars)));
  begin_step<<<kBlocks, kThreads>>>(all.v, all.a, all.scalars, all.step++);
  double rz = by_host ? read(&all.scalars->rz[0]) : 0;
  for (int number = 0; number < kIterations; ++number) {
    if (by_host) {
      iterate_by_host(all, number, rz);
    } else {
      iterate_on_device(all, number);
    }
  }
  CHECK(cudaMemcpyAsync(all.host, all.scalars, sizeof(Scalars), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(nullptr));
  if (!(all.host->rz[kIterations % kSlots] < kCells)) std::exit(3);  // it has not converged
}

// With zeros on both sides, a plane each.
float* padded() {
  constexpr std::size_t kAll = kCells + 2 * std::size_t{kPlane};
  auto* array = device_array<float>(kAll);
  CHECK(cudaMemset(array, 0, kAll * sizeof(float)));
  return array + kPlane;
}

Case make(bool by_host) {
  const auto all = std::make_shared<Reservoir>();
  all->a = {padded(), padded(), padded(), padded()};
  all->v = {padded(), padded(), padded(), padded()};
  all->scalars = device_array<Scalars>(1);
  all->host = pinned_array<Scalars>(1);
  conduct<<<kCells / kThreads, kThreads>>>(all->a, 0x3c6ef372U);
  add_up_diagonal<<<kCells / kThreads, kThreads>>>(all->a);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*all, by_host); }, [=] { return device_sum(all->v.x, kCells / 3); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
