#!/usr/bin/env python3
"""Latency, energy and traffic of every group of good plans: the model against the simulator (docs/group-cost.md, section 12).

    simulator_agreement.py PARETRAIN SHARED [--models resnet18,unet-small@8,...] [--accelerators edge-tpu-quad,...]
                           [--evaluations 300] [--population 60] [--others 4] [--seconds 600] [--options=--residency]
                           [--jobs 1] [--worst 10] [--record FILE]

A pair is a model, at a batch when `@N` follows its name, on an accelerator. Its plans: `keep-all+greedy` and, of the front of a short
search (seed 1; `--evaluations 0`: none), the extremes of every objective, the knee and `--others` more, evenly spread by latency. A
group that several plans hold counts once. SHARED holds models/ with the ready-made training graphs. A pair that takes longer than
`--seconds` ends with the plans that it has and counts as failed, so that nothing runs on for ever; the answer depends on no clock else.

Prints a table of pairs, the table of section 12 and the worst groups, and exits 1 when a group is off by more than 5 %, a pair's median by
more than 1 %, a latency is below a busy resource, energy or traffic differ, or a pair is not finished.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = ["resnet18", "resnet50", "mobilenet-v2", "vgg16", "unet-small", "mini-gpt", "bert-base", "vit-b-16", "resnet18_full_training",
          "gpt2like_training", "resnet18@8", "mobilenet-v2@8", "unet-small@8", "mini-gpt@8"]
ACCELERATORS = ["edge-tpu-quad", "fusemax", "edge-tpu-4x4"]
OBJECTIVES = ["latency_cycles", "energy_pj", "peak_memory_bytes"]


class OutOfTime(Exception):
    pass


class Pair:
    """A model at a batch on an accelerator, and how long it may still take."""

    def __init__(self, given, model, accelerator):
        name, _, batch = model.partition("@")
        ready_made = name.endswith("_training")
        self.given, self.model, self.accelerator = given, model, accelerator
        self.options = [os.path.join(given.shared, "models", name + ".onnx") if ready_made else name, "--accelerator", accelerator]
        self.options += (["--batch", batch] if batch else []) + given.options
        self.end = time.monotonic() + given.seconds

    def run(self, *arguments):
        try:
            done = subprocess.run([self.given.program, *arguments], capture_output=True, text=True, check=False,
                                  timeout=max(1.0, self.end - time.monotonic()))
        except subprocess.TimeoutExpired as late:
            raise OutOfTime from late
        if done.returncode != 0:
            sys.exit("%s\n%s" % (" ".join(arguments), done.stderr))
        return done.stdout

    def simulated_groups(self, plan):
        with tempfile.TemporaryDirectory() as folder:
            text = self.run("evaluate", *self.options, "--plan", plan, "--simulate", "--trace", os.path.join(folder, "trace"), "--json")
        return json.loads(text)["groups"]

    def front(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run("optimize", *self.options, "--seed", "1", "--max-evaluations", str(self.given.evaluations), "--population",
                     str(self.given.population), "--quiet", "--threads", "1", "-o", os.path.join(folder, "run"))
            with open(os.path.join(folder, "run", "front.csv"), encoding="utf-8") as file:
                return sampled(list(csv.DictReader(file)), self.given.others)


def sampled(rows, others):
    """Genomes of the extremes, the knee (nearest to the best of each objective, all scaled to the front) and others, fastest first."""
    points = [[float(row[objective]) for objective in OBJECTIVES] for row in rows]
    order = sorted(range(len(rows)), key=lambda i: points[i])
    least = [min(column) for column in zip(*points)]
    width = [max(column) - low or 1 for column, low in zip(zip(*points), least)]
    distance = lambda i: sum(((value - low) / wide) ** 2 for value, low, wide in zip(points[i], least, width))
    picked = {min(order, key=lambda i: points[i][objective]) for objective in range(len(OBJECTIVES))} | {min(order, key=distance)}
    left = [i for i in order if i not in picked]
    picked |= {left[(2 * k + 1) * len(left) // (2 * others)] for k in range(others) if left}
    return [(rows[i]["plan"], "genome:" + rows[i]["genome"]) for i in order if i in picked]


def compared(pair, name, group):
    """A group as the tables need it; shares are relative to the simulator."""
    played = group["simulated"]
    share = lambda key: group[key] / played[key] - 1 if played[key] else float(group[key] != 0)
    busiest = max((use["cycles"] for use in group.get("busy_cycles", [])), default=0)
    return {"accelerator": pair.accelerator, "model": pair.model, "plan": name, "operators": group["operators"], "tiles": group["tiles"],
            "inner": group["inner_tiles"], "axis": group["axis"], "split": group["split"], "latency": group["latency_cycles"],
            "played": played["latency_cycles"], "off": share("latency_cycles"), "energy": share("energy_pj"),
            "traffic": share("offchip_bytes"), "below": group["latency_cycles"] < busiest}


def identity(group):
    return (tuple(group["operators"]), group["tiles"], group["inner"], group["axis"], group["split"], group["latency"], group["played"],
            group["energy"])


def measured(pair):
    """The pair's different groups, by the first plan that has them; how many plans were played; whether all were."""
    groups, plans = {}, 0
    try:
        front = pair.front() if pair.given.evaluations else []
        for name, plan in [("keep-all+greedy", "keep-all+greedy")] + front:
            for group in pair.simulated_groups(plan):
                entry = compared(pair, name, group)
                groups.setdefault(identity(entry), entry)
            plans += 1
        return list(groups.values()), plans, True
    except OutOfTime:
        return list(groups.values()), plans, False


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def figures(groups):
    off = [abs(group["off"]) for group in groups]
    return {"groups": len(groups), "median": statistics.median(off), "most": percentile(off, 0.95), "worst": max(off),
            "low": min(group["off"] for group in groups), "high": max(group["off"] for group in groups),
            "above 5": sum(value > 0.05 for value in off), "above 1": sum(value > 0.01 for value in off),
            "energy": max(abs(group["energy"]) for group in groups), "traffic": max(abs(group["traffic"]) for group in groups),
            "below": sum(group["below"] for group in groups)}


