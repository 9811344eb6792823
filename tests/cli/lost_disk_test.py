"""A disk that is full, or a folder that goes away, in the middle of a run ends it with exit 3 and one line, and what was saved is good.

lost_disk_test.py PARETRAIN COST_GRAPH
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM, GRAPH = sys.argv[1:3]


def started(folder, threads, **more):
    return subprocess.Popen([PROGRAM, "optimize", GRAPH, "-o", folder, "--seed", "3", "--population", "20", "--generations", "1000000",
                             "--log-generations", "--threads", threads], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)


def small_files():
    """Of a size that is reached after some generations."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def error_line(text):
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, text[-2000:]
    return errors[0]


def full_disk(folder, threads):
    run = started(folder, threads, preexec_fn=small_files)
    text = run.communicate()[1]
    assert run.returncode == 3, (run.returncode, text[-2000:])
    assert error_line(text) == "error: %s: cannot be written: File too large" % os.path.join(folder, "snapshot"), text[-2000:]
    last = max(int(line[4:].split("/")[0]) for line in text.splitlines() if line.startswith("gen "))
    described = subprocess.run([PROGRAM, "snapshot", folder], capture_output=True, text=True, check=True)
    assert not described.stderr, described.stderr
    saved = int(described.stdout.split("generation")[1].split()[0])
    assert last - 1 <= saved <= last, (saved, last)
    assert "snapshot.tmp" not in os.listdir(folder)
    resumed = subprocess.run([PROGRAM, "resume", folder, "--generations", str(saved + 3)], capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    assert "resumed from generation %d" % saved in resumed.stderr, resumed.stderr


def folder_gone(folder, threads):
    run = started(folder, threads)
    text = ""
    for line in run.stderr:
        text += line
        if line.startswith("gen 5/"):
            shutil.move(folder, folder + "-moved")
    run.stderr.close()
    assert run.wait() == 3, (run.returncode, text[-2000:])
    # At any step of writing.
    error = error_line(text)
    assert error.startswith("error: %s" % os.path.join(folder, "snapshot")), error
    assert error.endswith("No such file or directory"), error
    subprocess.run([PROGRAM, "snapshot", folder + "-moved"], check=True, stdout=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as work:
    for count in ["1", "2"]:
        full_disk(os.path.join(work, "full" + count), count)
        folder_gone(os.path.join(work, "gone" + count), count)
