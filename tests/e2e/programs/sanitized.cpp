// Says on demand that it is well, or reads behind an array, for which AddressSanitizer ends it.
#include <cstdio>
#include <vector>

int main(int argc, char**) {
  const std::vector<int> numbers(4);
  if (argc > 1) return numbers.data()[4];
  std::puts("well");
  return 3;
}
