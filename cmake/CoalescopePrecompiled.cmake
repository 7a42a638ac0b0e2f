# What most files include, read and instantiated once for the build under clang's sanitizers: two seconds less a unit. GCC
# takes as long to load as to read it; every other build also shows that files include what they need.
function(coalescope_precompiled target)
  if(NOT COALESCOPE_FUZZ)
    return()
  endif()
  if(NOT TARGET coalescope_precompiled)
    set(source ${PROJECT_BINARY_DIR}/precompiled.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(coalescope_precompiled OBJECT ${source})
    target_link_libraries(coalescope_precompiled PRIVATE tl::expected coalescope::fmt nlohmann_json::nlohmann_json GTest::gmock)
    target_precompile_headers(coalescope_precompiled PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <cstdlib> <cstring> <filesystem> <fstream> <functional> <map> <memory>
      <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>
      <fmt/format.h> <gmock/gmock.h> <nlohmann/json.hpp> <tl/expected.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM coalescope_precompiled)
endfunction()
