#!/usr/bin/env python3
"""The zigzag mode against Stream's recorded runs: four rows of stream_runs.csv, ratios and bounds.

    stream_agreement.py PARETRAIN SHARED_FOLDER [--bound 0.15]

Three networks layer by layer, and ResNet-18 inference with nodes 0-10 and 11-21 fused, given as a plan file. Energies of the two
sides are compared as on-chip (without core-to-core transfers, which have no energy of their own here) and off-chip; Stream's
evictions and core-to-core transfers are printed beside them. Exits 1 when a ratio leaves the bound.

The recorded latency of the ResNet-18 training graph is that of the best of 9 random placements: 187 element-wise layers are three
parts each there, on any of four cores, and parts on one core wait for one another. Here the three parts have a core each. What
random placement adds is worked out from the latencies of those layers and put to the model's latency before it is compared.
Takes seconds.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

# Bits of the fusion genes between nodes 0 to 10 and 11 to 21 of models/resnet18.onnx, in gene order.
STACKS = "aaa2a82aacaa000000000000000"
# Three parts on four cores at random: the fullest core holds 1, 2 or 3 of them.
LOADS = {1: 24 / 64, 2: 36 / 64, 3: 4 / 64}
PLACED_AT_RANDOM = ("Mul", "Div", "Sqrt", "Sub")


class Runner:
    def __init__(self, program, shared):
        self.program = program
        self.shared = shared
        self.folder = os.path.join(shared, "reference", "accelerators", "stream")

    def evaluate(self, model, plan, options):
        command = [self.program, "evaluate", os.path.join(self.shared, "models", model), "--plan", plan, "--accelerator",
                   os.path.join(self.folder, "tpu_like_quad_core.yaml"), "--mapping",
                   os.path.join(self.folder, "mapping", "tpu_like_quad_core_ga.yaml"), "--cost-model", "zigzag", "--precision", "int8",
                   "--no-fold-im2col", "--json"] + options
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def layer_by_layer(self, model, options):
        return self.evaluate(model, "keep-all", ["--fusion", "none"] + options)

    def stacks(self, model, options):
        options = options + ["--max-group-length", "11"]
        kept = self.evaluate(model, "keep-all", options)
        names = [group["operators"][0] for group in kept["groups"]]
        genes, fingerprint = kept["genome"].split("@")
        plan = {"schema": "paretrain-plan-1", "genome": "%s:%s@%s" % (genes.split(":")[0], STACKS, fingerprint)}
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(plan, file)
        try:
            fused = self.evaluate(model, file.name, options)
        finally:
            os.unlink(file.name)
        groups = sorted(sorted(group["operators"]) for group in fused["groups"] if len(group["operators"]) > 1)
        if groups != sorted([sorted(names[:11]), sorted(names[11:22])]):
            sys.exit("the plan does not fuse nodes 0-10 and 11-21: %s" % groups)
        return fused


def placed_at_random(result, nodes):
    """Cycles that random placement adds on average, and their standard deviation."""
    latency = {group["operators"][0]: group["latency_cycles"] for group in result["groups"]}
    mean = sum(load * share for load, share in LOADS.items()) - 1
    variance = sum(load * load * share for load, share in LOADS.items()) - (mean + 1) ** 2
    layers = [latency[node["name"]] for node in nodes
              if node["op_type"] in PLACED_AT_RANDOM and node["output_shapes"].endswith("x3") and node["output_shapes"].count("x") == 3]
    return len(layers), mean * sum(layers), (variance * sum(layer * layer for layer in layers)) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared")
    parser.add_argument("--bound", type=float, default=0.15)
    arguments = parser.parse_args()
    reference = os.path.join(arguments.shared, "reference")
    with open(os.path.join(reference, "stream_runs.csv"), encoding="utf-8") as file:
        recorded = {(row["workload"], row["mode"]): row for row in csv.DictReader(file)}
    with open(os.path.join(reference, "monet_training_graph_resnet18_full_nodelist.csv"), encoding="utf-8") as file:
        nodes = list(csv.DictReader(file))
    runner = Runner(arguments.program, arguments.shared)
    failures = 0

    def compare(what, model, stream):
        nonlocal failures
        ratio = model / stream
        good = abs(ratio - 1) <= arguments.bound
        failures += 0 if good else 1
        print("  %-34s %14.6g %14.6g  %+6.1f %%%s" % (what, model, stream, 100 * (ratio - 1), "" if good else "  OUTSIDE"))

    for title, model, mode, run in [
            ("resnet18 inference, layer by layer", "resnet18.onnx", "lbl", lambda m: runner.layer_by_layer(m, ["--inference"])),
            ("resnet18 inference, two stacks", "resnet18.onnx", "fused", lambda m: runner.stacks(m, ["--inference"])),
            ("resnet18_full_training, layer by layer", "resnet18_full_training.onnx", "lbl", lambda m: runner.layer_by_layer(m, [])),
            ("gpt2like_training, layer by layer", "gpt2like_training.onnx", "lbl", lambda m: runner.layer_by_layer(m, []))]:
        row = recorded[model, mode]
        result = run(model)
        energy = result["energy"]
        print("%s%swhat, paretrain, Stream" % (title, " " * (41 - len(title))))
        compare("on-chip pJ", energy["on_chip"] + energy["compute"], float(row["energy_onchip_pJ"]))
        compare("off-chip pJ", energy["off_chip"], float(row["energy_offchip_memory_pJ"]))
        latency = float(result["latency_cycles"])
        if model == "resnet18_full_training.onnx":
            count, mean, deviation = placed_at_random(result, nodes)
            print("  latency, a core for each part      %14.6g %14s  %+6.1f %%" % (latency, "", 100 * (latency / float(row["latency_cycles"]) - 1)))
            print("  random placement of %3d layers     %14.6g %14s  deviation %.3g; recorded range %s to %s" %
                  (count, mean, "", deviation, row["latency_min"], row["latency_max"]))
            compare("latency, placed at random", latency + mean, float(row["latency_cycles"]))
        else:
            compare("latency, cycles", latency, float(row["latency_cycles"]))
        if mode == "fused":
            print("  beside: evictions %s pJ, core to core %s pJ" % (row["energy_eviction_memory_pJ"], row["energy_core_to_core_memory_pJ"]))
    print("%d ratios outside %g %%" % (failures, 100 * arguments.bound))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
