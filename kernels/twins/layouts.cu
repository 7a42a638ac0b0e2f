// A8: arrays of records against arrays of their fields. Where a thread uses all of a record at once, L1 keeps
// the lines that its fields share; where it uses or writes a part, the rest is moved for nothing.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kSmallRecords = 16 * kMiB, kSmallFields = 3;
constexpr std::int64_t kLargeRecords = 8 * kMiB, kLargeFields = 7;

struct SmallRecord {
  Word x, y, z;
};
struct LargeRecord {
  Word inputs[kLargeFields - 1];
  Word result;
};

__global__ void square_records(Word* out, const SmallRecord* records) {
  const SmallRecord& record = records[thread_index()];
  out[thread_index()] = record.x * record.x + record.y * record.y + record.z * record.z;
}
__global__ void square_arrays(Word* out, const Word* x, const Word* y, const Word* z) {
  const unsigned i = thread_index();
  out[i] = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
}

__global__ void double_first_of_records(Word* out, const SmallRecord* records) {
  out[thread_index()] = records[thread_index()].x * 2;  // fault: record_field
}
__global__ void double_array(Word* out, const Word* x) {
  out[thread_index()] = x[thread_index()] * 2;
}

__global__ void update_records(LargeRecord* records) {
  LargeRecord& record = records[thread_index()];
  Word sum = 0;
#pragma unroll
  for (const Word input : record.inputs) sum = sum * 3 + input;  // fault: record_update
  record.result = sum;                                           // fault: record_update
}
__global__ void update_arrays(Word* results, const Word* inputs) {
  Word sum = 0;
#pragma unroll
  for (unsigned field = 0; field < kLargeFields - 1; ++field)
    sum = sum * 3 + inputs[field * static_cast<unsigned>(kLargeRecords) + thread_index()];
  results[thread_index()] = sum;
}

namespace {

const SmallRecord* small_records(const SharedWords& words) {
  return reinterpret_cast<const SmallRecord*>(words.get());
}

Computation whole_records(Side side) {
  const SharedWords in = side == Side::fault ? filled_words(kSmallRecords * kSmallFields, InOrder())
                                             : filled_words(kSmallRecords * kSmallFields,
                                                            FieldByField{kSmallRecords, kSmallFields});
  const SharedWords out = device_words(kSmallRecords);
  const unsigned blocks = blocks_of(kSmallRecords);
  return {[=] {
            if (side == Side::fault)
              square_records<<<blocks, kBlockThreads>>>(out.get(), small_records(in));
            else
              square_arrays<<<blocks, kBlockThreads>>>(out.get(), in.get(), in.get() + kSmallRecords,
                                                       in.get() + 2 * kSmallRecords);
          },
          [=] {
            return first_mistake(out.get(), {kSmallRecords}, [](std::int64_t i) {
              Word sum = 0;
              for (std::int64_t field = 0; field < kSmallFields; ++field)
                sum += input_word(i * kSmallFields + field) * input_word(i * kSmallFields + field);
              return sum;
            });
          }};
}

Computation record_field(Side side) {
  const SharedWords in = side == Side::fault
                             ? filled_words(kSmallRecords * kSmallFields, InOrder())
                             : filled_words(kSmallRecords, FieldByField{kSmallRecords, kSmallFields});
  const SharedWords out = device_words(kSmallRecords);
  const unsigned blocks = blocks_of(kSmallRecords);
  return {[=] {
            if (side == Side::fault)
              double_first_of_records<<<blocks, kBlockThreads>>>(out.get(), small_records(in));
            else
              double_array<<<blocks, kBlockThreads>>>(out.get(), in.get());
          },
          [=] {
            return first_mistake(out.get(), {kSmallRecords},
                                 [](std::int64_t i) { return input_word(i * kSmallFields) * 2; });
          }};
}

// The results are the last field of the records, or the array behind the other fields' arrays.
Computation record_update(Side side) {
  constexpr std::int64_t kWords = kLargeRecords * kLargeFields;
  constexpr std::int64_t kResults = kLargeRecords * (kLargeFields - 1);
  const bool fault = side == Side::fault;
  const SharedWords words = fault ? filled_words(kWords, InOrder())
                                  : filled_words(kWords, FieldByField{kLargeRecords, kLargeFields});
  const auto expected = [](std::int64_t i) {
    Word sum = 0;
    for (std::int64_t field = 0; field < kLargeFields - 1; ++field)
      sum = sum * 3 + input_word(i * kLargeFields + field);
    return sum;
  };
  const unsigned blocks = blocks_of(kLargeRecords);
  return {[=] {
            if (fault)
              update_records<<<blocks, kBlockThreads>>>(reinterpret_cast<LargeRecord*>(words.get()));
            else
              update_arrays<<<blocks, kBlockThreads>>>(words.get() + kResults, words.get());
          },
          [=] {
            if (!fault) return first_mistake(words.get() + kResults, {kLargeRecords}, expected);
            const auto at = [](std::int64_t i) { return i * kLargeFields + kLargeFields - 1; };
            return first_mistake(words.get(), kWords, {kLargeRecords}, at, expected);
          }};
}

}  // namespace

std::vector<TwinCode> layout_twins() {
  return {{"whole_records", whole_records}, {"record_field", record_field}, {"record_update", record_update}};
}

}  // namespace coalescope::kernels
