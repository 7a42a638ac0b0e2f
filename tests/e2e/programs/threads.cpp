// Many short threads, with thread-local state: prints a sum that does not depend on their order.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {
thread_local long calls = 0;
}

int main() {
  std::atomic<long> sum{0};
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    threads.reserve(50);
    for (int number = 0; number < 50; ++number)
      threads.emplace_back([&sum, number] {
        for (int i = 0; i < 100; ++i) ++calls;
        sum += calls * number;
      });
    for (std::thread& thread : threads) thread.join();
  }
  std::printf("%ld\n", sum.load());
}
