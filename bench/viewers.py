"""What viewers of the dashboard cost a graph, and whether they lose samples.

    python bench/viewers.py target/release/superhet --rounds 5

Graphs: `chain`, four saxpys between a source of zeros and a sink that drops all, as fast as it goes; `receiver`, the graph of
`superhet bench receiver`; `paced`, the same receiver at 2.4 MHz; each on as many workers as are given, one by default. In each round each
graph runs without a dashboard, with one that nobody looks at, with a tap that nobody reads, with one viewer and with eight, of whom the last
never reads. A viewer has the metrics, and of one stream a spectrum of 1024 bins and a waterfall, 25 rows a second each. All runs of a round follow each other;
figures are medians over the rounds of

  rate       items of the source a second, against the run without a dashboard in the same round
  dashboard  time of the dashboard's thread, in per cent of a core
  graph      time of all other threads, in per cent of a core
  viewers    time of the viewers, which this process is, in per cent of a core: they want processors, too
  rows       rows a second that a viewer who reads has got
  lost       samples that the source gave and the first block did not take, gaps and drops of all blocks

Prints a table, or one JSON object with --json. It ends with 1 where samples were lost.
"""

import argparse
import base64
import json
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

VIEWERS = (None, 0, "tap", 1, 8)
NAMES = {None: "no dashboard", "tap": "tap, 0 viewers"}
TAPS = "[" + ", ".join(["0.015625"] * 64) + "]"


def noise(n):
    """Pairs of numbers from -1 to 1, by the generator of `superhet bench receiver`."""
    state, values = 1, []
    for _ in range(2 * n):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append((state >> 40) / 2**23 - 1.0)
    return list(zip(values[::2], values[1::2]))


def graph_file(blocks):
    """A graph file of blocks that follow each other."""
    text = 'connections = ["' + " -> ".join(name for name, _, _ in blocks) + '"]\n'
    for name, kind, parameters in blocks:
        text += f'[blocks.{name}]\ntype = "{kind}"\n' + "".join(f"{key} = {value}\n" for key, value in parameters.items())
    return text


def graphs():
    """For each graph: its blocks, the stream that is looked at, and whether it is paced."""
    saxpys = [(f"saxpy{n}", "saxpy", {"gain": 1.0001, "offset": 0.25}) for n in range(4)]
    chain = [("source", "null_source", {"item": '"f32"'}), *saxpys, ("sink", "null_sink", {"item": '"f32"'})]
    values = "[" + ", ".join(f"[{re:.6f}, {im:.6f}]" for re, im in noise(1 << 14)) + "]"
    source = ("source", "vector_source", {"values": values, "repeat": "true"})
    receiver = [
        ("filter", "fir_filter", {"taps": TAPS}),
        ("demod", "quadrature_demod", {}),
        ("decimate", "fir_filter", {"item": '"f32"', "taps": TAPS, "decimation": 10}),
        ("magnitude", "abs", {}),
        ("sink", "null_sink", {"item": '"f32"'}),
    ]
    pace = ("pace", "throttle", {"rate_hz": 2.4e6})
    return {
        "chain": (chain, "saxpy1.out>saxpy2.in"),
        "receiver": ([source, *receiver], "filter.out>demod.in"),
        "paced": ([source, pace, *receiver], "filter.out>demod.in"),
    }


class Viewer:
    """A page that looks at one stream, by its WebSocket."""

    def __init__(self, port, stream, reads):
        self.rows, self.open, self.reads = 0, True, reads
        self.socket = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /api/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(1)
        assert b" 101 " in head, head
        self.say({"op": "watch", "graph": 1})
        for view in ("spectrum", "waterfall"):
            tap = {"graph": 1, "stream": stream, "view": view, "bins": 1024, "rate": 25}
            self.say({"op": "tap", "tap": tap, "ref": view})
        self.thread = threading.Thread(target=self.read)
        if reads:
            self.thread.start()

    def say(self, message):
        data = json.dumps(message).encode()
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[n % 4] for n, byte in enumerate(data))
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + length + mask + masked)

    def take(self, n):
        data = self.socket.recv(n, socket.MSG_WAITALL)
        if len(data) < n:
            raise ConnectionError
        return data

    def read(self):
        try:
            while self.open:
                kind, length = self.take(2)
                if length == 126:
                    length = struct.unpack(">H", self.take(2))[0]
                elif length == 127:
                    length = struct.unpack(">Q", self.take(8))[0]
                data = self.take(length)
                if kind & 15 == 2:
                    self.rows += 1
                elif kind & 15 == 1 and b'"op":"error"' in data:
                    print(data.decode(), file=sys.stderr)
        except OSError:
            pass

    def close(self):
        self.open = False
        self.socket.shutdown(socket.SHUT_RDWR)
        if self.reads:
            self.thread.join()
        self.socket.close()


