"""Whole runs with closed standard streams: what cannot be said is an error, and never lands in a file of the run.

closed_streams_test.py PARETRAIN
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
FILES = [".lock", "front.csv", "history.csv", "manifest.json"]


def run(folder, closed, *more, **streams):
    def close():
        for stream in closed:
            os.close(stream)

    def nowhere(name):
        return streams.get(name, subprocess.DEVNULL)

    code = subprocess.run([PROGRAM, "bench", "lotz:10", "--generations", "3", "--threads", "1", "--force", "-o", folder, *more],
                          stdin=nowhere("stdin"), stdout=nowhere("stdout"), stderr=nowhere("stderr"), preexec_fn=close).returncode
    assert sorted(os.listdir(folder)) == FILES, os.listdir(folder)
    assert os.path.getsize(os.path.join(folder, ".lock")) == 0, closed
    return code, [open(os.path.join(folder, name), "rb").read() for name in FILES[:3]]


def main():
    with tempfile.TemporaryDirectory() as work, open("/dev/full", "w") as full:
        folder = os.path.join(work, "run")
        code, want = run(folder, [])
        assert code == 0, code
        cases = [([0], (), 0), ([1], (), 3), ([2], (), 3), ([2], ("--quiet",), 0), ([0, 1], (), 3), ([0, 2], (), 3), ([1, 2], (), 3),
                 ([0, 1, 2], (), 3), ([0, 1, 2], ("--quiet",), 3)]
        for closed, more, expected in cases:
            code, tables = run(folder, closed, *more)
            assert code == expected, (closed, more, code)
            assert tables == want, closed
        for name in ("stdout", "stderr"):
            code, tables = run(folder, [], **{name: full})
            assert code == 3, (name, code)
            assert tables == want, name
        # The fault is told where it can be, and another fault keeps its code.
        told = subprocess.run([PROGRAM, "list"], preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE, text=True)
        assert told.returncode == 3 and told.stderr == "error: standard output: cannot be written\n", told
        wrong = subprocess.run([PROGRAM, "evaluate"], preexec_fn=lambda: os.close(2), stdout=subprocess.PIPE)
        assert wrong.returncode == 2 and wrong.stdout == b"", wrong
    print("ran with %d sets of closed streams" % len(cases))


main()
