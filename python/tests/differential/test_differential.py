"""Some random cases of every block against its definition; `SUPERHET_CASES` says how many, `SUPERHET_SEED` which."""

import os
import unittest

from superhet import _catalog

from . import DEFINITIONS, trial
from .left_out import LEFT_OUT

CASES = int(os.environ.get("SUPERHET_CASES", "12"))
SEED = int(os.environ.get("SUPERHET_SEED", "1"))


class Coverage(unittest.TestCase):
    def test_every_block_has_a_definition_or_a_reason_why_not(self):
        known = set(_catalog.entries())
        missing = known - set(DEFINITIONS) - set(LEFT_OUT)
        self.assertEqual(sorted(missing), [], "write a definition, or a reason in left_out.py")
        self.assertEqual(sorted((set(DEFINITIONS) | set(LEFT_OUT)) - known), [], "there is no such block")
        self.assertEqual(sorted(set(DEFINITIONS) & set(LEFT_OUT)), [], "defined, and left out")


class Blocks(unittest.TestCase):
    def test_every_block_gives_what_its_definition_gives(self):
        for block, definition in DEFINITIONS.items():
            with self.subTest(block):
                for number in range(CASES):
                    trial(definition, SEED, number)


if __name__ == "__main__":
    unittest.main()
