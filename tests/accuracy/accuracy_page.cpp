// Prints docs/accuracy.md: `coalescope_accuracy_page accuracy`.

#include <cstdio>

#include "tests/accuracy/accuracy.h"

int main() {
  std::fputs(coalescope::accuracy::page(coalescope::accuracy::outcomes()).c_str(), stdout);
}
