"""Lets the tests of what is Python alone run where superhet's native module is not built: `import pure` before superhet."""

import sys
import types
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "superhet"

try:
    import superhet
except ImportError:
    superhet = types.ModuleType("superhet")
    superhet.__path__ = [str(FOLDER)]
    sys.modules["superhet"] = superhet
