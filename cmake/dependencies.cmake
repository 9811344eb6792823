# The packages that the build needs; their Debian names are in scripts/packages.txt.
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED) # before ONNX, whose targets name protobuf's
find_package(ONNX REQUIRED CONFIG)
find_package(cereal REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options serialization)
find_package(fmt REQUIRED)
find_package(doctest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# Optional parts.
find_package(benchmark QUIET)
pkg_check_modules(RSVG IMPORTED_TARGET librsvg-2.0)
