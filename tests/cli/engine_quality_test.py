"""paretrain_engine_quality runs the problems whose names begin as asked, and refuses what it does not know.

engine_quality_test.py PARETRAIN_ENGINE_QUALITY
"""
import subprocess
import sys


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True)


def main():
    for beginning, problems in [("dtlz2", ["dtlz2"]), ("ojzj", ["ojzj:30:3"]), ("lotz:3", ["lotz:30"]), ("coc", ["cocz:30"])]:
        found = run("population", "1", beginning)
        assert found.returncode == 0, found
        assert [line.split()[0] for line in found.stdout.splitlines()] == problems, found
    none = run("population", "1", "zdt9")
    assert none.returncode == 2 and not none.stdout, none
    assert none.stderr.startswith("error: no problem begins with 'zdt9'; there are: ominmax:30 lotz:30 "), none
    for words in [("both",), ("archive", "0"), ("archive", "many"), ("archive", "1", "zdt6", "more")]:
        wrong = run(*words)
        assert wrong.returncode == 2 and not wrong.stdout and wrong.stderr.startswith("usage: "), wrong
    print("ran and refused")


main()
