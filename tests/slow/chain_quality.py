#!/usr/bin/env python3
"""Share of the exact hypervolume that `optimize` reaches on chains of operators.

    chain_quality.py PARETRAIN CHAIN_FRONT WORK_FOLDER [--sizes 32,64,128] [--kinds uniform,random] [--objectives 2,3] [--seeds 5]
                     [--options "..."]

A uniform chain has all sizes and costs 1 and backward operators that read their input; a random one draws sizes of 1 to 16, latencies
and energies of 1 to 20, and lets every backward read its input or its output. Gradients are not counted in uniform chains. The exact
hypervolume is worked out once by CHAIN_FRONT (paretrain_chain_front, about a minute for 128) and kept in WORK_FOLDER/exact.json.
Chains of 128 get 50,000 evaluations, others 20,000. Exits 1 when a median misses 0.999, 0.99, 0.98 (32, 64, 128).
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys

GOALS = {32: 0.999, 64: 0.99, 128: 0.98}
SETS = {2: "latency,memory", 3: "latency,energy,memory"}


def chain(kind, size):
    draw = random.Random("%s %d" % (kind, size))
    nodes = []
    for i in range(size):
        node = {"id": i, "inputs": [i - 1], "backward_reads": [i - 1], "forward_latency": 1, "backward_latency": 2, "forward_energy": 1,
                "backward_energy": 2, "output_bytes": 1}
        if kind == "random":
            latency, energy = draw.randint(1, 20), draw.randint(1, 20)
            node.update(forward_latency=latency, backward_latency=latency * draw.randint(1, 2), forward_energy=energy,
                        backward_energy=2 * energy, output_bytes=draw.randint(1, 16), backward_reads=[draw.choice([i - 1, i])])
        nodes.append(node)
    return {"schema": "paretrain-cost-graph-1", "name": "%s-%d" % (kind, size), "units": {"latency": "unit", "energy": "unit"},
            "input_bytes": 1, "static_bytes": 0, "count_gradients": kind != "uniform", "nodes": nodes}


def bounds(graph):
    """No plan is worse than everything run twice; none takes more memory than everything at once."""
    nodes = graph["nodes"]
    latency = sum(2 * n["forward_latency"] + n["backward_latency"] for n in nodes) + 1
    energy = sum(2 * n["forward_energy"] + n["backward_energy"] for n in nodes) + 1
    kept = sum(n["output_bytes"] for n in nodes) + 2 + (32 if graph["count_gradients"] else 0)
    return latency, energy, kept


def exact_volume(program, path, graph, objectives):
    found = subprocess.run([program, path, str(objectives), ",".join(map(str, bounds(graph)))], check=True, capture_output=True, text=True)
    return json.loads(found.stdout)["least"]


def volume(program, path, graph, objectives, evaluations, seed, folder, options):
    latency, energy, memory = bounds(graph)
    reference = [latency, memory] if objectives == 2 else [latency, energy, memory]
    subprocess.run([program, "optimize", path, "--objectives", SETS[objectives], "--reference", ",".join(map(str, reference)), "--seed",
                    str(seed), "--max-evaluations", str(evaluations), "--generations", "1000000", "--snapshot-every", "1000000", "--force",
                    "--quiet", "--threads", "1", "-o", folder] + options, check=True, capture_output=True)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    return float(manifest["hypervolume"]["front"]) * math.prod(reference), int(manifest["front"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("chain_front")
    parser.add_argument("work")
    parser.add_argument("--sizes", default="32,64,128")
    parser.add_argument("--kinds", default="uniform,random")
    parser.add_argument("--objectives", default="2,3")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--options", default="")
    options = parser.parse_args()
    if not {"uniform", "random"}.issuperset(options.kinds.split(",")):
        parser.error("--kinds: known are uniform and random")
    os.makedirs(options.work, exist_ok=True)
    exact_path = os.path.join(options.work, "exact.json")
    exact = {}
    if os.path.exists(exact_path):
        with open(exact_path, encoding="utf-8") as file:
            exact = json.load(file)
    failed = 0
    for kind in options.kinds.split(","):
        for size in map(int, options.sizes.split(",")):
            graph = chain(kind, size)
            path = os.path.join(options.work, graph["name"] + ".json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(graph, file)
            for objectives in map(int, options.objectives.split(",")):
                key = "%s-%d" % (graph["name"], objectives)
                if key not in exact:
                    exact[key] = exact_volume(options.chain_front, path, graph, objectives)
                    with open(exact_path, "w", encoding="utf-8") as file:
                        json.dump(exact, file)
                evaluations = 50000 if size > 64 else 20000
                runs = [volume(options.program, path, graph, objectives, evaluations, seed, os.path.join(options.work, key + ".run"),
                               options.options.split()) for seed in range(1, options.seeds + 1)]
                shares = [found / exact[key] for found, _ in runs]
                median = statistics.median(shares)
                missed = size in GOALS and median < GOALS[size]
                failed += missed
                print("%-14s %d objectives  %6d evaluations  median %.5f least %.5f  front %d  %s" %
                      (graph["name"], objectives, evaluations, median, min(shares), statistics.median(f for _, f in runs),
                       "short of %s" % GOALS[size] if missed else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
