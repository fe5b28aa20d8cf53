# Compiler flags that every target of the project shares.
find_package(absl REQUIRED)
find_package(Threads REQUIRED)

# A compile whose text and flags were seen before comes from the cache, whatever folder the clone is in.
find_program(KVSQL_CCACHE ccache)
if(KVSQL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${KVSQL_CCACHE})
endif()

add_library(kvsql_flags INTERFACE)
target_compile_options(kvsql_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror
  $<$<NOT:$<CONFIG:Release>>:-fno-omit-frame-pointer>)
# GCC 12 finds these inside std::string and unrolled loops where there is nothing to find, the more so at
# -O3; the builds with tests keep what it gets right.
target_compile_options(kvsql_flags INTERFACE
  $<$<CONFIG:Release>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict
  -Wno-maybe-uninitialized>)
target_include_directories(kvsql_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/api/include)
target_link_libraries(kvsql_flags INTERFACE Threads::Threads)
# A program starts with the shared libraries that it uses, not with all of Abseil.
target_link_options(kvsql_flags INTERFACE -Wl,--as-needed)
if(KVSQL_TESTING)
  target_compile_definitions(kvsql_flags INTERFACE KVSQL_TESTING=1)
endif()
if(KVSQL_SANITIZE)
  target_compile_options(kvsql_flags INTERFACE -fsanitize=${KVSQL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(kvsql_flags INTERFACE -fsanitize=${KVSQL_SANITIZE})
  # Instrumented code makes these warnings of GCC see paths that cannot be taken; the plain builds keep
  # them as errors.
  target_compile_options(kvsql_flags INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-restrict)
  if(KVSQL_SANITIZE MATCHES "thread")
    # The thread sanitizer does not understand fences: a place that uses one is shown, not refused.
    target_compile_options(kvsql_flags INTERFACE -Wno-error=tsan)
  endif()
endif()

# The only file built for a newer processor; base/hash.cc asks the processor before it calls in.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/base/hash_avx2.cc PROPERTIES
    COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
endif()
