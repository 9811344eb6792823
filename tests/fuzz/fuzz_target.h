// Why: every reader is fed arbitrary bytes, by libFuzzer where it is there and by the replay of a
// corpus in every test run; both call this one function.
#pragma once

#include <cstddef>
#include <cstdint>

// Any bytes must end in success or InputError; everything else is a fault.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
