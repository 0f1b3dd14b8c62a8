"""Other decoders, run on the same samples: a function each, of samples and their rate, that gives messages in hexadecimal digits or words.

Each is looked for on the path; what is not installed is None. Debian: direwolf, multimon-ng, gnuais, rtl-433, wsjtx, gr-satellites,
dump1090-mutability. `superhet` is run in the same way.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import wave
from collections import Counter
from pathlib import Path

import numpy as np

# What gr-satellites 4.4 imports was moved in GNU Radio 3.10.
GR_SATELLITES = """
import runpy, sys
from gnuradio import blocks, gr, pdu
blocks.byte_t, blocks.float_t = gr.types.byte_t, gr.types.float_t
for name in ("tagged_stream_to_pdu", "pdu_to_tagged_stream"):
    setattr(blocks, name, getattr(pdu, name))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def write_wav(path, samples, rate_hz):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, int(rate_hz), 0, "NONE", ""))
        file.writeframes(as_s16(samples))


def as_s16(samples):
    return np.clip(np.round(samples * 32767), -32768, 32767).astype("<i2").tobytes()


def write_cu8(path, samples):
    x = np.round(np.ascontiguousarray(samples).view(float) * 127.5 + 127.5)
    path.write_bytes(np.clip(x, 0, 255).astype(np.uint8).tobytes())


