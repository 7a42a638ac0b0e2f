# Warnings for our own code. They are errors only when coalescope is the top-level project: a packager's
# newer compiler must not break his build. A row that names only some of its members leaves the others at their
# defaults on purpose. GCC 12 sees overlapping copies in every optimised "literal" + string (its bug 105651).
function(coalescope_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                                   -Wno-missing-field-initializers $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>)
  # Many files compiled as one: what is anonymous in a source looks as if it were in a header, and sources are
  # included.
  if(CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()
