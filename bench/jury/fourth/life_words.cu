// A generation of Conway's game of life with 65,536 x 65,536 cells, 64 of them a word.
// Nothing is wrong: a thread counts the neighbours of 64 cells with the logic of adders. After
// matyas-brabec/2025-europar-llm, prompts/game_of_life06.prompt.md.
#include <memory>

#include "../case.cuh"

namespace {

using Word = unsigned long long;
constexpr int kRows = 65536, kWords = 1024, kThreads = 256, kShares = kWords / kThreads;
constexpr std::size_t kAll = std::size_t{kRows} * kWords;

struct Sum {
  Word ones, twos;
};

__device__ Sum add(Word a, Word b, Word c) {
  return {a ^ b ^ c, (a & b) | (c & (a ^ b))};
}

// Left neighbours, the cells themselves and right neighbours.
struct Three {
  Word left, own, right;
};

__device__ Three three_of(const Word* cells, int row, int word) {
  if (row < 0 || row >= kRows) return {};
  const Word* at = cells + static_cast<std::size_t>(row) * kWords + word;
  const Word own = *at, before = word > 0 ? at[-1] : 0, after = word < kWords - 1 ? at[1] : 0;
  return {own << 1 | before >> 63, own, own >> 1 | after << 63};
}

__global__ void live(Word* next, const Word* cells) {
  const int row = static_cast<int>(blockIdx.x / kShares);
  const int word = static_cast<int>(blockIdx.x % kShares * kThreads + threadIdx.x);
  const Three above = three_of(cells, row - 1, word), own = three_of(cells, row, word);
  const Three below = three_of(cells, row + 1, word);
  const Sum first = add(above.left, above.own, above.right), last = add(below.left, below.own, below.right);
  const Sum middle{own.left ^ own.right, own.left & own.right};
  const Sum ones = add(first.ones, middle.ones, last.ones);
  const Sum twos = add(first.twos, middle.twos, last.twos);
  const Word two = twos.ones ^ ones.twos, four = twos.twos | (twos.ones & ones.twos);
  next[static_cast<std::size_t>(row) * kWords + word] = two & ~four & (ones.ones | own.own);
}

struct World {
  Word *cells, *next;
};

Case make() {
  auto world = std::make_shared<World>(World{device_array<Word>(kAll), device_array<Word>(kAll)});
  fill_below(reinterpret_cast<unsigned*>(world->cells), 2 * kAll, 0xffffffffU, 1);
  return {[=] {
            live<<<kRows * kShares, kThreads>>>(world->next, world->cells);
            std::swap(world->cells, world->next);
          },
          [=] { return device_sum(world->cells, kAll / 4); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
