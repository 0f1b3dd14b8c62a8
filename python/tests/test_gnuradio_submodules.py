"""The modules within GNU Radio's modules hold what the module that they are in has."""

import importlib
import unittest

import superhet.gnuradio
from superhet.gnuradio import submodules


class Submodules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        superhet.gnuradio.install(shadow=True)
        cls.addClassCleanup(superhet.gnuradio.uninstall)

    def test_each_name_is_that_of_the_module_above(self):
        for short, names in submodules.NAMES.items():
            inner = importlib.import_module(f"gnuradio.{short}")
            above = importlib.import_module(f"gnuradio.{short.split('.')[0]}")
            for name in names.split():
                with self.subTest(f"{short}.{name}"):
                    self.assertIn(name, dir(inner))
                    found = getattr(inner, name)
                    if name[0] != "_" and not short.endswith("optfir"):
                        self.assertIs(found, getattr(above, name))

    def test_a_class_goes_before_the_module_of_its_name(self):
        from gnuradio import analog, digital
        from gnuradio.analog import nbfm_rx
        from gnuradio.digital.ofdm_txrx import ofdm_tx
        from gnuradio.gr import hier_block2

        self.assertIsInstance(nbfm_rx, type)
        self.assertIsInstance(hier_block2, type)
        self.assertIs(digital.ofdm_txrx.ofdm_tx, ofdm_tx)
        self.assertEqual(analog.fm_emph.__name__, "gnuradio.analog.fm_emph")

    def test_what_is_not_there_is_named(self):
        from gnuradio.digital import generic_mod_demod

        with self.assertRaisesRegex(AttributeError, "digital.generic_mod_demod.generic_modulator .*generic_mod"):
            generic_mod_demod.generic_modulator

    def test_functions_of_a_connection_take_a_row(self):
        from gnuradio import blocks
        from gnuradio.gr.hier_block2 import _multiple_endpoints, _optional_endpoints

        calls = []

        @_multiple_endpoints
        def connect(self, *ends):
            calls.append(ends)

        @_optional_endpoints
        def connect_messages(self, *ends):
            calls.append(ends)

        a, b, c = blocks.null_source(4), blocks.copy(4), blocks.null_sink(4)
        connect(None, a, (b, 1), c)
        connect(None, a)
        connect_messages(None, (a, "out"), (b, "in"))
        connect_messages(None, a, "out", b, "in")
        wanted = [(a, 0, b, 1), (b, 1, c, 0), (a,), (a, "out", b, "in"), (a, "out", b, "in")]
        plain = [tuple(end.to_basic_block() if hasattr(end, "to_basic_block") else end for end in call) for call in wanted]
        self.assertEqual(calls, plain)
        for bad, said in (((), "expected blocks"), ((1,), "a block or two ends"), ((a, 1), "1: expected a block")):
            with self.assertRaisesRegex(ValueError, said):
                connect(None, *bad)


if __name__ == "__main__":
    unittest.main()