def is_good(found):
    return (found["worst"] <= 0.05 and found["median"] <= 0.01 and found["energy"] < 1e-9 and found["traffic"] == 0 and
            found["below"] == 0)


def print_row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def print_pair(pair, found, plans, finished):
    good = finished and is_good(found)
    print_row([pair.accelerator, pair.model, plans, found["groups"], "%.3f %%" % (100 * found["median"]), "%.2f %%" % (100 * found["most"]),
               "%+.2f, %+.2f %%" % (100 * found["low"], 100 * found["high"]), found["above 1"],
               "yes" if good else "no" if finished else "not finished"])


def print_accelerators(pairs):
    print("\n| accelerator | groups | median, worst pair | 95 of 100, worst pair | worst group | groups above 1 %, 5 % | energy, worst | "
          "traffic, worst | below a resource |\n|" + "---|" * 9)
    for accelerator in dict.fromkeys(pair.accelerator for pair, _ in pairs):
        part = [found for pair, found in pairs if pair.accelerator == accelerator]
        most = lambda key: max(found[key] for found in part)
        total = lambda key: sum(found[key] for found in part)
        print_row([accelerator, total("groups"), "%.3f %%" % (100 * most("median")), "%.2f %%" % (100 * most("most")),
                   "%.2f %%" % (100 * most("worst")), "%d, %d" % (total("above 1"), total("above 5")), "%.1e" % most("energy"),
                   "%.1e" % most("traffic"), total("below")])


def print_worst(everything, wanted):
    print()
    for group in sorted(everything, key=lambda group: -abs(group["off"]))[:wanted]:
        print("%+7.2f %% %9d %9d  %s %s %s, %d x %d tiles along %s, split %s: %s" % (
            100 * group["off"], group["latency"], group["played"], group["accelerator"], group["model"], group["plan"], group["tiles"],
            group["inner"], group["axis"] or "nothing", group["split"], " ".join(group["operators"])))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared")
    names = lambda text: [name for name in text.split(",") if name]
    parser.add_argument("--models", type=names, default=MODELS)
    parser.add_argument("--accelerators", type=names, default=ACCELERATORS)
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--population", type=int, default=60)
    parser.add_argument("--others", type=int, default=4, help="plans of a front besides its extremes and its knee")
    parser.add_argument("--seconds", type=float, default=600, help="most for a pair")
    parser.add_argument("--options", type=str.split, default=[], help="of every run, as on the command line, after an =")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--record", help="writes every group as a line of JSON")
    return parser.parse_args()


def main():
    given = arguments()
    pairs = lambda: (Pair(given, model, accelerator) for accelerator in given.accelerators for model in given.models)
    start = lambda place: measured(Pair(given, *place))
    places = [(model, accelerator) for accelerator in given.accelerators for model in given.models]
    print("| accelerator | model | plans | groups | median | 95 of 100 | worst | above 1 % | good |\n|" + "---|" * 9)
    known, everything, good = [], [], True
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for pair, (groups, plans, finished) in zip(pairs(), pool.map(start, places)):
            everything += groups
            good = good and finished and bool(groups)
            if not groups:
                print_row([pair.accelerator, pair.model, plans, 0, "", "", "", "", "not finished"])
                continue
            found = figures(groups)
            known.append((pair, found))
            good = good and is_good(found)
            print_pair(pair, found, plans, finished)
    print_accelerators(known)
    print_worst(everything, given.worst)
    if given.record:
        with open(given.record, "w", encoding="utf-8") as file:
            for group in everything:
                file.write(json.dumps(group) + "\n")
    sys.exit(0 if good and everything else 1)


if __name__ == "__main__":
    main()
