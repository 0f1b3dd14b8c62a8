"""Impairments of receivers and transmitters, and what takes them away."""

from __future__ import annotations

import numpy as np

from .draw import Draw
from .driver import EPS, Case, define

VALKAMA = "M. Valkama, M. Renfors and V. Koivunen, IEEE Trans. Signal Processing 49 (10), 2001"


def imbalance_case(d: Draw) -> Case:
    params = {
        "magnitude_db": d.one(0.0, d.real(-20, 20), d.real(-100, 100)),
        "phase_deg": d.one(0.0, d.real(-90, 90), d.real(-360, 360)),
        "transmit": d.one(False, True),
    }
    return Case(params, [d.ordinary("C32")])


def imbalance_bound(p, x):
    return 8 * EPS * (1 + 10 ** (p.magnitude_db / 20)) * np.abs(x)


@define("iq_imbalance", source=VALKAMA + ", section II", draw=imbalance_case, within=imbalance_bound)
def iq_imbalance(p, x):
    gain, phase = 10 ** (p.magnitude_db / 20), np.deg2rad(p.phase_deg)
    side = 1 if p.transmit else -1
    wide = x.astype("c16")
    straight, image = (1 + gain * np.exp(1j * side * phase)) / 2, (1 - gain * np.exp(1j * phase)) / 2
    return straight * wide + image * np.conj(wide)


def correction_case(d: Draw) -> Case:
    x = d.ordinary("C32", d.whole(0, 5000))
    x = (x.real * d.real(0.3, 3) + 1j * (x.imag + d.real(-0.5, 0.5) * x.real)).astype("c8")
    return Case({"length": d.one(1024, d.whole(1024, 5000), 65536)}, [x])


@define(
    "iq_correction",
    source=VALKAMA + ", and the means of its documentation",
    draw=correction_case,
    within=lambda p, x: 1e-4 * np.abs(x),
)
def iq_correction(p, x):
    wide = x.astype("c16")
    y = wide.copy()
    means, samples, of_q, of_i = np.zeros(5), 0, 1.0, 0.0
    for start in range(0, len(wide), 64):
        i, q = wide[start : start + 64].real, wide[start : start + 64].imag
        y[start : start + 64] = i + 1j * (of_q * q + of_i * i)
        if len(i) < 64:
            break
        samples = min(samples + 64, p.length)
        news = np.array([i.mean(), q.mean(), (i * i).mean(), (q * q).mean(), (i * q).mean()])
        means = means + min(64 / samples, 1.0) * (news - means)
        ii, qq, iq = means[2] - means[0] ** 2, means[3] - means[1] ** 2, means[4] - means[0] * means[1]
        if samples >= 1024 and ii > 0 and qq > 0:
            gain = np.clip(np.sqrt(qq / ii), 0.25, 4.0)
            sine = np.clip(-iq / np.sqrt(ii * qq), -0.5, 0.5)
            cosine = np.sqrt(1 - sine**2)
            of_q, of_i = 1 / (gain * cosine), sine / cosine
    return y
