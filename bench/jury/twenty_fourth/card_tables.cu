// Poker for two, learned by play: all tables of a club deal hands at random, the players call or fold by what
// they know of their two cards, and how much a call was worth is counted for each of the 169 kinds of hands.
// After a night the players change how often they call. A night a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kKinds = 169, kTables = 1056, kThreads = 256, kHandsOfSeat = 64, kRounds = 3500, kRanks = 13;
constexpr int kSums = 3 * kKinds, kCardsOfHand = 9;
constexpr float kBlind = 1, kStake = 8, kLearns = 0.02F;

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n) : data_(device_array<T>(n)), size_(n) {
    CHECK(cudaMemset(data_, 0, n * sizeof(T)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_;
  std::size_t size_;
};

// Numbers that depend on a table, a seat, a hand and a draw only.
class Shuffler {
 public:
  __device__ Shuffler(unsigned night, unsigned seat, unsigned hand)
      : key_(mixed_bits(night * 0x9e3779b9U + 1) ^ mixed_bits(seat + 0x51ed270bU)), counter_(hand * 64) {}

  __device__ unsigned below(unsigned limit) {
    return __umulhi(mixed_bits(key_ + 0x632be5abU * counter_++), limit);
  }
  __device__ float fraction() { return mixed_fraction(key_ ^ 0x632be5abU * counter_++); }

 private:
  unsigned key_, counter_;
};

// Bit 16 * suit + rank.
__device__ unsigned long long card_bit(unsigned card) {
  return 1ULL << (card / kRanks * 16 + card % kRanks);
}

// Pairs, hands of one suit, and others.
__device__ int kind_of(unsigned one, unsigned other) {
  const int high = static_cast<int>(max(one % kRanks, other % kRanks));
  const int low = static_cast<int>(min(one % kRanks, other % kRanks));
  return one / kRanks == other / kRanks ? high * kRanks + low : low * kRanks + high;
}

__device__ unsigned highest(unsigned ranks, int count) {
  unsigned kept = 0;
  for (int i = 0; i < count && ranks != 0; ++i) {
    const unsigned top = 1U << (31 - __clz(static_cast<int>(ranks)));
    kept |= top;
    ranks ^= top;
  }
  return kept;
}

// The highest rank of five in a row, plus one; the ace is also below the two.
__device__ unsigned row_of_five(unsigned ranks) {
  const unsigned wheel = ranks << 1 | ranks >> 12 & 1;
  const unsigned runs = wheel & wheel >> 1 & wheel >> 2 & wheel >> 3 & wheel >> 4;
  return runs == 0 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(runs)));
}

// The larger the better.
__device__ unsigned strength(unsigned long long cards) {
  const unsigned a = cards & 0x1fff, b = cards >> 16 & 0x1fff, c = cards >> 32 & 0x1fff,
                 d = cards >> 48 & 0x1fff;
  const unsigned any = a | b | c | d, pairs = (a & b) | (c & d) | ((a | b) & (c | d));
  const unsigned threes = (a & b & (c | d)) | (c & d & (a | b)), fours = a & b & c & d;
  unsigned flush = 0;
  for (const unsigned suit : {a, b, c, d}) flush = __popc(suit) >= 5 ? suit : flush;
  const unsigned straight_flush = row_of_five(flush);
  if (straight_flush != 0) return 8U << 26 | straight_flush;
  if (fours != 0) return 7U << 26 | fours << 13 | highest(any ^ fours, 1);
  const unsigned three = highest(threes, 1), full = highest(pairs & ~three, 1);
  if (three != 0 && full != 0) return 6U << 26 | three << 13 | full;
  if (flush != 0) return 5U << 26 | highest(flush, 5);
  const unsigned straight = row_of_five(any);
  if (straight != 0) return 4U << 26 | straight;
  if (three != 0) return 3U << 26 | three << 13 | highest(any & ~three, 2);
  const unsigned two = highest(pairs, 2);
  if (__popc(two) == 2) return 2U << 26 | two << 13 | highest(any & ~two, 1);
  if (two != 0) return 1U << 26 | two << 13 | highest(any & ~two, 3);
  return highest(any, 5);
}

