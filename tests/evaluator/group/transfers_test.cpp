#include "evaluator/group/transfers.h"

#include <array>
#include <vector>

#include "base/error.h"
#include "problems/builtin_accelerators.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;

namespace {

// edge-tpu-quad: cores 0-3 arrays, 4 pooling, 5 vector, 6 off-chip. Links of 32 bits, a bus of 128,
// off-chip memory of 64 bits at 1000 pJ a word.
Chip quad(CostModel model = CostModel::Corrected) {
  return Chip(*builtin_accelerator("edge-tpu-quad"), model);
}

std::int64_t cycles_of(const Chip& chip, const TransferCost& cost, const std::string& name) {
  for (const ResourceCycles& use : cost.uses)
    if (chip.resource_names()[use.resource.index()].starts_with(name)) return use.cycles;
  return 0;
}

}  // namespace

TEST_CASE("Chip: a direct link goes before the bus; in zigzag mode the last entry listed wins") {
  const Chip corrected = quad();
  REQUIRE(corrected.path(CoreId(0), CoreId(1)).size() == 1);
  CHECK_FALSE(corrected.path(CoreId(0), CoreId(1)).front().is_bus);
  CHECK(corrected.path(CoreId(0), CoreId(1)).front().bandwidth_bits == 32);
  CHECK(corrected.path(CoreId(0), CoreId(2)).front().is_bus);
  const Chip zigzag = quad(CostModel::Zigzag);
  CHECK(zigzag.path(CoreId(0), CoreId(1)).front().is_bus);
}

TEST_CASE("Chip: the two directions of a link are different media") {
  const Chip chip = quad();
  CHECK(chip.path(CoreId(0), CoreId(5)).front().resource !=
        chip.path(CoreId(5), CoreId(0)).front().resource);
  CHECK(chip.path(CoreId(0), CoreId(2)).front().resource ==
        chip.path(CoreId(2), CoreId(0)).front().resource);
}

TEST_CASE("Chip: a path over many links is the shortest one, and shared memory needs none") {
  Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  const Core core = accelerator.cores[0];
  const Core dram = accelerator.cores[6];
  constexpr std::size_t kCores = 300;
  accelerator.cores.assign(kCores, core);
  accelerator.cores.push_back(dram);
  accelerator.offchip = CoreId(kCores);
  accelerator.links.clear();
  for (std::size_t c = 0; c < kCores; ++c)
    accelerator.links.push_back({false, {CoreId(c), CoreId(c + 1)}, 32, 0});
  accelerator.links.push_back({false, {CoreId(2), CoreId(290)}, 8, 0});
  accelerator.shared_memories = {{CoreId(4), CoreId(5)}};
  const Chip chip(accelerator, CostModel::Corrected);
  const std::vector<CoreId> some = {CoreId(0), CoreId(2), CoreId(200), CoreId(299)};
  CHECK(chip.nearest(some, 4) == some);
  CHECK(chip.nearest(some, 3) == std::vector{CoreId(0), CoreId(2), CoreId(299)});
  CHECK(chip.nearest(some, 2) == std::vector{CoreId(2), CoreId(299)});
  CHECK(chip.path_from_offchip(CoreId(0)).size() == 13);
  CHECK(chip.path_from_offchip(CoreId(200)).size() == 100);
  const std::vector<Hop> there = chip.path(CoreId(0), CoreId(291));
  const std::vector<Hop> back = chip.path(CoreId(291), CoreId(0));
  REQUIRE(there.size() == 4);
  CHECK(there[2].bandwidth_bits == 8);
  for (std::size_t h = 0; h < 4; ++h)
    CHECK(there[h].resource.index() + 1 == back[3 - h].resource.index());
  CHECK(chip.path(CoreId(4), CoreId(5)).empty());
  CHECK(chip.path(CoreId(3), CoreId(6)).size() == 3);
}

