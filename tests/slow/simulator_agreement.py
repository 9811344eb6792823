#!/usr/bin/env python3
"""Latency, energy and traffic of every group of good plans: the model against the simulator (docs/group-cost.md, section 12).

    simulator_agreement.py PARETRAIN SHARED [--models resnet18,...] [--accelerators edge-tpu-quad,...] [--fronts MODEL@BATCH,...]
                           [--front-plans 3] [--evaluations 500] [--jobs 1] [--worst 10] [--record FILE]

Plans: `keep-all+greedy` of every model, and plans spread evenly over the front of a short search (seed 1) of those named by --fronts
(empty: none). SHARED holds models/ with the ready-made training graphs. Prints the table of section 12, the worst groups, and exits 1
when a group is off by more than 5 %, a model's median by more than 1 %, a latency is below a busy resource, or energy or traffic differ.
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile

MODELS = ["resnet18", "resnet50", "mobilenet-v2", "vgg16", "unet-small", "mini-gpt", "bert-base", "vit-b-16", "resnet18_full_training",
          "gpt2like_training"]
ACCELERATORS = ["edge-tpu-quad", "fusemax", "edge-tpu-4x4"]
FRONTS = ["resnet18@1", "resnet18@8", "mini-gpt@1", "mini-gpt@8", "unet-small@8"]


def problem(shared, model, batch, accelerator):
    path = os.path.join(shared, "models", model + ".onnx")
    options = [path if model.endswith("_training") else model, "--accelerator", accelerator]
    return options + (["--batch", str(batch)] if batch else [])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def simulated_groups(program, options, plan):
    with tempfile.TemporaryDirectory() as folder:
        text = run([program, "evaluate", *options, "--plan", plan, "--simulate", "--trace", os.path.join(folder, "trace"), "--json"])
    return json.loads(text)["groups"]


def front_plans(program, options, evaluations, wanted):
    """Genomes spread evenly over the front, fastest first."""
    with tempfile.TemporaryDirectory() as folder:
        run([program, "optimize", *options, "--seed", "1", "--max-evaluations", str(evaluations), "--population", "100", "--quiet",
             "--threads", "1", "-o", os.path.join(folder, "run")])
        with open(os.path.join(folder, "run", "front.csv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(",") for line in file]
    latency, genome = 1, rows[0].index("genome")
    rows = sorted(rows[1:], key=lambda row: int(row[latency]))
    picked = sorted({round(i * (len(rows) - 1) / max(1, wanted - 1)) for i in range(wanted)})
    return ["genome:" + rows[i][genome] for i in picked]


def compared(name, group):
    """A group as the table needs it; shares are relative to the simulator."""
    played = group["simulated"]
    share = lambda key: group[key] / played[key] - 1 if played[key] else float(group[key] != 0)
    busiest = max((use["cycles"] for use in group.get("busy_cycles", [])), default=0)
    return {"plan": name, "operators": group["operators"], "tiles": group["tiles"], "inner": group["inner_tiles"], "axis": group["axis"],
            "split": group["split"], "latency": group["latency_cycles"], "played": played["latency_cycles"], "off": share("latency_cycles"),
            "energy": share("energy_pj"), "traffic": share("offchip_bytes"), "below": group["latency_cycles"] < busiest}


def measured(task):
    arguments, accelerator, model, batch = task
    options = problem(arguments.shared, model, batch, accelerator)
    plans = ["keep-all+greedy"]
    if batch:
        plans = front_plans(arguments.program, options, arguments.evaluations, arguments.front_plans)
    groups = []
    for number, plan in enumerate(plans):
        name = "%s%s plan %d" % (model, "@%d" % batch if batch else "", number)
        groups += [compared(name, group) for group in simulated_groups(arguments.program, options, plan)]
    return accelerator, groups


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def by_model(groups):
    models = {}
    for group in groups:
        models.setdefault(group["plan"].split(" ")[0], []).append(group)
    return models


def row(accelerator, groups):
    off = [abs(group["off"]) for group in groups]
    per_model = [[abs(group["off"]) for group in part] for part in by_model(groups).values()]
    cells = [accelerator, len(groups), "%.3f %%" % (100 * max(statistics.median(part) for part in per_model)),
             "%.2f %%" % (100 * max(percentile(part, 0.95) for part in per_model)), "%.2f %%" % (100 * max(off)),
             sum(value > 0.05 for value in off), "%.1e" % max(abs(group["energy"]) for group in groups),
             "%.1e" % max(abs(group["traffic"]) for group in groups), sum(group["below"] for group in groups)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def is_good(groups):
    medians = [statistics.median(abs(group["off"]) for group in part) for part in by_model(groups).values()]
    return (all(abs(group["off"]) <= 0.05 and abs(group["energy"]) < 1e-9 and group["traffic"] == 0 and not group["below"]
                for group in groups) and max(medians) <= 0.01)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared")
    names = lambda text: [name for name in text.split(",") if name]
    parser.add_argument("--models", type=names, default=MODELS)
    parser.add_argument("--accelerators", type=names, default=ACCELERATORS)
    parser.add_argument("--fronts", type=names, default=FRONTS)
    parser.add_argument("--front-plans", type=int, default=3)
    parser.add_argument("--evaluations", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--record", help="writes every group as a line of JSON")
    return parser.parse_args()


def main():
    given = arguments()
    cases = [(model, 0) for model in given.models]
    cases += [(name.split("@")[0], int(name.split("@")[1])) for name in given.fronts]
    tasks = [(given, accelerator, model, batch) for accelerator in given.accelerators for model, batch in cases]
    groups = {accelerator: [] for accelerator in given.accelerators}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for accelerator, part in pool.map(measured, tasks):
            groups[accelerator] += part
    print("| accelerator | groups | median, worst model | 95 of 100, worst model | worst group | groups above 5 % | energy, worst | "
          "traffic, worst | below a resource |")
    print("|---|---|---|---|---|---|---|---|---|")
    for accelerator, part in groups.items():
        print(row(accelerator, part))
    everything = [dict(group, accelerator=accelerator) for accelerator, part in groups.items() for group in part]
    everything.sort(key=lambda group: -abs(group["off"]))
    for group in everything[:given.worst]:
        print("%+7.2f %% %9d %9d  %s %s, %d x %d tiles along %s, split %s: %s" % (
            100 * group["off"], group["latency"], group["played"], group["accelerator"], group["plan"], group["tiles"], group["inner"],
            group["axis"] or "nothing", group["split"], " ".join(group["operators"])))
    if given.record:
        with open(given.record, "w", encoding="utf-8") as file:
            for group in everything:
                file.write(json.dumps(group) + "\n")
    sys.exit(0 if all(is_good(part) for part in groups.values()) else 1)


if __name__ == "__main__":
    main()
