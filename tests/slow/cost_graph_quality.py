#!/usr/bin/env python3
"""Share of the exact hypervolume that `optimize` reaches on cost graphs whose fronts are known.

    cost_graph_quality.py PARETRAIN COST_GRAPH_FOLDER [--evaluations 2000] [--seeds 11] [--goal2 0.9999] [--goal3 0.999] [--match TEXT]
                          [--no-warm-start]

For NAME.json with NAME.front.json: gradients counted or not, two objectives and three. Exits 1 when a median misses its goal.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

MODES = [("without gradients", "off"), ("with gradients", "on")]
SETS = [("latency,peak", "latency,memory"), ("latency,energy,peak", "latency,energy,memory")]


def share(program, graph, gradients, objectives, evaluations, seed, front, folder, start):
    reference = front["reference_point"]
    subprocess.run([program, "optimize", graph, "--count-gradients", gradients, "--objectives", objectives, "--max-evaluations", str(evaluations),
                    "--seed", str(seed), "--generations", "1000000", "--snapshot-every", "1000000", "--threads", "1", "--quiet", "--force",
                    "--reference", ",".join(map(str, reference)), "-o", folder] + start, check=True, capture_output=True)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        found = float(json.load(file)["hypervolume"]["front"])
    scale = 1
    for value in reference:
        scale *= value
    return found * scale / front["hypervolume"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("graphs")
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=11)
    parser.add_argument("--goal2", type=float, default=0.9999)
    parser.add_argument("--goal3", type=float, default=0.999)
    parser.add_argument("--match", default="")
    parser.add_argument("--no-warm-start", action="store_true", help="what the search finds from chance alone")
    options = parser.parse_args()
    start = ["--no-warm-start"] if options.no_warm_start else []
    failed = 0
    truths = sorted(glob.glob(os.path.join(options.graphs, "*" + options.match + "*.front.json")))
    if not truths:
        parser.error("no front of a name with '%s' in %s" % (options.match, options.graphs))
    with tempfile.TemporaryDirectory() as work:
        for truth_path in truths:
            graph = truth_path.replace(".front.json", ".json")
            with open(truth_path, encoding="utf-8") as file:
                fronts = json.load(file)["fronts"]
            for mode, gradients in MODES:
                for name, objectives in SETS:
                    front = fronts["%s, %s" % (mode, name)]
                    shares = [share(options.program, graph, gradients, objectives, options.evaluations, seed, front, os.path.join(work, "run"),
                                    start)
                              for seed in range(1, options.seeds + 1)]
                    median = statistics.median(shares)
                    missed = median < (options.goal2 if objectives.count(",") == 1 else options.goal3)
                    failed += missed
                    print("%-32s %-18s %-22s median %.6f least %.6f %s" % (os.path.basename(graph), mode, name, median, min(shares),
                                                                        "SHORT" if missed else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