TEST_CASE("Chip: equally near cores go by their ids, and cores that nothing joins are refused") {
  const Chip chip = quad();
  const std::vector<CoreId> four = {CoreId(0), CoreId(1), CoreId(2), CoreId(3)};
  CHECK(chip.nearest(four, 2) == std::vector{CoreId(0), CoreId(1)});
  Accelerator parted = *builtin_accelerator("edge-tpu-quad");
  std::erase_if(parted.links, [](const Link& link) { return link.cores.back() == CoreId(6); });
  for (Link& link : parted.links)
    std::erase(link.cores, CoreId(6));
  CHECK_THROWS_WITH_AS(Chip(parted, CostModel::Corrected),
                       "accelerator edge-tpu-quad: cores 0 and 6 are not connected; expected a "
                       "link, a bus or a path of links",
                       paretrain::InputError);
}

TEST_CASE("Chip: identical cores are found by content") {
  const Chip chip = quad();
  for (std::size_t c = 1; c < 4; ++c)
    CHECK(chip.cores()[c].alike == 0);
  CHECK(chip.cores()[4].alike == 4);
  CHECK(chip.cores()[5].alike == 5);
  CHECK_FALSE(chip.cores()[6].computes);
}

TEST_CASE("fetch_cost: a kibibyte takes the off-chip memory 128 cycles and the bus 64") {
  const Chip chip = quad();
  const std::array receiver{Endpoint{CoreId(0), NestOperand::I, 1024}};
  const TransferCost cost = fetch_cost(chip, 1024, receiver);
  CHECK(cycles_of(chip, cost, "off-chip") == 128);
  CHECK(cycles_of(chip, cost, "bus") == 64);
  CHECK(cost.off_chip_pj == doctest::Approx(128 * 1000.0));
  // 378.4 pJ per 2048 bits written.
  CHECK(cost.on_chip_pj == doctest::Approx(4 * 378.4));
}

TEST_CASE("fetch_cost: a bus carries what all receivers hear once; each receiver stores it") {
  const Chip chip = quad();
  std::vector<Endpoint> receivers;
  for (std::size_t c = 0; c < 4; ++c)
    receivers.push_back({CoreId(c), NestOperand::W, 1024});
  const TransferCost cost = fetch_cost(chip, 1024, receivers);
  CHECK(cycles_of(chip, cost, "off-chip") == 128);
  CHECK(cycles_of(chip, cost, "bus") == 64);
  CHECK(cost.on_chip_pj == doctest::Approx(4 * 4 * 378.4));
}

TEST_CASE("store_cost: parts of four cores leave as one tensor") {
  const Chip chip = quad();
  std::vector<Endpoint> senders;
  for (std::size_t c = 0; c < 4; ++c)
    senders.push_back({CoreId(c), NestOperand::O, 256});
  const TransferCost cost = store_cost(chip, 1024, senders);
  CHECK(cycles_of(chip, cost, "off-chip") == 128);
  CHECK(cycles_of(chip, cost, "bus") == 64);
  // Each part is one access of 2048 bits at 416.16 pJ.
  CHECK(cost.on_chip_pj == doctest::Approx(4 * 416.16));
}

TEST_CASE("handover_cost: four links to the vector core carry a quarter each") {
  const Chip chip = quad();
  std::vector<Handover> pairs;
  for (std::size_t c = 0; c < 4; ++c)
    pairs.push_back({{CoreId(c), NestOperand::O, 256}, {CoreId(5), NestOperand::I, 256}});
  const TransferCost cost = handover_cost(chip, pairs);
  REQUIRE(cost.uses.size() == 4);
  for (const ResourceCycles& used : cost.uses)
    CHECK(used.cycles == 256 * 8 / 32);
  CHECK(cost.off_chip_pj == 0);
}

TEST_CASE("handover_cost: a sender uses the bus once for all that listen") {
  const Chip chip = quad(CostModel::Zigzag);
  std::vector<Handover> pairs;
  for (std::size_t c = 1; c < 4; ++c)
    pairs.push_back({{CoreId(0), NestOperand::O, 512}, {CoreId(c), NestOperand::I, 512}});
  const TransferCost cost = handover_cost(chip, pairs);
  REQUIRE(cost.uses.size() == 1);
  CHECK(cost.uses.front().cycles == 512 * 8 / 128);
}
