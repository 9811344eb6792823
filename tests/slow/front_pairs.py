#!/usr/bin/env python3
"""Searches every pair of a list of models and accelerators and checks what must hold of each front.

    front_pairs.py PARETRAIN SHARED [--models a,b] [--accelerators x,y] [--work DIR] [--rows N]

A model without a file SHARED/models/NAME.onnx is the built-in one of that name.

For every pair: the front is not empty; no baseline dominates a front point; the front holds points that are no
baseline; its hypervolume exceeds that of the baselines alone; N rows (all when 0) evaluate to themselves.
Prints one line a pair and exits 1 when one fails.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

MODELS = ["resnet18_224.train", "resnet50_224.train", "mobilenet_v2_224.train", "vgg16_224.train", "unet_small_128.train",
          "mini_gpt_128.train", "bert_base_128.train", "vit_b_16_224.train", "resnet18_full_training", "gpt2like_training"]
ACCELERATORS = ["edge-tpu-quad", "fusemax"]
OBJECTIVES = ["latency_cycles", "energy_pj", "peak_memory_bytes"]


def points(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return rows, [tuple(float(row[name]) for name in OBJECTIVES) for row in rows]


def dominates(a, b):
    return all(x <= y for x, y in zip(a, b)) and a != b


def hypervolume(front, reference):
    """Exact, by slicing along the last objective; fine for a few hundred points."""
    inside = sorted({p for p in front if all(x < r for x, r in zip(p, reference))}, key=lambda p: p[-1])
    volume = 0.0
    for i, point in enumerate(inside):
        top = inside[i + 1][-1] if i + 1 < len(inside) else reference[-1]
        best, area = reference[1], 0.0
        for x, y in sorted((p[0], p[1]) for p in inside[: i + 1]):
            if y < best:
                area += (reference[0] - x) * (best - y)
                best = y
        volume += area * (top - point[-1])
    return volume


def evaluated(program, model, accelerator, plan):
    out = subprocess.run([program, "evaluate", model, "--accelerator", accelerator, "--plan", plan, "--json"],
                         capture_output=True, text=True, check=True).stdout
    document = json.loads(out)
    return tuple(float(document[name]) for name in OBJECTIVES)


def check_pair(program, model, accelerator, folder, limit):
    begin = time.monotonic()
    run = subprocess.run([program, "optimize", model, "--accelerator", accelerator, "--population", "40", "--generations", "20",
                          "-o", folder, "--quiet"], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if run.returncode != 0:
        return "exit %d: %s" % (run.returncode, run.stderr.strip()[-300:]), seconds
    rows, front = points(os.path.join(folder, "front.csv"))
    _, baselines = points(os.path.join(folder, "baselines.csv"))
    if not front:
        return "empty front", seconds
    if any(dominates(b, p) for b in baselines for p in front):
        return "a baseline dominates a front point", seconds
    if not set(front) - set(baselines):
        return "the front holds baselines only", seconds
    reference = tuple(max(b[i] for b in baselines) + 1 for i in range(3))
    scale = reference[0] * reference[1] * reference[2]
    ours, theirs = hypervolume(front, reference) / scale, hypervolume(baselines, reference) / scale
    if ours <= theirs:
        return "hypervolume %.4g does not exceed the baselines' %.4g" % (ours, theirs), seconds
    for i in range(len(rows) if limit == 0 else min(limit, len(rows))):
        if evaluated(program, model, accelerator, "%s:%s" % (folder, rows[i]["plan"])) != front[i]:
            return "plan %s evaluates to other numbers" % rows[i]["plan"], seconds
    return "ok: front %d, hypervolume %.4g (baselines %.4g)" % (len(front), ours, theirs), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--accelerators", default=",".join(ACCELERATORS))
    parser.add_argument("--work")
    parser.add_argument("--rows", type=int, default=3)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for model in options.models.split(","):
            for accelerator in options.accelerators.split(","):
                path = os.path.join(options.shared, "models", model + ".onnx")
                if not os.path.exists(path):
                    path = model
                verdict, seconds = check_pair(options.program, path, accelerator, os.path.join(work, model + "-" + accelerator), options.rows)
                failed += not verdict.startswith("ok")
                print("%-28s %-14s %6.1f s  %s" % (model, accelerator, seconds, verdict), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
