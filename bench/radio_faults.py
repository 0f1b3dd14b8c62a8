"""What a proxy keeps from a client of rtl_tcp, against what the client says that it has lost.

    python bench/radio_faults.py target/release/superhet --minutes 10

A radio is played at 2.4 MHz: a process gives sample `n` at `n / rate` by the clock, from random ones over and over, and catches up
where the machine has kept it waiting, as a radio's own buffers do. `superhet` serves them by rtl_tcp. (The pace of `superhet serve` would
not do: it leaves out what a stall of 100 ms has cost, as if the radio's clock had stood still.) Between that server and the client is a
proxy that cuts the connection every 1 to 12 seconds, greets wrongly in four of ten attempts to come back, and holds samples up for 20
to 200 ms now and then. It finds what it passes on among the random samples, so it knows how many each cut has cost, and how many the
server has dropped within a connection because the proxy was too slow.

Prints one JSON object. It ends with 1 where a sample or a gap is missing or too many, or where the lengths of the gaps differ from the
proxy's in sum by more than 1 %. Errors of single gaps are given in milliseconds.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

RATE_HZ = 2.4e6
BLOCK = 4096  # samples; each is known by its first bytes
BLOCKS = 5000
MARK = 16
LIES = [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"RTL0\0", bytes(range(128, 192))]
EVERY_S = 0.005


def play(data, pipe):
    """Writes the samples by the clock, for ever: each when the radio has taken it."""
    period, given, start = len(data) // 2, 0, time.monotonic()
    while True:
        taken = int((time.monotonic() - start) * RATE_HZ)
        while given < taken:
            first = given % period
            n = min(taken - given, period - first, 1 << 16)
            given += os.write(pipe, data[2 * first : 2 * (first + n)]) // 2
        time.sleep(EVERY_S)


class Proxy:
    """Passes samples on, badly, and counts."""

    def __init__(self, upstream, data):
        self.upstream = upstream
        self.period = len(data) // 2
        self.blocks = {data[at : at + MARK]: at // 2 for at in range(0, len(data), 2 * BLOCK)}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.counts = dict.fromkeys(("passed", "cuts", "lies", "delays"), 0)
        self.lost = []  # in each cut
        self.dropped = []  # by the server, within each connection
        self.end = None  # the sample behind the last one that was passed on, and when that was

    def run(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            client, _ = self.listener.accept()
            if self.end and random.random() < 0.4:
                self.counts["lies"] += 1
                client.sendall(random.choice(LIES))
                client.close()
            else:
                self.serve(client)

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.upstream))
        client.sendall(server.recv(12, socket.MSG_WAITALL))
        head, tail, passed, first = b"", b"", 0, None
        until = time.monotonic() + random.uniform(1, 12)
        while time.monotonic() < until:
            piece = server.recv(random.choice((1000, 4097, 65536)))
            first = first or time.monotonic()
            head += piece[: 5 * BLOCK - len(head)]
            client.sendall(piece)
            passed += len(piece)
            tail = (tail + piece)[-5 * BLOCK :]
            if random.random() < 0.002:
                self.counts["delays"] += 1
                time.sleep(random.uniform(0.02, 0.2))
        end = time.monotonic()
        server.close()
        tail = tail[(passed - len(tail)) % 2 :]
        self.count(self.position(head), first, passed // 2, self.position(tail) + len(tail) // 2, end)
        # What the client has said must be read, or closing would cost it what is on its way.
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass
        client.close()

    def position(self, piece):
        """Where among the samples these bytes are."""
        at = next(at for at in range(0, len(piece), 2) if piece[at : at + MARK] in self.blocks)
        return (self.blocks[piece[at : at + MARK]] - at // 2) % self.period

    def count(self, start, came, passed, end, went):
        if self.end:
            lost = (start - self.end[0]) % self.period
            turns = round(((came - self.end[1]) * RATE_HZ - lost) / self.period)
            self.lost.append(lost + turns * self.period)
            self.counts["cuts"] += 1
        self.dropped.append((end - start - passed) % self.period)
        self.end = (end % self.period, went)
        self.counts["passed"] += passed


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def start_server(superhet, pipe):
    """A server of rtl_tcp for what comes by the pipe, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    graph = f"file_source path=- format=cu8 output=raw -> rtl_tcp_sink port={port} input=raw"
    server = subprocess.Popen([superhet, "run", "-e", graph], stdin=pipe, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server, port
        except ConnectionRefusedError:
            time.sleep(0.05)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("superhet")
    arguments.add_argument("--minutes", type=float, default=10)
    arguments = arguments.parse_args()
    data = os.urandom(2 * BLOCK * BLOCKS)
    reading, writing = os.pipe()
    radio = multiprocessing.Process(target=play, args=(data, writing), daemon=True)
    radio.start()
    server, port = start_server(arguments.superhet, reading)
    proxy = Proxy(port, data)
    place = proxy.listener.getsockname()[1]
    graph = f"rtl_tcp_source port={place} rate_hz={RATE_HZ} output=raw -> null_sink item=cu8"
    with tempfile.TemporaryDirectory() as folder:
        report, log = os.path.join(folder, "report.json"), os.path.join(folder, "log")
        with open(log, "w") as said:
            client = subprocess.Popen(
                [arguments.superhet, "run", "-e", graph, "--report-json", report],
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, "SUPERHET_LOG": "info"},
            )
        memory = []
        watch = threading.Thread(target=proxy.run, args=(60 * arguments.minutes,))
        watch.start()
        while watch.is_alive():
            memory.append(resident(client.pid))
            watch.join(1)
        time.sleep(1)
        client.send_signal(signal.SIGINT)
        client.wait()
        server.kill()
        radio.kill()
        with open(report) as file:
            source = next(block for block in json.load(file)["blocks"] if block["name"] == "rtl_tcp_source")
        with open(log) as file:
            gaps = [int(found) for found in re.findall(r"is back, (\d+) samples are missing", file.read())]
    # What the server has dropped within a connection is missing in the gap behind it.
    lost = [cut + dropped for cut, dropped in zip(proxy.lost, proxy.dropped)]
    errors = sorted((gap - cut) / RATE_HZ * 1e3 for gap, cut in zip(gaps, lost))
    result = {
        "proxy": {**proxy.counts, "lost": sum(proxy.lost), "dropped_by_server": sum(proxy.dropped)},
        "client": {"items": source["outputs"][0]["items"], "gaps": source["gaps"], "lost": source["lost_items"]},
        "too_long_percent": round(100 * (source["lost_items"] / max(sum(lost), 1) - 1), 3),
        "gap_error_ms": {"least": errors[0], "median": statistics.median(errors), "most": errors[-1]} if errors else None,
        "memory_kib": {"after_a_tenth": memory[len(memory) // 10], "at_most": max(memory)},
    }
    print(json.dumps(result, indent=1))
    counts_are_right = source["outputs"][0]["items"] == proxy.counts["passed"] and source["gaps"] == proxy.counts["cuts"]
    raise SystemExit(not (counts_are_right and abs(result["too_long_percent"]) <= 1))


if __name__ == "__main__":
    main()
