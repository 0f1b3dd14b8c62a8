"""Tests of superhet.gnuradio.pfb with blocks and filter design that only note what they are asked for."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import pure  # noqa: E402, F401
from superhet.gnuradio import pfb  # noqa: E402
from superhet.gnuradio.elements import Element  # noqa: E402


class FakeBlock(Element):
    def __init__(self, name, *arguments):
        super().__init__(name)
        self.arguments = arguments
        self.calls = []

    def __getattr__(self, name):
        if name not in ("set_taps", "set_rate", "set_channel", "set_channel_map", "declare_sample_delay"):
            raise AttributeError(name)
        return lambda *arguments: self.calls.append((name, *arguments))


class FakeModule:
    def __init__(self, **members):
        self.__dict__.update(members)

    def __getattr__(self, name):
        return lambda *arguments: FakeBlock(name, *arguments)


class Polyphase(unittest.TestCase):
    def setUp(self):
        self.designs = []
        self.fails = 0
        low_pass_2 = lambda *arguments: self.designs.append(("low_pass_2", *arguments)) or [1, 2]
        modules = {
            "blocks": FakeModule(),
            "fft": FakeModule(window=types.SimpleNamespace(WIN_BLACKMAN_hARRIS=5)),
            "filter": FakeModule(
                optfir=types.SimpleNamespace(low_pass=self.low_pass), firdes=types.SimpleNamespace(low_pass_2=low_pass_2)
            ),
        }
        patch = mock.patch.object(pfb, "_module", modules.__getitem__)
        patch.start()
        self.addCleanup(patch.stop)

    def low_pass(self, *arguments):
        self.designs.append(("optfir", *(round(argument, 6) for argument in arguments)))
        if len(self.designs) <= self.fails:
            raise RuntimeError("does not converge")
        return [3, 4]

    def test_default_taps_are_designed_as_gnu_radio_does(self):
        pfb.channelizer_ccf(8)
        pfb.decimator_ccf(5, atten=60)
        pfb.interpolator_ccf(4)
        pfb.arb_resampler_ccf(2.5)
        pfb.arb_resampler_fff(0.5, flt_size=16)
        pfb.arb_resampler_ccc(0.5)
        self.assertEqual(
            self.designs,
            [
                ("optfir", 1, 8, 0.4, 0.6, 0.1, 100),
                ("optfir", 1, 5, 0.4, 0.6, 0.1, 60),
                ("optfir", 4, 4, 0.4, 0.6, 0.99, 100),
                ("optfir", 32, 32, 0.4, 0.6, 0.1, 100),
                ("low_pass_2", 16, 16, 0.2, 0.1, 100, 5),
                ("optfir", 32, 32, 0.4, 0.6, 0.1, 100),
            ],
        )

    def test_a_design_that_fails_is_tried_with_more_ripple(self):
        self.fails = 2
        self.assertEqual(pfb.channelizer_ccf(8).taps(), [3, 4])
        self.assertEqual([design[5] for design in self.designs], [0.1, 0.11, 0.12])
        self.fails = 1000
        with self.assertRaises(RuntimeError):
            pfb.channelizer_ccf(8)

    def test_what_is_given_goes_to_the_block_within(self):
        channelizer = pfb.channelizer_ccf(3, [1, 2, 3], 1.5)
        self.assertEqual(self.designs, [])
        self.assertEqual(channelizer.pfb.arguments, (3, [1, 2, 3], 1.5))
        self.assertEqual(channelizer.s2ss.arguments, (8, 3))
        channelizer.set_taps([4])
        channelizer.set_channel_map((2, 1))
        self.assertEqual(channelizer.pfb.calls, [("set_taps", [4]), ("set_channel_map", [2, 1])])
        self.assertEqual(channelizer.taps(), [4])
        decimator = pfb.decimator_ccf(4, [1], 2, use_fft_filters=False)
        self.assertEqual(decimator.pfb.arguments, (4, [1], 2, True, False))
        resampler = pfb.arb_resampler_fff(1.5, [1], 16)
        self.assertEqual(resampler.pfb.arguments, (1.5, [1], 16))
        resampler.set_rate(1.25)
        self.assertEqual(resampler.pfb.calls, [("set_rate", 1.25)])


if __name__ == "__main__":
    unittest.main()
