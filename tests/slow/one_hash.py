#!/usr/bin/env python3
"""One hash of all outputs: programs from several compilers and build types, any number of threads.

    one_hash.py PROGRAM [PROGRAM ...] [--threads 1,2,4,16] [--generations 30] [--model mini-gpt] [--keep FOLDER]

Every program runs the same searches: `bench` problems of bits and of reals, `optimize` on cost graphs without and with
fusion, and on a training step on edge-tpu-quad. Of every file that a run writes but manifest.json the SHA-256 must be the same
as that of the first program's first run; files that differ are named. Exits 1 when one differs. Builds to compare:

    cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_COMPILER=clang++-14
    cmake -S . -B build/gcc0 -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    cmake --build build/clang --target paretrain; cmake --build build/gcc0 --target paretrain
"""
import argparse
import hashlib
import os
import subprocess
import sys
import tempfile

GRAPHS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference", "cost_graphs")
BENCH = ["zdt1", "zdt4", "zdt5", "zdt6", "dtlz2", "dtlz7", "ominmax:60", "lotz:30", "ojzj:30:3", "3omm:20", "4lotz:20"]
COST_GRAPHS = ["chain-uniform-n8", "fused-residual-n5-s22", "fused-skip-n4-s15"]


def runs(options):
    """Name and arguments without folder and threads."""
    some = ["--generations", str(options.generations), "--quiet"]
    for problem in BENCH:
        yield problem, ["bench", problem] + some
    for graph in COST_GRAPHS:
        path = os.path.realpath(os.path.join(GRAPHS, graph + ".json"))
        yield graph, ["optimize", path, "--population", "40"] + some
        yield graph + " two objectives", ["optimize", path, "--objectives", "latency,memory", "--local-search", "0.5"] + some
    yield options.model, ["optimize", options.model, "--accelerator", "edge-tpu-quad"] + some


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if name in ("manifest.json", ".lock"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--threads", default="1,2,4,16")
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--model", default="mini-gpt")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    differing = 0
    total = hashlib.sha256()
    with tempfile.TemporaryDirectory() as work:
        root = options.keep or work
        for name, arguments in runs(options):
            expected = None
            for number, program in enumerate(options.programs):
                for threads in options.threads.split(","):
                    folder = os.path.join(root, "%s-%d-%s" % (name.replace(":", "-").replace(" ", "-"), number, threads))
                    command = [program] + arguments + ["--threads", threads, "-o", folder]
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                    found = digests(folder)
                    if expected is None:
                        expected = found
                        total.update(repr((name, found)).encode())
                    wrong = sorted(file for file in expected.keys() | found.keys() if expected.get(file) != found.get(file))
                    differing += len(wrong)
                    for file in wrong:
                        print("%s: %s with %s threads: %s differs" % (name, program, threads, file), flush=True)
            print("%-40s %d files" % (name, len(expected)), flush=True)
    print("%s %s" % (total.hexdigest(), "%d files differ" % differing if differing else "everywhere"))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
