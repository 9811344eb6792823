// Why: one function per built-in network, gathered by the table in problems/builtin_models.cpp.
// Each returns the bytes of an ONNX file in training mode, batch 1, whose structure is that of the
// network's PyTorch export.
#pragma once

#include <cstdint>
#include <string>

namespace paretrain::problems {

// Residual networks. Source: He, Zhang, Ren, Sun, CVPR 2016; strides as in torchvision.
[[nodiscard]] std::string resnet18_bytes();
[[nodiscard]] std::string resnet50_bytes();

}  // namespace paretrain::problems
