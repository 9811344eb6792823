#include "problems/builtin_cores.h"

#include <vector>

namespace paretrain::problems::cores {

namespace {

using evaluator::Array;
using evaluator::Core;
using evaluator::Direction;
using evaluator::Loop;
using evaluator::Memory;
using evaluator::MemoryOperand;
using evaluator::MemoryPort;
using evaluator::PortUse;
using evaluator::UnrollFactor;

using Operands = std::vector<MemoryOperand>;
using Axes = std::vector<std::size_t>;

constexpr MemoryOperand kO = MemoryOperand::O;
constexpr MemoryOperand kW = MemoryOperand::I2;
constexpr MemoryOperand kI = MemoryOperand::I1;

// Size of one instance and energy of one access of the full port.
struct Cell {
  const char* name;
  std::int64_t size_bits;
  double read_pj;
  double write_pj;
};

// Smallest and largest access of a port.
struct Width {
  std::int64_t min_bits;
  std::int64_t max_bits;
};

Memory memory(const Cell& cell, Operands operands, Axes served, std::vector<MemoryPort> ports) {
  Memory result;
  result.name = cell.name;
  result.size_bits = cell.size_bits;
  result.read_energy_pj = cell.read_pj;
  result.write_energy_pj = cell.write_pj;
  result.operands = std::move(operands);
  result.served_axes = std::move(served);
  result.ports = std::move(ports);
  return result;
}

MemoryPort port(const char* name, Width width, std::vector<PortUse> uses) {
  return {name, width.min_bits, width.max_bits, std::move(uses)};
}

std::vector<PortUse> reads_of(const Operands& operands) {
  std::vector<PortUse> uses;
  for (const MemoryOperand operand : operands)
    uses.push_back({operand, Direction::ReadToLow});
  for (const MemoryOperand operand : operands) {
    if (operand == kO) uses.push_back({operand, Direction::ReadToHigh});
  }
  return uses;
}

std::vector<PortUse> writes_of(const Operands& operands) {
  std::vector<PortUse> uses;
  for (const MemoryOperand operand : operands)
    uses.push_back({operand, Direction::WriteFromHigh});
  for (const MemoryOperand operand : operands) {
    if (operand == kO) uses.push_back({operand, Direction::WriteFromLow});
  }
  return uses;
}

// One port to read, one to write, each shared by all operands.
Memory two_ports(const Cell& cell, const Operands& operands, Width width, Axes served) {
  return memory(
      cell,
      operands,
      std::move(served),
      {port("r_port_1", width, reads_of(operands)), port("w_port_1", width, writes_of(operands))});
}

// One port for everything.
Memory one_port(const Cell& cell, const Operands& operands, Width width, Axes served) {
  std::vector<PortUse> uses;
  for (const MemoryOperand operand : operands) {
    uses.push_back({operand, Direction::WriteFromHigh});
    uses.push_back({operand, Direction::ReadToLow});
    if (operand != kO) continue;
    uses.push_back({operand, Direction::WriteFromLow});
    uses.push_back({operand, Direction::ReadToHigh});
  }
  return memory(cell, operands, std::move(served), {port("rw_port_1", width, std::move(uses))});
}

// Partial sums next to the multipliers: a port for each direction.
Memory accumulator(const Cell& cell, Width width, Axes served) {
  return memory(cell,
                {kO},
                std::move(served),
                {port("r_port_1", width, {{kO, Direction::ReadToLow}}),
                 port("r_port_2", width, {{kO, Direction::ReadToHigh}}),
                 port("w_port_1", width, {{kO, Direction::WriteFromHigh}}),
                 port("w_port_2", width, {{kO, Direction::WriteFromLow}})});
}

Memory dram(std::int64_t size_bits, double read_pj, double write_pj, Width width, Axes served) {
  Memory result =
      one_port({"dram", size_bits, read_pj, write_pj}, {kI, kW, kO}, width, std::move(served));
  result.is_dram = true;
  return result;
}

std::vector<UnrollFactor> unroll(Loop loop, double factor) {
  return {{loop, factor}};
}

Core core(const char* name, Array array, std::vector<Memory> memories) {
  Core result;
  result.name = name;
  result.array = std::move(array);
  result.memories = std::move(memories);
  return result;
}

constexpr std::int64_t kMiB = std::int64_t{8} << 20U;  // in bits

}  // namespace

Core tpu_like_core() {
  Core result =
      core("tpu_like",
           {{32, 32}, 0.04},
           {two_ports({"rf_128B", 1024, 0.095, 0.095}, {kW}, {8, 8}, {}),
            accumulator({"rf_2B", 16, 0.021, 0.021}, {16, 16}, {1}),
            two_ports({"sram_2MB", 2 * kMiB, 416.16, 378.4}, {kI, kW, kO}, {64, 2048}, {0, 1})});
  result.dataflow = {unroll(Loop::K, 32), unroll(Loop::C, 32)};
  return result;
}

Core edge_tpu_element() {
  Core result =
      core("edge_tpu_pe",
           {{64, 4}, 0.04},
           {two_ports({"rf_weights", 262144, 0.095, 0.095}, {kW}, {8, 8}, {}),
            accumulator({"rf_O", 16, 0.021, 0.021}, {16, 16}, {1}),
            two_ports({"sram_2MB", 2 * kMiB, 416.16, 378.4}, {kI, kW, kO}, {64, 2048}, {0, 1})});
  result.dataflow = {unroll(Loop::K, 64), unroll(Loop::C, 4)};
  return result;
}

Core pooling_core() {
  const Operands all = {kI, kW, kO};
  Core result = core("pooling",
                     {{3, 3, 8}, 0.1},
                     {memory({"sram_128KB", 1048576, 60, 75},
                             all,
                             {0, 1, 2},
                             {port("r_port_1", {576, 576}, reads_of(all)),
                              port("w_port_1", {512, 512}, writes_of(all))})});
  result.dataflow = {unroll(Loop::FX, 3), unroll(Loop::FY, 3), unroll(Loop::K, 8)};
  return result;
}

Core simd_core() {
  const Operands all = {kI, kW, kO};
  Core result = core("simd",
                     {{64}, 0.1},
                     {memory({"sram_128KB_2rw", 1048576, 60, 75},
                             all,
                             {0},
                             {port("rw_port_1", {512, 512}, writes_of(all)),
                              port("rw_port_2", {512, 512}, reads_of(all))})});
  result.dataflow = {unroll(Loop::K, 64)};
  return result;
}

Core fusemax_array_search() {
  Core result =
      core("fusemax_array_search",
           {{128, 128}, 0.04},
           {two_ports({"rf_I", 32, 0.2, 0.2}, {kI}, {32, 32}, {}),
            two_ports({"rf_W", 32, 0.2, 0.2}, {kW}, {4, 32}, {}),
            accumulator({"rf_O", 32, 0.4, 0.4}, {16, 32}, {}),
            two_ports({"buffer_16MB", 16 * kMiB, 8192, 8192}, {kI, kW, kO}, {256, 8192}, {0, 1})});
  result.dataflow = {std::vector<UnrollFactor>{{Loop::D, 128}, {Loop::OX, 128}},
                     unroll(Loop::K, 128)};
  return result;
}

Core fusemax_vector_search() {
  Core result =
      core("fusemax_vector_search",
           {{128}, 0.1},
           {two_ports({"sram_128KB", 1048576, 480, 600}, {kI, kW, kO}, {512, 4096}, {0})});
  result.dataflow = {unroll(Loop::K, 128)};
  return result;
}

Core fusemax_array_example() {
  Core result =
      core("fusemax_array_example",
           {{256, 256}, 1.5},
           {two_ports({"rf_I", 16, 0.4, 0.4}, {kI}, {8, 16}, {}),
            two_ports({"rf_W", 16, 0.4, 0.4}, {kW}, {4, 16}, {}),
            accumulator({"rf_O", 16, 0.4, 0.4}, {16, 16}, {}),
            two_ports({"sram_2MB", 2 * kMiB, 8192, 8192}, {kI, kW, kO}, {256, 8192}, {0, 1})});
  result.dataflow = {std::vector<UnrollFactor>{{Loop::D, 256}, {Loop::OX, 256}},
                     unroll(Loop::K, 256)};
  return result;
}

Core fusemax_vector_example() {
  Core result =
      core("fusemax_vector_example",
           {{256}, 0.1},
           {two_ports({"rf_I", 16, 0.4, 0.4}, {kI}, {8, 16}, {}),
            two_ports({"rf_W", 16, 0.4, 0.4}, {kW}, {4, 16}, {}),
            accumulator({"rf_O", 16, 0.4, 0.4}, {16, 16}, {}),
            two_ports({"sram_2MB", 2 * kMiB, 8192, 8192}, {kI, kW, kO}, {256, 8192}, {0})});
  result.dataflow = {unroll(Loop::K, 256)};
  return result;
}

Core offchip_core(const std::string& name, std::int64_t bandwidth_bits, double energy_pj) {
  Core result = core(
      "", {{0, 0}, 0}, {dram(8192 * kMiB, energy_pj, energy_pj, {64, bandwidth_bits}, {0, 1})});
  result.name = name;
  return result;
}

Core tpu_v4i_array() {
  Core result =
      core("tpu_v4i_mxu",
           {{128, 128}, 0.59},
           {two_ports({"rf_W", 32, 0.02, 0.02}, {kW}, {16, 16}, {}),
            accumulator({"rf_O", 32, 0.04, 0.04}, {32, 32}, {1}),
            two_ports({"vmem", 4 * kMiB, 448, 448}, {kI, kW, kO}, {256, 2048}, {0, 1}),
            two_ports({"cmem", 128 * kMiB, 896, 896}, {kI, kW, kO}, {512, 4096}, {0, 1})});
  result.dataflow = {unroll(Loop::K, 128), unroll(Loop::C, 128)};
  return result;
}

Core tpu_v4i_vector() {
  Core result =
      core("tpu_v4i_vpu",
           {{1024}, 0.15},
           {two_ports({"vmem_vector", 16 * kMiB, 7168, 7168}, {kI, kW, kO}, {1024, 32768}, {0}),
            two_ports({"cmem", 128 * kMiB, 896, 896}, {kI, kW, kO}, {512, 4096}, {0})});
  result.dataflow = {unroll(Loop::K, 1024)};
  return result;
}

Core tpu_v4i_memory() {
  return core("hbm", {{0, 0}, 0}, {dram(8192 * kMiB, 25583, 25583, {256, 4678}, {0, 1})});
}

Core tpu_like() {
  Core result =
      core("tpu_like",
           {{32, 32}, 0.04},
           {two_ports({"rf_128B", 1024, 0.095, 0.095}, {kW}, {8, 8}, {}),
            accumulator({"rf_2B", 16, 0.021, 0.021}, {16, 16}, {}),
            two_ports({"sram_2MB", 2 * kMiB, 416.16, 378.4}, {kI, kO}, {64, 2048}, {0, 1}),
            dram(10'000'000'000, 700, 750, {64, 64}, {0, 1})});
  result.dataflow = {unroll(Loop::K, 32), unroll(Loop::C, 32)};
  return result;
}

Core edge_tpu_like() {
  const Axes all = {0, 1, 2, 3};
  Core result = core("edge_tpu_like",
                     {{8, 8, 4, 4}, 0.04},
                     {two_ports({"rf_1B", 8, 0.01, 0.01}, {kW}, {8, 8}, {2, 3}),
                      accumulator({"rf_2B", 16, 0.02, 0.02}, {16, 16}, {1}),
                      two_ports({"sram_32KB", 262144, 22.9, 52.01}, {kW}, {64, 512}, all),
                      two_ports({"sram_2MB", 2 * kMiB, 416.16, 378.4}, {kI, kO}, {64, 2048}, all),
                      dram(10'000'000'000, 700, 750, {64, 64}, all)});
  result.dataflow = {
      unroll(Loop::K, 8), unroll(Loop::C, 8), unroll(Loop::OX, 4), unroll(Loop::OY, 4)};
  return result;
}

Core eyeriss_like() {
  const Axes all = {0, 1};
  Core result = core("eyeriss_like",
                     {{14, 12}, 0.5},
                     {two_ports({"rf_64B_A", 512, 1.0, 1.5}, {kI}, {8, 8}, {}),
                      two_ports({"rf_64B_W", 512, 1.0, 1.5}, {kW}, {8, 8}, {}),
                      two_ports({"rf_16B", 128, 1.5, 2.0}, {kO}, {24, 24}, {}),
                      one_port({"sram_8KB", 65536, 10, 15}, {kO}, {128, 128}, all),
                      two_ports({"sram_64KB", 524288, 20, 25}, {kW}, {128, 128}, all),
                      one_port({"sram_1M", 8388608, 100, 130}, {kI, kO}, {384, 384}, all),
                      dram(10'000'000'000, 1000, 1000, {64, 64}, all)});
  result.dataflow = {unroll(Loop::OY, 14), std::vector<UnrollFactor>{{Loop::FY, 3}, {Loop::K, 4}}};
  return result;
}

Core meta_prototype() {
  const Axes all = {0, 1, 2, 3};
  Core result = core("meta_prototype",
                     {{32, 2, 4, 4}, 0.04},
                     {two_ports({"rf_1B", 8, 0.01, 0.01}, {kW}, {8, 8}, {2, 3}),
                      accumulator({"rf_2B", 16, 0.02, 0.02}, {16, 16}, {1}),
                      two_ports({"sram_64KB", 524288, 26.56, 30.8}, {kW}, {64, 512}, all),
                      two_ports({"sram_32KB", 262144, 13.28, 15.4}, {kI}, {64, 256}, all),
                      two_ports({"sram_1MB_A", kMiB, 208.08, 189.2}, {kI, kO}, {64, 1024}, all),
                      two_ports({"sram_1MB_W", kMiB, 208.08, 189.2}, {kW}, {64, 1024}, all),
                      dram(10'000'000'000, 700, 750, {64, 64}, all)});
  result.dataflow = {
      unroll(Loop::K, 32), unroll(Loop::C, 2), unroll(Loop::OX, 4), unroll(Loop::OY, 4)};
  return result;
}

}  // namespace paretrain::problems::cores
