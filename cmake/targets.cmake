# How every library, program and test of the project is built.
add_library(project_options INTERFACE)
# Also for a program that uses the installed engine and says nothing of a standard.
target_compile_features(project_options INTERFACE cxx_std_20)
target_include_directories(project_options INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/paretrain>")
# Contraction would make results depend on the processor the compiler had in mind.
target_compile_options(project_options INTERFACE -ffp-contract=off)
if(PARETRAIN_ASSERTIONS)
  target_compile_definitions(project_options INTERFACE PARETRAIN_ASSERTIONS _GLIBCXX_ASSERTIONS)
endif()
if(PARETRAIN_SANITIZE)
  target_compile_options(project_options INTERFACE -fsanitize=${PARETRAIN_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(project_options INTERFACE -fsanitize=${PARETRAIN_SANITIZE})
endif()

add_library(project_warnings INTERFACE)
target_compile_options(project_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wreturn-type
  # g++ 12 warns of overlapping copies in std::string that cannot happen (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# paretrain_library(<folder> SOURCES ... HEADERS ... [USES libs] [PRIVATE libs]): the static library of a folder.
# Sub-folders add to it with paretrain_sources(<folder> SOURCES ... HEADERS ...).
function(paretrain_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;USES;PRIVATE" ${ARGN})
  add_library(paretrain_${folder} STATIC)
  target_link_libraries(paretrain_${folder} PUBLIC project_options ${ARG_USES}
    PRIVATE $<BUILD_INTERFACE:project_warnings> ${ARG_PRIVATE})
  set_target_properties(paretrain_${folder} PROPERTIES EXPORT_NAME ${folder})
  paretrain_sources(${folder} SOURCES ${ARG_SOURCES} HEADERS ${ARG_HEADERS})
endfunction()

function(paretrain_sources folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(paretrain_${folder} PRIVATE ${ARG_SOURCES})
  target_sources(paretrain_${folder} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
endfunction()

# paretrain_test(<name> SOURCES ... USES libs [LABELS labels]): one doctest program, one ctest.
function(paretrain_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} "${PROJECT_SOURCE_DIR}/tests/support/main.cpp")
  target_link_libraries(${name} PRIVATE ${ARG_USES} paretrain_test_support project_warnings doctest::doctest)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
