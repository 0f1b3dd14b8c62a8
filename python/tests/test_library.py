"""Kernels, the design of filters, recordings and pictures."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import superhet


class Kernels(unittest.TestCase):
    def test_kernels_do_what_numpy_does(self):
        kernels, random = superhet.kernels, np.random.default_rng(1)
        a, b = (random.normal(size=(1001, 2)).astype("f4").view("c8").reshape(-1) for _ in range(2))
        np.testing.assert_allclose(kernels.multiply_c32(a, b), a * b, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(kernels.add_const_c32(a, 1 + 2j), a + np.complex64(1 + 2j), rtol=1e-6)
        self.assertAlmostEqual(kernels.sum_c32(a), complex(a.sum()), places=3)
        out = np.empty(1001, "f4")
        self.assertIs(kernels.complex_to_real(a, out=out), out)
        np.testing.assert_array_equal(out, a.real)
        self.assertEqual(kernels.c32_to_i16(a[:3]).shape, (3, 2))

    def test_wrong_arrays_are_reported(self):
        kernels, x = superhet.kernels, np.ones(4, "f4")
        with self.assertRaisesRegex(ValueError, "one length"):
            kernels.add_f32(x, x[:3])
        with self.assertRaisesRegex(ValueError, "apart from the inputs"):
            kernels.add_f32(x, x, out=x)
        with self.assertRaisesRegex(TypeError, "contiguous array of float32"):
            kernels.add_f32(x, x, out=np.empty(4))
        with self.assertRaisesRegex(TypeError, "missing a required argument"):
            kernels.add_f32(x)
        with self.assertRaisesRegex(ValueError, "one dimension"):
            kernels.sum_f32(np.ones((2, 2)))


class Design(unittest.TestCase):
    def test_filters_have_the_gain_that_they_are_asked_for(self):
        taps = np.array(superhet.firdes.low_pass(2.0, 48e3, 3e3, 1e3))
        self.assertAlmostEqual(taps.sum(), 2.0, places=6)
        response = np.abs(np.fft.rfft(taps, 4800))
        self.assertTrue(np.allclose(response[:200], 2.0, atol=0.01) and response[400:].max() < 0.01)

    def test_root_raised_cosine_has_its_published_form(self):
        # Proakis, "Digital Communications", and GNU Radio's documented scaling: the taps sum up to the gain.
        rate, symbols, alpha, count = 8.0, 1.0, 0.35, 89
        taps = np.array(superhet.firdes.root_raised_cosine(1.0, rate, symbols, alpha, count))
        t = (np.arange(count) - count // 2) / rate
        with np.errstate(all="ignore"):
            up = np.sin(np.pi * t * (1 - alpha)) + 4 * alpha * t * np.cos(np.pi * t * (1 + alpha))
            pulse = up / (np.pi * t * (1 - (4 * alpha * t) ** 2))
        pulse[count // 2] = 1 - alpha + 4 * alpha / np.pi
        np.testing.assert_allclose(taps, pulse / pulse.sum(), atol=1e-6)

    def test_windows_are_those_of_numpy(self):
        for name in ("hamming", "blackman", "bartlett"):
            np.testing.assert_allclose(getattr(superhet.window, name)(65), getattr(np, name)(65), atol=1e-6)

    def test_a_wrong_argument_is_reported(self):
        with self.assertRaises(superhet.errors.ParameterError):
            superhet.firdes.low_pass(1.0, 48e3, 30e3, 1e3)
        with self.assertRaisesRegex(TypeError, "low_pass"):
            superhet.firdes.low_pass(1.0)


class Recordings(unittest.TestCase):
    def test_a_recording_makes_the_round(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r"
            samples = np.exp(1j * np.arange(100)).astype("c8")
            note = {"sample_start": 3, "label": "x"}
            superhet.sigmf.save(path, samples, rate_hz=1e6, frequency_hz=98e6, annotations=[note])
            got = superhet.sigmf.load(path)
            np.testing.assert_array_equal(got.samples, samples)
            self.assertEqual((got.rate_hz, got.frequency_hz), (1e6, 98e6))
            self.assertEqual([(tag.index, tag.value["core:label"]) for tag in got.tags], [(3, "x")])
            with self.assertRaises(FileExistsError):
                superhet.sigmf.save(path, samples)

    def test_integers_come_in_full_scale_and_what_is_cut_short_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            meta, data = Path(folder) / "r.sigmf-meta", Path(folder) / "r.sigmf-data"
            for kind, raw, wanted in (("ci16_le", [0, -32768], -1j), ("cu8", [127, 255], -0.5 / 128 + 127.5j / 128)):
                meta.write_text(json.dumps({"global": {"core:datatype": kind}}))
                data.write_bytes(np.array(raw, "<i2" if kind == "ci16_le" else "u1").tobytes())
                self.assertAlmostEqual(superhet.sigmf.load(meta).samples[0], wanted, places=6)
            data.write_bytes(b"abc")
            with self.assertRaisesRegex(ValueError, "no whole number of samples"):
                superhet.sigmf.load(data)
            meta.write_text("{}")
            with self.assertRaisesRegex(ValueError, "core:datatype"):
                superhet.sigmf.load(meta)


class Pictures(unittest.TestCase):
    def test_the_power_of_a_tone_is_where_and_what_it_is(self):
        tone = 0.5 * np.exp(2j * np.pi * np.arange(10_000) / 8)
        power = superhet.plot.power_spectrum(tone, 256)
        self.assertEqual(power.argmax(), 128 + 32)
        self.assertAlmostEqual(power.max(), 20 * np.log10(0.5), places=3)


if __name__ == "__main__":
    unittest.main()
