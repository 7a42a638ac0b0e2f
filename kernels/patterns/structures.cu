// A8: records of 7, 12 and 16 bytes, laid out as an array of structures, as one whose alignment allows a
// single load, and as one array for each field. Each thread adds up the fields of its record.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Seven bytes, three words or four words.
template <int Bytes>
struct Record {
  using Field = Word;
  static constexpr int kFields = Bytes / 4;
  Field field[kFields];
};
template <>
struct Record<7> {
  using Field = std::uint8_t;
  static constexpr int kFields = 7;
  Field field[kFields];
};

// Each field is a request whose lanes are Bytes apart: Bytes sectors, 12.5 % to 33 %.
template <int Bytes>
__global__ void array_of_structures(Word* out, const Word* in) {
  const unsigned i = thread_index();
  const auto& record = reinterpret_cast<const Record<Bytes>*>(in)[i];
  Word sum = 0;
#pragma unroll
  for (const auto field : record.field) sum += field;
  out[i] = sum;
}

__device__ inline Word sum_of_bytes(Word word) {
  return (word & 0xFF) + ((word >> 8) & 0xFF) + ((word >> 16) & 0xFF) + (word >> 24);
}

// The same with __align__(8) or __align__(16): one load of 8 or 16 bytes, as many sectors, 100 %. What the
// padding is worth is another matter: 7 of 8 and 12 of 16 bytes are used.
template <int Bytes>
__global__ void aligned_structures(Word* out, const Word* in) {
  const unsigned i = thread_index();
  if constexpr (Bytes == 7) {
    const uint2 record = reinterpret_cast<const uint2*>(in)[i];
    out[i] = sum_of_bytes(record.x) + sum_of_bytes(record.y & 0xFFFFFF);
  } else {
    const uint4 record = reinterpret_cast<const uint4*>(in)[i];
    out[i] = record.x + record.y + record.z + (Bytes == 16 ? record.w : 0);
  }
}

// Neighbouring lanes take neighbouring elements of each field's own array: 1 sector a request for bytes, 4
// for words, 100 %.
template <int Bytes>
__global__ void structure_of_arrays(Word* out, const Word* in) {
  const unsigned i = thread_index();
  const auto* fields = reinterpret_cast<const typename Record<Bytes>::Field*>(in);
  constexpr unsigned kRecords = kStructures<Bytes>;
  Word sum = 0;
#pragma unroll
  for (unsigned field = 0; field < Record<Bytes>::kFields; ++field) sum += fields[field * kRecords + i];
  out[i] = sum;
}

namespace {

using Kernel = void (*)(Word*, const Word*);

// Field `number` of the input, seen as an array of such fields.
template <int Bytes>
Word input_field(std::int64_t number) {
  if constexpr (Bytes != 7) return input_word(number);
  return (input_word(number / kWordBytes) >> (number % kWordBytes * 8)) & 0xFF;
}

// Field f of record i is input field i * record_step + f * field_step.
template <int Bytes>
Pattern pattern_of(const std::string& function, Kernel kernel, std::int64_t records, std::int64_t record_step,
                   std::int64_t field_step) {
  return {function + "/" + std::to_string(Bytes),
          [=](const Arrays& arrays) {
            kernel<<<blocks_of(records), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          [=](std::int64_t i) -> std::optional<Word> {
            if (i >= records) return std::nullopt;
            Word sum = 0;
            for (int field = 0; field < Record<Bytes>::kFields; ++field)
              sum += input_field<Bytes>(i * record_step + field * field_step);
            return sum;
          }};
}

template <int Bytes>
void add_layouts(std::vector<Pattern>& patterns) {
  constexpr std::int64_t kFields = Record<Bytes>::kFields;
  constexpr std::int64_t kPaddedFields = aligned_bytes(Bytes) * kFields / Bytes;
  patterns.push_back(
      pattern_of<Bytes>("array_of_structures", array_of_structures<Bytes>, structures_of(Bytes), kFields, 1));
  patterns.push_back(pattern_of<Bytes>("aligned_structures", aligned_structures<Bytes>,
                                       structures_of(aligned_bytes(Bytes)), kPaddedFields, 1));
  patterns.push_back(pattern_of<Bytes>("structure_of_arrays", structure_of_arrays<Bytes>,
                                       structures_of(Bytes), 1, structures_of(Bytes)));
}

}  // namespace

std::vector<Pattern> structure_patterns() {
  std::vector<Pattern> patterns;
  add_layouts<7>(patterns);
  add_layouts<12>(patterns);
  add_layouts<16>(patterns);
  return patterns;
}

}  // namespace coalescope::kernels
