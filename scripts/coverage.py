"""Sums up what gcov has counted: scripts/coverage calls it with the folder of the build and that of the report."""

import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

build, report = map(os.path.abspath, sys.argv[1:3])
root = os.getcwd()
lines: dict[str, dict[int, int]] = collections.defaultdict(lambda: collections.defaultdict(int))
branches: dict[str, dict[tuple[int, int], int]] = collections.defaultdict(lambda: collections.defaultdict(int))

notes = [os.path.join(d, f) for d, _, files in os.walk(build) for f in files if f.endswith(".gcno")]
with tempfile.TemporaryDirectory() as scratch:
    for note in notes:
        subprocess.run(["gcov", "-b", "--json-format", note], cwd=scratch, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in os.listdir(scratch):
            with gzip.open(os.path.join(scratch, name)) as f:
                data = json.load(f)
            os.remove(os.path.join(scratch, name))
            for file in data["files"]:
                path = os.path.relpath(os.path.join(data["current_working_directory"], file["file"]), root)
                if not path.startswith(("src/", "include/")):
                    continue
                for line in file["lines"]:
                    at = line["line_number"]
                    lines[path][at] += line["count"]
                    for k, branch in enumerate(line["branches"]):
                        branches[path][at, k] += branch["count"]

folders: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0])
for path in lines:
    sums = [
        sum(n > 0 for n in lines[path].values()), len(lines[path]),
        sum(n > 0 for n in branches[path].values()), len(branches[path]),
    ]
    for folder in (os.path.dirname(path), "all"):
        folders[folder] = [a + b for a, b in zip(folders[folder], sums)]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:6.2f} % of {whole}" if whole else "-"


print(f"{'folder':<24}{'lines':<22}{'branches':<22}")
for folder in sorted(folders, key=lambda f: (f == "all", f)):
    a, b, c, d = folders[folder]
    print(f"{folder:<24}{share(a, b):<22}{share(c, d):<22}")
missed = sorted(lines, key=lambda p: -sum(n == 0 for n in lines[p].values()))
print("\nlines that no test runs, most first:")
for path in missed[:20]:
    print(f"{sum(n == 0 for n in lines[path].values()):6}  {path}")
with open(os.path.join(report, "lines.txt"), "w") as out:
    for path in sorted(lines):
        for at in sorted(n for n, count in lines[path].items() if count == 0):
            print(f"{path}:{at}: {open(path).read().splitlines()[at - 1].strip()}", file=out)
