// Books of a ticket office: orders of 40 million tickets are joined with the events that are on offer this
// hour (a hash table of some twelve thousand events), what is paid is summed up by region, and orders of much
// reduced tickets that were paid in full are listed and looked at. An hour a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kTickets = 40 << 20, kEvents = 1 << 20, kOffers = 12288, kTable = 1 << 15, kRegions = 256;
constexpr int kThreads = 256, kBlocks = 132 * 8, kFour = 4, kPending = 512, kMostListed = 1 << 20;
constexpr int kRounds = 6500;
constexpr unsigned kEmpty = 0xffffffffU, kDear = 15000, kReduced = 60;
constexpr unsigned kMask = 0xffffffffU;

struct Offer {
  unsigned event, reduction;  // per cent
};

struct Office {
  uint4 *events, *prices;
  Offer* table;
  unsigned *sums, *listed;
  int* count;
  unsigned long long* books;
  unsigned hour;
};

__device__ unsigned place_of(unsigned event) {
  return (event * 0x9e3779b1U) >> 17;
}

// The events on offer differ from hour to hour.
__global__ void __launch_bounds__(kThreads) insert_offers(Offer* table, unsigned hour) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned bits = mixed_bits(i + hour * 0x85ebca6bU), event = bits % kEvents;
  unsigned place = place_of(event);
  while (true) {
    const unsigned before = atomicCAS(&table[place].event, kEmpty, event);
    if (before == kEmpty) {
      table[place].reduction = 10 + event % 71;
      return;
    }
    if (before == event) return;
    place = (place + 1) % kTable;
  }
}

// Per cent, and none for an event that is not on offer.
__device__ unsigned reduction_of(const Offer* __restrict__ table, unsigned event) {
  unsigned place = place_of(event);
  while (true) {
    const uint2 offer = __ldg(reinterpret_cast<const uint2*>(table) + place);
    if (offer.x == event) return offer.y;
    if (offer.x == kEmpty) return 0;
    place = (place + 1) % kTable;
  }
}

// A thread has four tickets at a time. Sums are kept block by block.
__global__ void __launch_bounds__(kThreads)
    sell(unsigned* __restrict__ sums, unsigned* __restrict__ listed, int* __restrict__ count,
         const uint4* __restrict__ events, const uint4* __restrict__ prices,
         const Offer* __restrict__ table) {
  __shared__ unsigned regions[kRegions], pending[kPending];
  __shared__ int waiting, first;
  regions[threadIdx.x] = 0;
  if (threadIdx.x == 0) waiting = 0;
  __syncthreads();
  const auto book = [&](unsigned event, unsigned price, unsigned ticket) {
    const unsigned reduction = reduction_of(table, event);
    atomicAdd(regions + event % kRegions, price * (100 - reduction) / 100);
    if (reduction < kReduced || price < kDear) return;
    const int place = atomicAdd(&waiting, 1);
    if (place < kPending) pending[place] = ticket;
  };
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < kTickets / kFour; i += kBlocks * kThreads) {
    const uint4 event = events[i], price = prices[i];
    book(event.x, price.x, i * kFour);
    book(event.y, price.y, i * kFour + 1);
    book(event.z, price.z, i * kFour + 2);
    book(event.w, price.w, i * kFour + 3);
  }
  __syncthreads();
  sums[blockIdx.x * kRegions + threadIdx.x] = regions[threadIdx.x];
  const int found = min(waiting, kPending);
  if (threadIdx.x == 0) first = atomicAdd(count, found);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < found; i += kThreads)
    if (first + i < kMostListed) listed[first + i] = pending[i];
}

// A warp has a region. `books` are over all hours.
__global__ void __launch_bounds__(1024)
    close_books(unsigned long long* __restrict__ books, const unsigned* __restrict__ sums) {
  __shared__ unsigned long long parts[32][33];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, region = blockIdx.x * 32 + lane;
  unsigned long long sum = 0;
  for (unsigned block = warp; block < kBlocks; block += 32) sum += sums[block * kRegions + region];
  parts[lane][warp] = sum;
  __syncthreads();
  sum = parts[warp][lane];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane == 0) books[blockIdx.x * 32 + warp] += sum / 1000;
}

// How much too dear the listed tickets were. One number over all hours.
__global__ void __launch_bounds__(kThreads)
    check_listed(unsigned long long* __restrict__ owed, const unsigned* __restrict__ listed,
                 const int* __restrict__ count, const unsigned* __restrict__ prices) {
  const int all = min(*count, kMostListed);
  unsigned own = 0;
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < all;
       i += static_cast<int>(gridDim.x) * kThreads)
    own += (prices[listed[i]] - kDear) / 100;
  own = __reduce_add_sync(kMask, own);
  if (threadIdx.x % 32 == 0 && own != 0) atomicAdd(owed, static_cast<unsigned long long>(own));
}

void run_hour(Office& office) {
  CHECK(cudaMemsetAsync(office.table, 0xff, kTable * sizeof(Offer)));
  CHECK(cudaMemsetAsync(office.count, 0, sizeof(int)));
  insert_offers<<<kOffers / kThreads, kThreads>>>(office.table, office.hour++);
  sell<<<kBlocks, kThreads>>>(office.sums, office.listed, office.count, office.events, office.prices,
                              office.table);
  close_books<<<kRegions / 32, 1024>>>(office.books, office.sums);
  check_listed<<<132, kThreads>>>(office.books + kRegions, office.listed, office.count,
                                  reinterpret_cast<const unsigned*>(office.prices));
}

Case make() {
  const auto office = std::make_shared<Office>();
  office->events = device_array<uint4>(kTickets / kFour);
  office->prices = device_array<uint4>(kTickets / kFour);
  office->table = device_array<Offer>(kTable);
  office->sums = device_array<unsigned>(kBlocks * kRegions);
  office->listed = device_array<unsigned>(kMostListed);
  office->count = device_array<int>(1);
  office->books = device_array<unsigned long long>(kRegions + 1);
  fill_below(reinterpret_cast<unsigned*>(office->events), kTickets, kEvents, 1);
  fill_below(reinterpret_cast<unsigned*>(office->prices), kTickets, 20000, 1U << 30);
  CHECK(cudaMemset(office->books, 0, (kRegions + 1) * sizeof(unsigned long long)));
  return {[=] { run_hour(*office); }, [=] { return device_sum(office->books, kRegions + 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