def said(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    return done.stdout + "\n" + done.stderr


def in_scratch(run):
    """The function gets a folder of its own."""

    def wrapped(samples, rate_hz, *more, **options):
        with tempfile.TemporaryDirectory() as folder:
            return run(Path(folder), samples, rate_hz, *more, **options)

    return wrapped


@in_scratch
def superhet(folder, samples, rate_hz, command, kind, options=(), key=None):
    """`superhet decode`; the messages by `key`, a function of a message, or by their bytes."""
    if np.iscomplexobj(samples):
        path = folder / "x.cu8"
        write_cu8(path, samples)
        options = [*options, "--rate", str(rate_hz)]
    else:
        path = folder / "x.wav"
        write_wav(path, samples, rate_hz)
    run = [command, "decode", kind, path, "--json", "--scheduler", "single", *options]
    done = subprocess.run([str(word) for word in run], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    key = key or (lambda message: message["hex"])
    return Counter(key(json.loads(line)) for line in done.stdout.splitlines())


def atest(folder, samples, rate_hz, *options):
    write_wav(folder / "x.wav", samples, rate_hz)
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", said(["atest", *options, folder / "x.wav"]))


@in_scratch
def dire_wolf(folder, samples, rate_hz, modem="1200", *options):
    text = atest(folder, samples, rate_hz, "-B", modem, *options, "-h")
    frames = []
    for line in text.splitlines():
        # Frames as a dump: `  000:  82 a0 … `, from 000 on.
        dump = re.match(r"^ *([0-9a-f]{3}): +((?:[0-9a-f]{2} +)+)", line)
        if dump:
            if int(dump[1], 16) == 0:
                frames.append("")
            frames[-1] += dump[2].replace(" ", "")
    return Counter(frames)


def audio_of(samples, rate_hz, offset_hz, width_hz, audio_hz=48_000):
    """What a receiver for FM gives: the channel through a filter, demodulated."""
    step = int(rate_hz / audio_hz)
    n = np.arange(-128, 129)
    taps = np.sinc(n * 2 * width_hz / rate_hz) * np.blackman(257)
    turned = samples * np.exp(-2j * np.pi * offset_hz / rate_hz * np.arange(len(samples)))
    size = 1 << int(np.ceil(np.log2(len(turned) + len(taps))))
    channel = np.fft.ifft(np.fft.fft(turned, size) * np.fft.fft(taps / taps.sum(), size))[128 : 128 + len(turned)][::step]
    return np.angle(channel[1:] * np.conj(channel[:-1])) / np.pi


def ais_frame(payload):
    """The bytes that the six bits of each letter stand for."""
    bits = "".join(f"{(ord(c) - 48 if ord(c) < 96 else ord(c) - 56):06b}" for c in payload)
    return bytes(int(bits[n : n + 8], 2) for n in range(0, len(bits) - 7, 8)).hex()


def sentences(text):
    return Counter(ais_frame(payload) for payload in re.findall(r"!AIVDM,1,1,,[AB01]?,([^,]+),0", text))


@in_scratch
def dire_wolf_ais(folder, samples, rate_hz, width_hz=8e3):
    return sentences(atest(folder, audio_of(samples, rate_hz, -25e3, width_hz), 48_000, "-B", "AIS"))


def best_width(run, widths_hz=(5e3, 6e3, 8e3)):
    """The same with the filter before the demodulator, of those that were tried, that it hears most with."""

    def best(samples, rate_hz):
        return max((run(samples, rate_hz, width_hz) for width_hz in widths_hz), key=Counter.total)

    return best


def heard_by_a(text):
    return "\n".join(line for line in text.splitlines() if line.startswith("ch A"))


@in_scratch
def gnuais(folder, samples, rate_hz, width_hz=8e3):
    audio = audio_of(samples, rate_hz, -25e3, width_hz)
    (folder / "x.raw").write_bytes(as_s16(np.repeat(audio / np.abs(audio).max(), 2)))
    (folder / "conf").write_text("MyCall N0CALL\nMyEmail a@example.com\nSoundChannels both\nSoundLevelLog 0\n")
    # Both channels of the sound are the same: those of one count.
    return sentences(heard_by_a(said(["gnuais", "-c", folder / "conf", "-l", folder / "x.raw", "-e", "DEBUG", "-o", "stderr"], timeout=120)))


@in_scratch
def multimon(folder, samples, rate_hz, mode):
    """What it prints, line by line, as often as it does; sox gives it the rate that it wants."""
    write_wav(folder / "x.wav", samples, rate_hz)
    text = said(["multimon-ng", "-q", "-t", "wav", "-A" if mode == "AFSK1200" else "-m", "-a", mode, folder / "x.wav"])
    return [line.split(": ", 1)[1].strip() for line in text.splitlines() if ": " in line]


def multimon_ax25(samples, rate_hz):
    """The frames of `signals.ax25` by their text."""
    head = (call(b"APRS", 0) + call(b"N0CALL", 1) + b"\x03\xf0").hex()
    lines = multimon(samples, rate_hz, "AFSK1200")
    return Counter(head + line.split(":", 1)[1].encode().hex() for line in lines if line.startswith("N0CALL>APRS:"))


def call(text, end):
    """A call sign as AX.25 has it."""
    return bytes(c << 1 for c in text.ljust(6)) + bytes([0x60 | end])


@in_scratch
def rtl_433(folder, samples, rate_hz, frequency_hz=433.92e6):
    write_cu8(folder / "x.cu8", samples)
    command = ["rtl_433", "-s", int(rate_hz), "-f", int(frequency_hz), "-r", folder / "x.cu8", "-F", "json", "-M", "time:rel"]
    return [json.loads(line) for line in said(command).splitlines() if line.startswith("{")]


@in_scratch
def jt9(folder, samples, rate_hz, mode="-8", period_s=15):
    """The words of messages; samples are slots of `period_s`."""
    step = int(period_s * rate_hz)
    names = []
    for n in range(len(samples) // step):
        names.append(f"000000_{n // 4:04d}{n % 4 * 15:02d}.wav")
        write_wav(folder / names[-1], samples[n * step : (n + 1) * step], rate_hz)
    text = said(["jt9", mode, "-d", "3", "-p", str(period_s), *names], cwd=folder)
    return Counter(line[24:].split("  ")[0].strip() for line in text.splitlines() if re.match(r"^\d{6} ", line))


@in_scratch
def gr_satellites(folder, samples, rate_hz, satellite):
    write_wav(folder / "x.wav", samples, rate_hz)
    program = shutil.which("gr_satellites")
    python = Path(program).read_text().splitlines()[0].removeprefix("#!").split()
    command = [*python, "-c", GR_SATELLITES, program, satellite, "--wavfile", folder / "x.wav"]
    text = said([*command, "--samp_rate", int(rate_hz), "--hexdump"])
    found = []
    for part in text.split("***** VERBOSE PDU DEBUG PRINT ******")[1:]:
        length = re.search(r"pdu length = +(\d+) bytes", part)
        digits = "".join(re.findall(r"^[0-9a-f]{4}: ((?:[0-9a-f]{2} ?)+)", part, re.MULTILINE)).replace(" ", "")
        if length and len(digits) == 2 * int(length[1]):
            found.append(digits)
    return Counter(found)


@in_scratch
def dump1090(folder, samples, rate_hz):
    write_cu8(folder / "x.cu8", samples)
    text = said(["dump1090-mutability", "--ifile", folder / "x.cu8", "--iformat", "UC8", "--raw", "--no-fix"])
    return Counter(line.strip("*;").lower() for line in text.splitlines() if line.startswith("*"))
