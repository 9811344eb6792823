"""Stops whole runs by signals: exit codes, files, and the same bytes after a resume.

signals_test.py PARETRAIN COST_GRAPH
"""
import os
import signal
import subprocess
import sys
import tempfile

PROGRAM, GRAPH = sys.argv[1:3]
TABLES = ["front.csv", "baselines.csv", "history.csv"]
GENERATIONS = 120


def command(folder, *more):
    return [PROGRAM, "optimize", GRAPH, "-o", folder, "--seed", "3", "--population", "20", "--generations", str(GENERATIONS),
            "--log-generations", "--threads", "1", *more]


def tables(folder):
    return [open(os.path.join(folder, name), "rb").read() for name in TABLES]


def stopped(folder, number, generation):
    """Sends the signal when the progress line of that generation appears."""
    run = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = ""
    for line in run.stderr:
        text += line
        if line.startswith("gen %d/" % generation):
            run.send_signal(number)
    run.stderr.close()
    return run.wait(), text


def early(folder):
    """A signal before the search has begun ends the run with nothing but a manifest,
    and the folder can be used again."""
    for _ in range(2):
        run = subprocess.Popen([PROGRAM, "optimize", "resnet50", "--accelerator", "edge-tpu-quad", "-o", folder],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        manifest = os.path.join(folder, "manifest.json")
        while run.poll() is None and not (os.path.exists(manifest) and '"running"' in open(manifest).read()):
            pass
        run.send_signal(signal.SIGTERM)
        text = run.communicate()[1]
        assert run.returncode == 143, (run.returncode, text)
        assert "before the search began" in text, text
        assert sorted(name for name in os.listdir(folder) if name != ".lock") == ["manifest.json"], os.listdir(folder)
        assert '"status": "interrupted"' in open(manifest).read()


def bench(folder):
    """A benchmark that is stopped writes what it has found, but no snapshot; a killed one leaves its manifest alone."""
    results = ["front.csv", "history.csv", "manifest.json"]
    cases = [(signal.SIGINT, 130, results), (signal.SIGTERM, 143, results), (signal.SIGHUP, 129, results), (signal.SIGUSR1, 0, results),
             (signal.SIGKILL, -9, ["manifest.json"])]
    for number, code, files in cases:
        at = os.path.join(folder, str(code))
        run = subprocess.Popen([PROGRAM, "bench", "zdt4", "--generations", "1000000000", "--log-generations", "--threads", "1", "-o", at],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in run.stderr:
            if line.startswith("gen 3/"):
                run.send_signal(number)
        run.stderr.close()
        assert run.wait() == code, (number, run.returncode)
        assert sorted(name for name in os.listdir(at) if name != ".lock") == files, (number, os.listdir(at))
        status = "running" if number == signal.SIGKILL else "interrupted"
        assert '"status": "%s"' % status in open(os.path.join(at, "manifest.json")).read(), number


def has_open(process, file):
    folder = "/proc/%d/fd" % process
    try:
        return any(os.path.realpath(os.path.join(folder, name)) == os.path.realpath(file) for name in os.listdir(folder))
    except OSError:  # it has ended
        return False


def at_once(folder):
    """A signal while the inputs are read ends the program with the signal's exit code."""
    file = folder + ".json"
    with open(file, "w") as out:
        out.write(" " * (1 << 27))  # takes a while to read
    for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGUSR1, 0)]:
        run = subprocess.Popen([PROGRAM, "evaluate", file, "--plan", "keep-all"], stderr=subprocess.DEVNULL)
        while run.poll() is None and not has_open(run.pid, file):
            pass
        run.send_signal(number)
        assert run.wait() == code, (number, run.returncode)
    os.remove(file)


def main():
    with tempfile.TemporaryDirectory() as work:
        whole = os.path.join(work, "whole")
        subprocess.run(command(whole), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        want = tables(whole)
        cases = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGUSR1, 0), (signal.SIGKILL, -9)]
        for place, (number, code) in enumerate(cases):
            folder = os.path.join(work, "run%d" % place)
            got, text = stopped(folder, number, 20 + 7 * place)
            assert got == code, (number, got, text)
            if number != signal.SIGKILL:
                assert "resume with: paretrain resume " + folder in text, text
                assert all(os.path.exists(os.path.join(folder, name)) for name in TABLES)
                assert '"status": "interrupted"' in open(os.path.join(folder, "manifest.json")).read()
            after = subprocess.run([PROGRAM, "resume", folder], capture_output=True, text=True)
            assert after.returncode == 0, after.stderr
            assert "resumed from generation " in after.stderr, after.stderr
            assert tables(folder) == want, number
            left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
            assert not left, left
        early(os.path.join(work, "early"))
        bench(os.path.join(work, "bench"))
        at_once(os.path.join(work, "pipe"))
    print("stopped and resumed by %d signals" % len(cases))


main()
