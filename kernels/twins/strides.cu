// A4, A5: lanes that are words apart, because of the layout of the data or of how it is shared out.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

// Records of four words, of which one is used.
constexpr std::int64_t kStridedRecords = 16 * kMiB;
constexpr unsigned kRecordWords = 4, kUsedField = 1;

__global__ void take_field(Word* out, const Word* records) {
  out[thread_index()] = records[thread_index() * kRecordWords + kUsedField];  // fault: strided_field
}
__global__ void take_field_array(Word* out, const Word* field) {
  out[thread_index()] = field[thread_index()];
}

__global__ void put_field(Word* records, const Word* in) {
  records[thread_index() * kRecordWords + kUsedField] = in[thread_index()];  // fault: strided_store
}
__global__ void put_field_array(Word* field, const Word* in) {
  field[thread_index()] = in[thread_index()];
}

constexpr std::int64_t kScaledWords = 32 * kMiB;

__global__ void scale_across_blocks(Word* out, const Word* in) {
  const unsigned i = blockIdx.x + threadIdx.x * gridDim.x;
  out[i] = in[i] * 3;  // fault: grid_strided
}
__global__ void scale_in_order(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i] * 3;
}

constexpr unsigned kChunkWords = 16;

// As one shares out work among the threads of a processor.
__global__ void scale_chunks(Word* out, const Word* in) {
  const unsigned first = thread_index() * kChunkWords;
#pragma unroll
  for (unsigned k = 0; k < kChunkWords; ++k) {
    out[first + k] = in[first + k] * 3;  // fault: chunk_per_thread
  }
}
__global__ void scale_interleaved(Word* out, const Word* in) {
  const unsigned threads = gridDim.x * blockDim.x;
#pragma unroll
  for (unsigned k = 0; k < kChunkWords; ++k)
    out[thread_index() + k * threads] = in[thread_index() + k * threads] * 3;
}

namespace {

Word field_word(std::int64_t record) {
  return input_word(record * kRecordWords + kUsedField);
}

Computation strided_field(Side side) {
  const bool fault = side == Side::fault;
  const SharedWords in =
      fault ? filled_words(kStridedRecords * kRecordWords, InOrder())
            : filled_words(kStridedRecords, FieldByField{kStridedRecords, kRecordWords, kUsedField});
  const SharedWords out = device_words(kStridedRecords);
  const auto kernel = fault ? take_field : take_field_array;
  return {[=] { kernel<<<blocks_of(kStridedRecords), kBlockThreads>>>(out.get(), in.get()); },
          [=] { return first_mistake(out.get(), {kStridedRecords}, field_word); }};
}

Computation strided_store(Side side) {
  const bool fault = side == Side::fault;
  const std::int64_t step = fault ? kRecordWords : 1, first = fault ? kUsedField : 0;
  const SharedWords in =
      filled_words(kStridedRecords, FieldByField{kStridedRecords, kRecordWords, kUsedField});
  const SharedWords out = device_words(kStridedRecords * step);
  const auto kernel = fault ? put_field : put_field_array;
  return {[=] { kernel<<<blocks_of(kStridedRecords), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            const auto at = [=](std::int64_t record) { return record * step + first; };
            return first_mistake(out.get(), kStridedRecords * step, {kStridedRecords}, at, field_word);
          }};
}

using Kernel = void (*)(Word*, const Word*);

Computation scaled(Kernel kernel, std::int64_t threads) {
  const SharedWords in = filled_words(kScaledWords, InOrder());
  const SharedWords out = device_words(kScaledWords);
  return {[=] { kernel<<<blocks_of(threads), kBlockThreads>>>(out.get(), in.get()); },
          [=] {
            return first_mistake(out.get(), {kScaledWords}, [](std::int64_t i) { return input_word(i) * 3; });
          }};
}

}  // namespace

std::vector<TwinCode> stride_twins() {
  return {{"strided_field", strided_field},
          {"strided_store", strided_store},
          {"grid_strided",
           [](Side side) {
             return scaled(side == Side::fault ? scale_across_blocks : scale_in_order, kScaledWords);
           }},
          {"chunk_per_thread", [](Side side) {
             return scaled(side == Side::fault ? scale_chunks : scale_interleaved,
                           kScaledWords / kChunkWords);
           }}};
}

}  // namespace coalescope::kernels
