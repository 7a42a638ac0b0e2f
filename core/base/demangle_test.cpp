#include "core/base/demangle.h"

#include <gtest/gtest.h>

namespace coalescope::base {
namespace {

TEST(Demangle, TemplateKernelKeepsItsArguments) {
  const std::string mangled = "_ZN10coalescope7kernels11offset_copyILi3EEEvPjPKj";
  EXPECT_EQ(demangle(mangled),
            "void coalescope::kernels::offset_copy<3>(unsigned int*, unsigned int const*)");
  EXPECT_EQ(kernel_label(mangled), "coalescope::kernels::offset_copy<3>");
}

TEST(Demangle, PlainFunctionHasNoReturnType) {
  EXPECT_EQ(kernel_label("_ZN10coalescope7kernels4fillEPjl"), "coalescope::kernels::fill");
}

TEST(Demangle, UnmangledNameStaysAsItIs) {
  EXPECT_EQ(kernel_label("copy_kernel"), "copy_kernel");
  EXPECT_EQ(kernel_label("f"), "f");
  EXPECT_EQ(kernel_label(""), "");
}

TEST(Demangle, ParenthesesInsideTheNameAreKept) {
  EXPECT_EQ(without_signature("void (anonymous namespace)::softmax<float, (int)2>(float*, void (*)(int))"),
            "(anonymous namespace)::softmax<float, (int)2>");
  EXPECT_EQ(without_signature("void k<f(int)::{lambda(float)#1}>(int, f(int)::{lambda(float)#1})"),
            "k<f(int)::{lambda(float)#1}>");
}

TEST(Demangle, UnbalancedTextIsNotCut) {
  EXPECT_EQ(without_signature("odd)"), "odd)");
}

}  // namespace
}  // namespace coalescope::base
