// Why: the layers that several built-in networks share, written as PyTorch's exporter writes them.
#pragma once

#include <cstdint>
#include <string>

#include "problems/builtin_models/network_writer.h"

namespace paretrain::problems {

// A module's place: "layer1.0.conv1" has weights "layer1.0.conv1.weight" and nodes
// "/layer1/layer1.0/conv1/Conv". A list that is no module of its own is joined to its index by a
// colon: "blocks:0.ln" has weights "blocks.0.ln.weight" and nodes "/blocks.0/ln/…".
[[nodiscard]] std::string node_scope(const std::string& module);
[[nodiscard]] std::string weight_name(const std::string& module);

struct ConvolutionShape {
  std::int64_t channels = 0;  // of the output
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
};

enum class Bias { Without, With };

std::string convolution(NetworkWriter& writer,
                        const std::string& module,
                        const std::string& input,
                        const ConvolutionShape& shape,
                        Bias bias);

// In training mode, with running statistics as buffers.
std::string batch_normalization(NetworkWriter& writer,
                                const std::string& module,
                                const std::string& input);

std::string relu(NetworkWriter& writer, const std::string& module, const std::string& input);

// y = x W^T + b for a matrix x (Gemm).
std::string dense(NetworkWriter& writer,
                  const std::string& module,
                  const std::string& input,
                  std::int64_t outputs);

std::string max_pool(NetworkWriter& writer,
                     const std::string& module,
                     const std::string& input,
                     const ConvolutionShape& shape);

std::string dropout(NetworkWriter& writer,
                    const std::string& module,
                    const std::string& input,
                    double ratio);

// Global average, flattened to a matrix of batch x channels.
std::string pooled_features(NetworkWriter& writer,
                            const std::string& scope,
                            const std::string& input);

std::string flat(NetworkWriter& writer, const std::string& input);

std::string sum(NetworkWriter& writer,
                const std::string& scope,
                const std::string& a,
                const std::string& b);

}  // namespace paretrain::problems
