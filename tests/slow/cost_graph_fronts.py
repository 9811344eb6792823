#!/usr/bin/env python3
"""Enumerates every cost graph of a folder and compares the fronts with the complete ones beside it.

    cost_graph_fronts.py PARETRAIN COST_GRAPH_FOLDER

For NAME.json with NAME.front.json: gradients counted or not, two objectives and three. Exits 1 when one differs.
"""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

MODES = [("without gradients", "off"), ("with gradients", "on")]
SETS = [("latency,peak", "latency,memory"), ("latency,energy,peak", "latency,energy,memory")]


def enumerated(program, graph, gradients, objectives, folder):
    subprocess.run([program, "enumerate", graph, "--count-gradients", gradients, "--objectives", objectives, "-o", folder, "--quiet"],
                   check=True, capture_output=True)
    with open(os.path.join(folder, "front.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    return rows, manifest


def columns(rows, count):
    if not rows:
        return []
    names = [n for n in rows[0] if n.startswith(("latency_", "energy_"))] + ["peak_memory_bytes"]
    if count == 2:
        names = [n for n in names if not n.startswith("energy_")]
    return sorted([int(float(row[name])) for name in names] for row in rows)


def main():
    program, graphs = sys.argv[1], sys.argv[2]
    failed = 0
    truths = sorted(glob.glob(os.path.join(graphs, "*.front.json")))
    if not truths:
        sys.exit("error: no front in " + graphs)
    for truth_path in truths:
        graph = truth_path.replace(".front.json", ".json")
        with open(truth_path, encoding="utf-8") as file:
            truth = json.load(file)
        for mode, gradients in MODES:
            for name, objectives in SETS:
                with tempfile.TemporaryDirectory() as folder:
                    rows, manifest = enumerated(program, graph, gradients, objectives, os.path.join(folder, "run"))
                front = truth["fronts"]["%s, %s" % (mode, name)]
                want = sorted(point["objectives"] for point in front["points"])
                got = columns(rows, objectives.count(",") + 1)
                same = got == want and int(manifest["genomes"]) == truth["genomes"]
                same &= int(manifest["canonical_genomes"]) == truth.get("canonical_genomes", truth["genomes"])
                failed += not same
                print("%-32s %-18s %-22s %3d points  %s" % (os.path.basename(graph), mode, name, len(got), "ok" if same else "DIFFERS"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
