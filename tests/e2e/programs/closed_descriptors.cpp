// Exit status: one bit for each of the descriptors 0 to 2 that is closed.
#include <fcntl.h>

int main() {
  int closed = 0;
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1) closed |= 1 << descriptor;
  return closed;
}
