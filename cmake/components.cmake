# kvsql_component(NAME DEPENDS ...): the static library kvsql_NAME of all .cc files in NAME and the folders in it.
function(kvsql_component name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cc
    ${CMAKE_SOURCE_DIR}/${name}/*/*.cc)
  if(sources)
    add_library(kvsql_${name} STATIC ${sources})
    target_link_libraries(kvsql_${name} PUBLIC kvsql_flags ${ARG_DEPENDS})
    set_property(GLOBAL APPEND PROPERTY KVSQL_COMPONENTS kvsql_${name})
  else()
    add_library(kvsql_${name} INTERFACE)
    target_link_libraries(kvsql_${name} INTERFACE kvsql_flags ${ARG_DEPENDS})
  endif()
endfunction()
