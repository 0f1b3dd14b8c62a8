"""What a proxy keeps from a client of rtl_tcp, against what the client says that it has lost.

    python bench/radio_faults.py target/release/superhet --minutes 10

Random samples are served over and over at 2.4 MHz. Between the server and the client is a proxy that cuts the connection every 1 to 12
seconds, greets wrongly in four of ten attempts to come back, and holds samples up for 20 to 200 ms now and then. It finds what it
passes on in the file, so it knows the number of samples that each cut has cost. Prints one JSON object.
"""

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

RATE_HZ = 2.4e6
BLOCK = 4096  # samples; each is known by its first bytes
BLOCKS = 5000
MARK = 16
LIES = [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"RTL0\0", bytes(range(128, 192))]


class Proxy:
    """Passes samples on, badly, and counts."""

    def __init__(self, upstream, data):
        self.upstream = upstream
        self.period = len(data) // 2
        self.blocks = {data[at : at + MARK]: at // 2 for at in range(0, len(data), 2 * BLOCK)}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.counts = dict.fromkeys(("passed", "cuts", "lies", "delays", "lost"), 0)
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
        head, passed, first = b"", 0, None
        until = time.monotonic() + random.uniform(1, 12)
        while time.monotonic() < until:
            piece = server.recv(random.choice((1000, 4097, 65536)))
            first = first or time.monotonic()
            head += piece[: 5 * BLOCK - len(head)]
            client.sendall(piece)
            passed += len(piece)
            if random.random() < 0.002:
                self.counts["delays"] += 1
                time.sleep(random.uniform(0.02, 0.2))
        self.count(self.position(head), first, passed // 2)
        server.close()
        # What the client has said must be read, or closing would cost it what is on its way.
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass
        client.close()

    def position(self, head):
        """Where in the file these bytes are."""
        at = next(at for at in range(0, len(head), 2) if head[at : at + MARK] in self.blocks)
        return (self.blocks[head[at : at + MARK]] - at // 2) % self.period

    def count(self, start, when, passed):
        if self.end:
            lost = (start - self.end[0]) % self.period
            turns = round(((when - self.end[1]) * RATE_HZ - lost) / self.period)
            self.counts["lost"] += lost + turns * self.period
            self.counts["cuts"] += 1
        self.end = ((start + passed) % self.period, time.monotonic())
        self.counts["passed"] += passed


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("superhet")
    arguments.add_argument("--minutes", type=float, default=10)
    arguments = arguments.parse_args()
    folder = tempfile.TemporaryDirectory()
    recording = os.path.join(folder.name, "random.cu8")
    report = os.path.join(folder.name, "report.json")
    data = os.urandom(2 * BLOCK * BLOCKS)
    with open(recording, "wb") as file:
        file.write(data)
    serve = [arguments.superhet, "serve", recording, "--rate", str(RATE_HZ), "--repeat", "--rtl-tcp", "127.0.0.1:0"]
    server = subprocess.Popen(serve, stderr=subprocess.PIPE, text=True)
    port = int(server.stderr.readline().split("rtl_tcp://")[1].split(",")[0].split(":")[1])
    threading.Thread(target=server.stderr.read, daemon=True).start()
    proxy = Proxy(port, data)
    place = proxy.listener.getsockname()[1]
    graph = f"rtl_tcp_source port={place} rate_hz={RATE_HZ} output=raw -> null_sink item=cu8"
    client = subprocess.Popen(
        [arguments.superhet, "run", "-e", graph, "--report-json", report], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
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
    with open(report) as file:
        source = next(block for block in json.load(file)["blocks"] if block["name"] == "rtl_tcp_source")
    result = {
        "proxy": proxy.counts,
        "client": {"items": source["outputs"][0]["items"], "gaps": source["gaps"], "lost": source["lost_items"]},
        "memory_kib": {"after_a_tenth": memory[len(memory) // 10], "at_most": max(memory)},
    }
    print(json.dumps(result, indent=1))
    is_right = result["client"]["items"] == proxy.counts["passed"] and source["gaps"] == proxy.counts["cuts"]
    raise SystemExit(not is_right)


if __name__ == "__main__":
    main()
