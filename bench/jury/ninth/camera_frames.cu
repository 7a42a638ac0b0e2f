// Turns the frames of four cameras, 1920 x 1080 pixels with shared colours (YUY2), into red, green, blue,
// and makes small pictures of 480 x 270 pixels, at which the host looks.
// At fault: each frame allocates memory on the device and gives it back; that costs time, and the device
// must come to rest for it. The pattern is that of realsenseai/librealsense, issue 11692 and pull request
// 11737: buffers on the device are kept from frame to frame.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1080, kPixels = kWide * kHigh, kQuads = kPixels / 4, kShrink = 4;
constexpr int kSmallWide = kWide / kShrink, kSmallHigh = kHigh / kShrink, kSmall = kSmallWide * kSmallHigh;
constexpr int kCameras = 4, kThreads = 256, kRounds = 2400;
constexpr std::size_t kFrameBytes = std::size_t{2} * kPixels, kSmallBytes = kSmall * sizeof(uchar4);

// On the device, for a frame.
struct Buffers {
  uint2* frame;  // four pixels each
  uchar4 *colours, *small;
};

struct Camera {
  unsigned char* frame;
  uchar4* shown;
  Buffers buffers;
  cudaStream_t stream;
};

__device__ unsigned char level(float value) {
  return static_cast<unsigned char>(fminf(fmaxf(value, 0), 255));
}

__device__ uchar4 coloured(unsigned bright, unsigned blue, unsigned red) {
  const float y = 1.164F * (static_cast<float>(bright) - 16);
  const float u = static_cast<float>(blue) - 128, v = static_cast<float>(red) - 128;
  return make_uchar4(level(y + 1.596F * v), level(y - 0.813F * v - 0.391F * u), level(y + 2.018F * u), 255);
}

__device__ unsigned byte_of(unsigned word, int i) {
  return word >> (8 * i) & 0xffU;
}

__device__ unsigned packed(uchar4 colour) {
  return colour.x | colour.y << 8 | colour.z << 16 | static_cast<unsigned>(colour.w) << 24;
}

// A word has two pixels with one hue.
__global__ void __launch_bounds__(kThreads) convert(uchar4* colours, const uint2* frame) {
  const int quad = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (quad >= kQuads) return;
  const uint2 words = frame[quad];
  const auto pixel = [](unsigned word, int i) {
    return packed(coloured(byte_of(word, 2 * i), byte_of(word, 1), byte_of(word, 3)));
  };
  reinterpret_cast<uint4*>(colours)[quad] =
      make_uint4(pixel(words.x, 0), pixel(words.x, 1), pixel(words.y, 0), pixel(words.y, 1));
}

// The mean of 4 x 4 pixels.
__global__ void __launch_bounds__(kThreads) shrink(uchar4* small, const uchar4* colours) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= kSmall) return;
  const int x = i % kSmallWide, y = i / kSmallWide;
  unsigned red = 0, green = 0, blue = 0;
#pragma unroll
  for (int row = 0; row < kShrink; ++row) {
    const uint4 four = reinterpret_cast<const uint4*>(colours)[(y * kShrink + row) * kSmallWide + x];
    for (const unsigned pixel : {four.x, four.y, four.z, four.w}) {
      red += byte_of(pixel, 0);
      green += byte_of(pixel, 1);
      blue += byte_of(pixel, 2);
    }
  }
  const auto mean = [](unsigned sum) { return static_cast<unsigned char>(sum / (kShrink * kShrink)); };
  small[i] = make_uchar4(mean(red), mean(green), mean(blue), 255);
}

Buffers allocated() {
  Buffers buffers{};
  CHECK(cudaMalloc(&buffers.frame, kFrameBytes));                 // fault
  CHECK(cudaMalloc(&buffers.colours, kPixels * sizeof(uchar4)));  // fault
  CHECK(cudaMalloc(&buffers.small, kSmallBytes));                 // fault
  return buffers;
}

void give_back(const Buffers& buffers) {
  CHECK(cudaFree(buffers.frame));    // fault
  CHECK(cudaFree(buffers.colours));  // fault
  CHECK(cudaFree(buffers.small));    // fault
}

void submit(const Camera& camera, const Buffers& buffers) {
  CHECK(cudaMemcpyAsync(buffers.frame, camera.frame, kFrameBytes, cudaMemcpyHostToDevice, camera.stream));
  convert<<<blocks_for(kQuads, kThreads), kThreads, 0, camera.stream>>>(buffers.colours, buffers.frame);
  shrink<<<blocks_for(kSmall, kThreads), kThreads, 0, camera.stream>>>(buffers.small, buffers.colours);
  CHECK(cudaMemcpyAsync(camera.shown, buffers.small, kSmallBytes, cudaMemcpyDeviceToHost, camera.stream));
}

// The host looks at some pixels.
double looked_at(const uchar4* picture) {
  double sum = 0;
  for (int i = 0; i < kSmall; i += 1024) sum += picture[i].x + picture[i].y + picture[i].z;
  return sum;
}

// Something moves in front of the camera.
void take_picture(unsigned char* frame, unsigned number) {
  for (int row = 0; row < kHigh; row += 8) {
    unsigned char* line = frame + 2 * row * kWide;
    const unsigned place = number * 16 + static_cast<unsigned>(row);
    for (unsigned i = place; i < place + 16; ++i) {
      line[i % (2 * kWide)] = static_cast<unsigned char>(mixed_bits(i));
    }
  }
}

Camera made_camera(unsigned number) {
  Camera camera{pinned_array<unsigned char>(kFrameBytes), pinned_array<uchar4>(kSmall), allocated(), nullptr};
  for (unsigned i = 0; i < kFrameBytes; ++i) {
    camera.frame[i] = static_cast<unsigned char>(mixed_bits(i / 64 + number * 1000003));
  }
  std::memset(camera.shown, 0, kSmallBytes);
  CHECK(cudaStreamCreateWithFlags(&camera.stream, cudaStreamNonBlocking));
  return camera;
}

Case make(bool anew) {
  std::array<Camera, kCameras> cameras{};
  for (unsigned i = 0; i < kCameras; ++i) cameras[i] = made_camera(i);
  auto number = std::make_shared<unsigned>(0);
  auto seen = std::make_shared<double>(0);
  return {[=] {
            for (const Camera& camera : cameras) {
              // The frames of the other cameras are under way meanwhile.
              CHECK(cudaStreamSynchronize(camera.stream));
              *seen += looked_at(camera.shown);
              take_picture(camera.frame, *number);
              const Buffers buffers = anew ? allocated() : camera.buffers;
              submit(camera, buffers);
              if (anew) give_back(buffers);
            }
            ++*number;
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return *seen;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
