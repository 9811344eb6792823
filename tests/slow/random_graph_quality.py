#!/usr/bin/env python3
"""Share of the exact hypervolume that `optimize` reaches on random cost graphs small enough to enumerate.

    random_graph_quality.py PARETRAIN WORK_FOLDER [--nodes 16,19,22] [--kinds chain,residual,dag] [--evaluations 20000] [--seeds 11]
                            [--goal 0.9995] [--threads 0]

Latencies and energies of 1 to 20, sizes of 1 to 16; a backward reads its output, some of its inputs, or both. Residual graphs add the
output of three nodes before to every third node; in a DAG a node has one to three inputs among the six before it. Gradients counted and
not, two objectives and three, exact fronts by `enumerate` (2^nodes genomes). Exits 1 when a median misses the goal.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys

SETS = ["latency,memory", "latency,energy,memory"]


def inputs_of(kind, i, draw):
    if kind == "chain" or i == 0:
        return [i - 1]
    if kind == "residual":
        return [i - 1, i - 4] if i % 3 == 0 and i >= 4 else [i - 1]
    inputs = draw.sample(range(max(-1, i - 6), i), min(draw.randint(1, 3), i + 1))
    return sorted(inputs, reverse=True)


def graph_of(kind, size):
    draw = random.Random("%s %d" % (kind, size))
    nodes = []
    for i in range(size):
        inputs = inputs_of(kind, i, draw)
        readable = [i] + inputs
        reads = draw.sample(readable, draw.randint(1, min(2, len(readable))))
        latency, energy = draw.randint(1, 20), draw.randint(1, 20)
        nodes.append({"id": i, "inputs": inputs, "backward_reads": reads, "forward_latency": latency,
                      "backward_latency": latency * draw.randint(1, 2), "forward_energy": energy, "backward_energy": 2 * energy,
                      "output_bytes": draw.randint(1, 16)})
    return {"schema": "paretrain-cost-graph-1", "name": "%s-%d" % (kind, size), "units": {"latency": "unit", "energy": "unit"},
            "input_bytes": 4, "static_bytes": 0, "count_gradients": True, "nodes": nodes}


def reference_of(graph, objectives):
    """No plan is worse than everything run twice; none takes more memory than everything and its gradients at once."""
    nodes = graph["nodes"]
    values = {"latency": sum(2 * n["forward_latency"] + n["backward_latency"] for n in nodes) + 1,
              "energy": sum(2 * n["forward_energy"] + n["backward_energy"] for n in nodes) + 1,
              "memory": sum(2 * n["output_bytes"] for n in nodes) + 5}
    return ",".join(str(values[name]) for name in objectives.split(","))


def volume(program, command, graph, path, gradients, objectives, folder, options):
    subprocess.run([program, command, path, "--count-gradients", gradients, "--objectives", objectives, "--reference",
                    reference_of(graph, objectives), "--force", "--quiet", "-o", folder] + options, check=True, capture_output=True)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    return float(manifest["hypervolume"]["front"]), int(manifest["front"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--nodes", default="16,19,22")
    parser.add_argument("--kinds", default="chain,residual,dag")
    parser.add_argument("--evaluations", type=int, default=20000)
    parser.add_argument("--seeds", type=int, default=11)
    parser.add_argument("--goal", type=float, default=0.9995)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    if not {"chain", "residual", "dag"}.issuperset(options.kinds.split(",")):
        parser.error("--kinds: known are chain, residual and dag")
    os.makedirs(options.work, exist_ok=True)
    folder = os.path.join(options.work, "run")
    failed = 0
    for kind in options.kinds.split(","):
        for size in map(int, options.nodes.split(",")):
            graph = graph_of(kind, size)
            path = os.path.join(options.work, graph["name"] + ".json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(graph, file)
            for gradients in ["on", "off"]:
                for objectives in SETS:
                    exact, points = volume(options.program, "enumerate", graph, path, gradients, objectives, folder,
                                           ["--threads", str(options.threads)])
                    shares = [volume(options.program, "optimize", graph, path, gradients, objectives, folder,
                                     ["--max-evaluations", str(options.evaluations), "--generations", "1000000", "--snapshot-every", "1000000",
                                      "--seed", str(seed), "--threads", "1"])[0] / exact for seed in range(1, options.seeds + 1)]
                    median = statistics.median(shares)
                    failed += median < options.goal
                    print("%-12s gradients %-3s %-22s exact front %4d  median %.6f least %.6f %s" %
                          (graph["name"], gradients, objectives, points, median, min(shares), "SHORT" if median < options.goal else ""),
                          flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
