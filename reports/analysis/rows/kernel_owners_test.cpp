#include "reports/analysis/rows/kernel_owners.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

constexpr const char* kOwn = "/home/a/train.py";
constexpr const char* kTriton = "/v/lib/python3.12/site-packages/triton/language/standard.py";
constexpr const char* kFla = "/v/lib/python3.12/site-packages/fla/ops/f.py";

KernelRow kernel(std::int64_t id, const char* name) {
  KernelRow row;
  row.id = id;
  row.name = row.full_name = row.mangled_name = name;
  return row;
}

LineRow line(std::int64_t kernel_id, const char* file) {
  LineRow row;
  row.kernel_id = kernel_id;
  row.file = file;
  return row;
}

std::vector<std::string> owners(std::vector<KernelRow> kernels, const std::vector<LineRow>& lines) {
  name_owners(kernels, lines);
  std::vector<std::string> names;
  for (const auto& row : kernels) names.push_back(row.origin == Origin::user ? "user" : row.owner);
  return names;
}

using Names = std::vector<std::string>;

TEST(KernelOwners, AKernelIsItsAuthorsWhateverItInlines) {
  EXPECT_EQ(owners({kernel(1, "softmax")}, {line(1, kTriton), line(1, kOwn)}), Names{"Triton"});
  EXPECT_EQ(owners({kernel(1, "softmax")}, {line(1, kOwn), line(1, kTriton)}), Names{"Triton"});
  EXPECT_EQ(owners({kernel(1, "softmax")}, {line(1, kFla)}), Names{"fla"});
  EXPECT_EQ(owners({kernel(1, "softmax")}, {line(1, "/home/a/train.cu")}), Names{"user"});
}

TEST(KernelOwners, ShapesWithoutLinesAreOfTheSameAuthor) {
  EXPECT_EQ(owners({kernel(1, "softmax"), kernel(2, "softmax"), kernel(3, "other")}, {line(2, kOwn)}),
            (Names{"Triton", "Triton", "user"}));
}

}  // namespace
}  // namespace coalescope::analysis
