"""The documentation's examples run, and the stubs say what is there."""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import superhet
from superhet import _native

PACKAGE = Path(superhet.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def scratch():
    """A folder as the guides have it, which is the current one meanwhile; `python` is this one there."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for linked in ("data", "examples"):
            (folder / linked).symlink_to(ROOT / linked)
        (folder / ".bin").mkdir()
        # A link would be taken for a Python without this one's packages.
        program = folder / ".bin/python"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        program.chmod(0o755)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def run_examples(page, folder):
    """Runs the examples of a page: those in Python in one module, one after the other. Gives how many there are."""
    known, ran, printed = {"__name__": "guide"}, 0, None
    for language, text in re.findall(r"^```([\w,]+)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        name = re.match(r"(?:#|//) ([^\s:]+\.\w+)\n", text)
        if name:
            (folder / name[1]).write_text(text)
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, str(page), "exec"), known)
            ran += 1
        elif language == "sh,python":
            environment = {**os.environ, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", text], env=environment, capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, f"{page}: {text}{done.stderr}"
            printed, ran = done.stdout, ran + 1
            continue
        elif language == "text" and printed is not None:
            wanted = ".*".join(re.escape(part) for part in text.strip().split("…"))
            assert re.fullmatch(wanted, printed.strip(), re.DOTALL), f"{page}: it prints {printed}"
        printed = None
    return ran


def run_notebook(path):
    """Runs the code of a notebook; gives what its cells show, and what they are said to show."""
    known, shown, wanted = {"__name__": "notebook"}, [], []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(path), "exec"), known)
        shown.append("" if last is None else str(eval(compile(ast.Expression(last.value), str(path), "eval"), known)).rstrip("\n"))
        wanted.append("".join("".join(output["data"]["text/plain"]) for output in cell["outputs"]))
    return shown, wanted


def load_tests(loader, tests, pattern):
    """The examples of all modules but those of GNU Radio's face, which have tests of their own."""
    for module in pkgutil.iter_modules([str(PACKAGE)], "superhet."):
        if not module.name.endswith(("_native", "gnuradio")):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name)))
    tests.addTests(doctest.DocTestSuite(superhet))
    return tests


class Documentation(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("duckdb") and importlib.util.find_spec("pyarrow"), "duckdb or pyarrow is not installed")
    def test_the_notebook_shows_what_it_says(self):
        with scratch():
            shown, wanted = run_notebook(ROOT / "docs/archive.ipynb")
        self.assertGreater(len(shown), 5)
        self.assertEqual(shown, wanted)

    def test_the_examples_of_the_readmes_and_the_guides_run(self):
        docs = ROOT / "docs"
        pages = [docs / name for name in re.findall(r"\]\(([\w-]+\.md)\)", (docs / "SUMMARY.md").read_text())]
        self.assertGreater(len(pages), 15)
        ran = 0
        for page in [ROOT / "README.md", ROOT / "python/README.md", *pages]:
            with self.subTest(page.name), scratch() as folder:
                ran += run_examples(page, folder)
        self.assertGreater(ran, 15)

    def test_the_stubs_name_what_the_native_module_has(self):
        tree = ast.parse((PACKAGE / "_native.pyi").read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.assertTrue(callable(getattr(_native, node.name)))
            elif isinstance(node, ast.ClassDef):
                members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                there = {name for name in vars(getattr(_native, node.name)) if not name.startswith("_")}
                self.assertEqual({name for name in members if not name.startswith("_")}, there, node.name)
        named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual({name for name in dir(_native) if not name.startswith("_")}, named)

    def test_the_stubs_of_the_blocks_are_those_of_the_library(self):
        from superhet import _stubs

        for file, text in _stubs.files().items():
            ast.parse(text)
            self.assertEqual((PACKAGE / file).read_text(), text, f"{file}: run python -m superhet._stubs FOLDER")


if __name__ == "__main__":
    unittest.main()
