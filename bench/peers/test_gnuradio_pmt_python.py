"""Tests of gnuradio_pmt_python.py without GNU Radio: our module is compared with itself, whole and with a fault."""

import importlib.util
import types
import unittest

import gnuradio_pmt_python as peer


@unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
class Compare(unittest.TestCase):
    def setUp(self):
        self.pmt = peer.ours()

    def test_a_module_agrees_with_itself(self):
        mistakes, tried = peer.compare([self.pmt, self.pmt], 50, 1)
        self.assertEqual(mistakes, [])
        self.assertLess({"serialize_str", "dict_add", "is_pdu", "u8vector_elements", "to_python"}, set(tried))

    def test_a_fault_is_reported_with_the_call_and_both_answers(self):
        faulty = types.SimpleNamespace(**{name: getattr(self.pmt, name) for name in dir(self.pmt)})
        faulty.is_vector = lambda value: False
        mistakes, _ = peer.compare([self.pmt, faulty], 50, 1)
        self.assertTrue(any(text.startswith("is_vector(") and "('bool', 'True')" in text for text in mistakes), mistakes)

    def test_errors_are_compared_by_their_class(self):
        self.assertEqual(peer.answer(self.pmt, "car", self.pmt.PMT_T), ("error", "ValueError"))
        self.assertEqual(peer.answer(self.pmt, "car", 1), ("error", "TypeError"))

    def test_nan_and_the_sign_of_zero_count(self):
        self.assertEqual(peer.plain(self.pmt, float("nan")), peer.plain(self.pmt, float("nan")))
        self.assertNotEqual(peer.plain(self.pmt, 0.0), peer.plain(self.pmt, -0.0))


if __name__ == "__main__":
    unittest.main()
