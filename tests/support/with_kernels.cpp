// A program with the section into which nvcc puts kernels, for the tests of `doctor`: nobody runs it.
__attribute__((section(".nv_fatbin"), used)) static const char kKernels[] = "none";

int main() {
  return 0;
}
