# Precompiled headers: one for the components, one (with GoogleTest) for the test programs.
#
# Only headers in angle brackets stand here: the file that CMake makes of them then has no path of this
# clone in it, and ccache finds the same compile in another clone. A target with compile options of its
# own cannot share them (GCC refuses a precompiled header made with other flags).
set(KVSQL_PCH_HEADERS
  <algorithm> <array> <atomic> <bit> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
  <optional> <span> <string> <string_view> <type_traits> <unordered_map> <utility> <variant> <vector>
  <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h>)

function(kvsql_share_pch target owner)
  get_target_property(own_options ${target} COMPILE_OPTIONS)
  get_target_property(own_definitions ${target} COMPILE_DEFINITIONS)
  if(KVSQL_PCH AND NOT own_options AND NOT own_definitions)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# kvsql_pch_checksum(TARGET BINARY_DIR): the bytes of a precompiled header differ from one build folder to the
# next, so ccache is told what it is made of instead (CCACHE_PCH_EXTSUM): all of it comes from the compiler and from
# Debian's packages. Without this no object compiled with it would ever come from the cache in another clone.
function(kvsql_pch_checksum target binary_dir)
  string(SHA256 sum "${KVSQL_PCH_HEADERS};${target};${CMAKE_CXX_COMPILER_VERSION};${absl_VERSION};${GTest_VERSION}")
  file(WRITE ${binary_dir}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum "${sum}")
endfunction()

if(KVSQL_PCH)
  add_library(kvsql_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  target_link_libraries(kvsql_pch PRIVATE kvsql_flags absl::status absl::statusor absl::strings)
  target_precompile_headers(kvsql_pch PRIVATE ${KVSQL_PCH_HEADERS})
  kvsql_pch_checksum(kvsql_pch ${CMAKE_BINARY_DIR})
  get_property(components GLOBAL PROPERTY KVSQL_COMPONENTS)
  foreach(component IN LISTS components)
    kvsql_share_pch(${component} kvsql_pch)
  endforeach()
endif()