// A block is a table. Sums of a table are in shared memory: how often a kind of hand was called, what it won,
// and how often it was dealt.
__global__ void __launch_bounds__(kThreads)
    play(int* __restrict__ sums, const float* __restrict__ calls, unsigned night) {
  __shared__ int of_table[kSums];
  __shared__ float how_often[kKinds];
  for (auto i = static_cast<int>(threadIdx.x); i < kSums; i += kThreads) of_table[i] = 0;
  for (auto i = static_cast<int>(threadIdx.x); i < kKinds; i += kThreads) how_often[i] = calls[i];
  __syncthreads();
  const unsigned seat = blockIdx.x * kThreads + threadIdx.x;
  for (unsigned hand = 0; hand < kHandsOfSeat; ++hand) {
    Shuffler shuffler(night, seat, hand);
    unsigned long long dealt = 0, board = 0, mine = 0, yours = 0;
    unsigned cards[4] = {};
#pragma unroll
    for (int i = 0; i < kCardsOfHand; ++i) {
      unsigned card = shuffler.below(4 * kRanks);
      while (dealt & card_bit(card)) card = shuffler.below(4 * kRanks);
      dealt |= card_bit(card);
      if (i < 2)
        mine |= card_bit(card);
      else if (i < 4)
        yours |= card_bit(card);
      else
        board |= card_bit(card);
      if (i < 4) cards[i] = card;
    }
    const int my_kind = kind_of(cards[0], cards[1]), your_kind = kind_of(cards[2], cards[3]);
    atomicAdd(of_table + 2 * kKinds + my_kind, 1);
    if (shuffler.fraction() >= how_often[my_kind]) continue;
    int won = static_cast<int>(kBlind);
    if (shuffler.fraction() < how_often[your_kind]) {
      const unsigned me = strength(mine | board), you = strength(yours | board);
      won = me == you ? 0 : static_cast<int>(me > you ? kStake : -kStake);
    }
    atomicAdd(of_table + my_kind, 1);
    atomicAdd(of_table + kKinds + my_kind, won);
  }
  __syncthreads();
  for (auto i = static_cast<int>(threadIdx.x); i < kSums; i += kThreads)
    sums[blockIdx.x * kSums + i] = of_table[i];
}

// A block has a kind of hands, and adds up the tables.
__global__ void __launch_bounds__(kThreads)
    learn(float* __restrict__ next, float* __restrict__ worth, const float* __restrict__ calls,
          const int* __restrict__ sums) {
  __shared__ int3 warps[kThreads / 32];
  const auto kind = static_cast<int>(blockIdx.x);
  int3 sum = make_int3(0, 0, 0);
  for (auto table = static_cast<int>(threadIdx.x); table < kTables; table += kThreads) {
    const int* of = sums + table * kSums + kind;
    sum = make_int3(sum.x + of[0], sum.y + of[kKinds], sum.z + of[2 * kKinds]);
  }
  sum = make_int3(__reduce_add_sync(0xffffffffU, sum.x), __reduce_add_sync(0xffffffffU, sum.y),
                  __reduce_add_sync(0xffffffffU, sum.z));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i)
    sum = make_int3(sum.x + warps[i].x, sum.y + warps[i].y, sum.z + warps[i].z);
  const float gains = sum.x > 0 ? static_cast<float>(sum.y) / static_cast<float>(sum.x) : 0;
  worth[kind] = 0.99F * worth[kind] + 0.01F * gains;
  const float wish = 1 / (1 + __expf(-2 * (gains + kBlind / 2)));
  next[kind] = calls[kind] + kLearns * (wish - calls[kind]);
}

__global__ void __launch_bounds__(kThreads) greet(float* calls) {
  const auto kind = static_cast<int>(threadIdx.x);
  if (kind < kKinds) calls[kind] = 0.5F;
}

struct Club {
  Buffer<int> sums{std::size_t{kTables} * kSums};
  Buffer<float> worth{kKinds};
  Buffer<float> calls[2] = {Buffer<float>(kKinds), Buffer<float>(kKinds)};
  unsigned night = 0;
};

void play_night(Club& club) {
  const unsigned night = club.night++;
  play<<<kTables, kThreads>>>(club.sums.data(), club.calls[night % 2].data(), night);
  learn<<<kKinds, kThreads>>>(club.calls[(night + 1) % 2].data(), club.worth.data(),
                              club.calls[night % 2].data(), club.sums.data());
}

Case make() {
  const auto club = std::make_shared<Club>();
  greet<<<1, kThreads>>>(club->calls[0].data());
  return {[=] { play_night(*club); },
          [=] { return device_sum(club->worth.data(), kKinds) + device_sum(club->calls[0].data(), kKinds); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
