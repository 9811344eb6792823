// Why: weights are most of a model file and are never looked at; they are skipped while the file is
// read, so that a model of a gigabyte takes no gigabyte of memory.
#pragma once

#include <istream>
#include <string>
#include <string_view>

namespace paretrain::problems {

// Where slimmed tensors say that their data is.
inline constexpr std::string_view kDataInThisFile = "(in this file)";

// The bytes of an ONNX file in which the data of initializers above 64 KiB is replaced by a note of
// its length, in the form of external data at kDataInThisFile. A file that is no sequence of
// protocol buffer fields comes back as it is, for the reader to say what is wrong with it.
// Requires: a stream that can be rewound. The caller looks at its state for read errors.
// Cost: linear in the file; memory for what is kept.
// Source: the protocol buffers wire format; field numbers of onnx.proto.
[[nodiscard]] std::string slim_model_bytes(std::istream& file);

}  // namespace paretrain::problems