def put_tap(port, stream):
    """Has a tap in the stream that nobody reads."""
    tap = json.dumps({"graph": 1, "stream": stream, "view": "spectrum", "bins": 1024}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/taps", tap, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).read()


def times(pid):
    """Seconds of processor of the dashboard's thread, and of all others."""
    tick, dashboard, others = os.sysconf("SC_CLK_TCK"), 0, 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat") as file:
            name, fields = re.match(r"\d+ \((.*)\) (.*)", file.read()).groups()
        used = sum(map(int, fields.split()[11:13])) / tick
        if name.startswith("superhet-dashb"):
            dashboard += used
        else:
            others += used
    return dashboard, others


def run(arguments, path, stream, viewers, seconds):
    report = path + ".json"
    command = [arguments.superhet, "run", path, "--workers", str(arguments.workers), "--report-json", report]
    if viewers is not None:
        command.append("--dashboard=0")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    looking = []
    if viewers is not None:
        port = int(re.search(r":(\d+)/", process.stderr.readline()).group(1))
        time.sleep(0.3)
        if viewers == "tap":
            put_tap(port, stream)
        else:
            looking = [Viewer(port, stream, reads=n < 7) for n in range(viewers)]
    time.sleep(0.7)
    before, start, rows = times(process.pid), time.monotonic(), sum(viewer.rows for viewer in looking)
    viewed = [time.process_time()]
    time.sleep(seconds)
    after, took = times(process.pid), time.monotonic() - start
    viewed.append(time.process_time())
    rows = sum(viewer.rows for viewer in looking) - rows
    process.send_signal(signal.SIGINT)
    process.wait()
    for viewer in looking:
        viewer.close()
    with open(report) as file:
        report = json.load(file)
    source = next(block for block in report["blocks"] if block["name"] == "source")
    taker = next(block for block in report["blocks"] if block["name"] in ("saxpy0", "filter"))
    given, taken = source["outputs"][0]["items"], taker["inputs"][0]["items"] + taker["inputs"][0]["fill_items"]
    counted = sum(block["lost_items"] + block["dropped_messages"] + block["dropped_packets"] for block in report["blocks"])
    return {
        "rate": given / report["elapsed_s"],
        "dashboard": 100 * (after[0] - before[0]) / took,
        "graph": 100 * (after[1] - before[1]) / took,
        "viewers": 100 * (viewed[1] - viewed[0]) / took,
        "rows": rows / took / max(sum(viewer.reads for viewer in looking), 1),
        "lost": given - taken + counted,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("superhet")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="how long each run is looked at")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--graph", choices=list(graphs()), action="append")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results, lost = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (blocks, stream) in graphs().items():
            if arguments.graph and name not in arguments.graph:
                continue
            path = os.path.join(folder, f"{name}.toml")
            with open(path, "w") as file:
                file.write(graph_file(blocks))
            rounds = [
                {viewers: run(arguments, path, stream, viewers, arguments.seconds) for viewers in VIEWERS}
                for _ in range(arguments.rounds)
            ]
            lost += sum(case["lost"] for one in rounds for case in one.values())
            for viewers in VIEWERS:
                cases = [one[viewers] for one in rounds]
                figures = {key: statistics.median(case[key] for case in cases) for key in cases[0]}
                ratios = [one[viewers]["rate"] / one[None]["rate"] for one in rounds]
                results[f"{name}, {NAMES.get(viewers, f'{viewers} viewers')}"] = {
                    **figures,
                    "ratio": statistics.median(ratios),
                    "ratios": [round(ratio, 4) for ratio in ratios],
                }
    if arguments.json:
        print(json.dumps(results, indent=1))
    else:
        print(f"{'':24}{'Mitems/s':>10}{'ratio':>8}{'dashboard':>11}{'graph':>8}{'viewers':>9}{'rows/s':>8}{'lost':>6}")
        for name, one in results.items():
            print(
                f"{name:24}{one['rate'] / 1e6:10.2f}{one['ratio']:8.4f}{one['dashboard']:9.2f} %{one['graph']:6.0f} %"
                f"{one['viewers']:7.1f} %{one['rows']:8.1f}{one['lost']:6.0f}"
            )
    raise SystemExit(lost > 0)


if __name__ == "__main__":
    main()
