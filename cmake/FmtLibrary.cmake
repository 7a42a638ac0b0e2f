# coalescope::fmt: fmt, with its compiled part built once. Debian ships that part as a shared library only, and libraries that
# are loaded into other programs must not depend on it. Header-only, each file that formats takes five seconds longer to
# compile. Versions other than 9 stay header-only: which templates they declare extern was not checked.
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
