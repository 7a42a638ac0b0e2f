# coalescope::fmt: fmt with its compiled part, once. Debian has that part only as a shared library, which what is
# loaded into programs must not need; in each file that formats it takes five seconds to compile. What other versions
# leave to the library is not known here: with these each file compiles it.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(coalescope_fmt STATIC ${PROJECT_SOURCE_DIR}/core/base/fmt_library.cpp)
  target_include_directories(coalescope_fmt SYSTEM PUBLIC
                             $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  set_target_properties(coalescope_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
else()
  add_library(coalescope_fmt INTERFACE)
  target_link_libraries(coalescope_fmt INTERFACE fmt::fmt-header-only)
endif()
add_library(coalescope::fmt ALIAS coalescope_fmt)
