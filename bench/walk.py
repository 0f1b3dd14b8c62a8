#!/usr/bin/env python3
"""Walks through the guides by copy and paste: runs what README and docs/ show for the shell and for Python, page by page in the order of
the book, and prints a table of how long each example took.

bench/walk.py --superhet target/release/superhet --python target/python-tests/bin/python

Builds and installations (`sh,build`) take minutes and change the machine: they are named, and run with --build only. Examples in Rust are
doc tests. Exit code 1 if an example fails.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pages():
    """README and the pages in the order of the book."""
    summary = (ROOT / "docs/SUMMARY.md").read_text()
    named = re.findall(r"\]\(([\w-]+\.md)\)", summary)
    return [ROOT / "README.md", *(ROOT / "docs" / name for name in named)]


def fences(text):
    """The examples of a page: language, text, line."""
    found = re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.S | re.M)
    return [(match[1], match[2], text[: match.start()].count("\n") + 1) for match in found]


# Runs the examples of a page in one module, as a reader's session does: takes code as a line of JSON, gives what came of it.
SESSION = """
import contextlib, io, json, os, sys, traceback
answers, known = os.fdopen(os.dup(1), "w"), {"__name__": "guide"}
os.dup2(2, 1)
for line in sys.stdin:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(json.loads(line), "guide", "exec"), known)
        outcome = "ok"
    except BaseException:
        outcome = traceback.format_exc(limit=-1).strip()[-200:]
    print(json.dumps(outcome), file=answers, flush=True)
"""


class Session:
    """A Python that runs the examples of one page."""

    def __init__(self, python, folder, environment):
        self.process = subprocess.Popen(
            [python, "-c", SESSION], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip

    def run(self, text):
        """How long an example took, and what came of it."""
        start = time.perf_counter()
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return time.perf_counter() - start, json.loads(answer) if answer else "Python has died"

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run(text, folder, environment):
    """How long a shell took with it, and what came of it."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=600)  # fmt: skip
    except subprocess.TimeoutExpired:
        return time.perf_counter() - start, "hangs"
    said = (done.stderr or done.stdout).strip()[-200:]
    return time.perf_counter() - start, "ok" if done.returncode == 0 else f"exit code {done.returncode}: {said}"


def walk(page, options):
    """Rows of the table: line, seconds, outcome, first words."""
    with tempfile.TemporaryDirectory(prefix="superhet-walk-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / ".bin").mkdir()
        (folder / ".bin/superhet").symlink_to(pathlib.Path(options.superhet).resolve())
        for name in ["data", "examples"]:
            (folder / name).symlink_to(ROOT / name)
        path = [str(folder / ".bin"), os.environ["PATH"]]
        if options.python:
            path.insert(1, str(pathlib.Path(options.python).absolute().parent))
        environment = {**os.environ, "PATH": ":".join(path), "XDG_CONFIG_HOME": scratch}
        session = None
        for language, text, line in fences(page.read_text()):
            first = text.split("\n", 1)[0]
            name = re.fullmatch(r"(?:#|//) ([^ :]*\.[^ :]*)", first)
            if name:
                (folder / name[1]).write_text(text)
            elif language == "python" and options.python:
                session = session or Session(options.python, folder, environment)
                yield line, *session.run(text), first
            elif language == "sh" or language == "sh,python" and options.python:
                yield line, *run(text, folder, environment), first
            elif language == "sh,build":
                yield line, *(run(text, ROOT, environment) if options.build else (None, "not run")), first
        if session:
            session.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--superhet", required=True, help="the command")
    parser.add_argument("--python", help="a Python that has the package; without it, examples in Python are left out")
    parser.add_argument("--build", action="store_true", help="also build and install")
    parser.add_argument("--page", action="append", help="only pages whose name contains this; may be given several times")
    options = parser.parse_args()
    # Examples run in a folder of their own. A link stays one: it says which environment a Python is of.
    if options.python and os.sep in options.python:
        options.python = os.path.abspath(options.python)
    total, failed, count = 0.0, 0, 0
    print("| page | line | example begins with | seconds | |\n|---|---|---|---|---|")
    for page in pages():
        if options.page and not any(part in page.name for part in options.page):
            continue
        for line, took, outcome, first in walk(page, options):
            shown = "" if took is None else f"{took:.2f}"
            total, count = total + (took or 0.0), count + (took is not None)
            failed += outcome not in ("ok", "not run")
            print(f"| {page.name} | {line} | `{first[:70].replace('|', '/')}` | {shown} | {outcome} |", flush=True)
    print(f"\n{count} examples in {total:.1f} s; {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
