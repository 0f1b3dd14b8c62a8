"""The documentation's examples run, and the stubs say what is there."""

import ast
import doctest
import pkgutil
import re
import importlib
import unittest
from pathlib import Path

import superhet
from superhet import _native

PACKAGE = Path(superhet.__file__).parent


def load_tests(loader, tests, pattern):
    """The examples of all modules but those of GNU Radio's face, which have tests of their own."""
    for module in pkgutil.iter_modules([str(PACKAGE)], "superhet."):
        if not module.name.endswith(("_native", "gnuradio")):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name)))
    tests.addTests(doctest.DocTestSuite(superhet))
    return tests


class Documentation(unittest.TestCase):
    def test_the_examples_of_the_readmes_run(self):
        for folder in Path(__file__).resolve().parents[1:3]:
            readme = folder / "README.md"
            examples = re.findall(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
            self.assertTrue(examples, readme)
            for example in examples:
                exec(compile(example, str(readme), "exec"), {})

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
