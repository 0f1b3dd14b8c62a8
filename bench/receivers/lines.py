"""How many lines each receiver's graph file has, and the blocks that it is made of, as a table.

    python3 bench/receivers/lines.py

Lines with nothing but a comment, documentation or nothing are not counted, nor tests. Files of a receiver's own blocks are those of the
folder that the block is in; blocks of the library that many receivers share have none.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
BLOCKS = HERE / "crates/blocks/src"
# Folders with what one receiver is made of, and files in folders that many share.
OWN = {
    "adsb": ["adsb"],
    "ais": ["ais"],
    "ism": ["ism", "demod/pulse_detector.rs", "demod/fsk_pulse_detector.rs"],
    "ft8": ["ft8"],
    "fm": ["fm"],
    "wifi": ["wifi"],
    "wmbus": ["wmbus"],
    "same": ["digital/framing/same_decoder.rs", "demod/afsk_demod.rs"],
    "ax25": ["aprs", "digital/framing/ax25_decode.rs", "digital/framing/hdlc.rs", "digital/framing/hdlc_deframer.rs", "digital/framing/frame_merge.rs", "demod/afsk_hdlc_demod.rs", "packets/kiss_encode.rs"],
    "ax100": ["digital/framing/gomspace_deframer.rs", "digital/framing/gomspace_frame.rs"],
    "funcube": ["digital/framing/ao40_deframer.rs"],
}


def code_lines(path):
    """Lines of code before the tests."""
    text = path.read_text().split("#[cfg(test)]\nmod tests")[0]
    return sum(bool(line.strip()) and not re.match(r"\s*(//|#(?!\[))", line) for line in text.splitlines())


def blocks_of(path):
    return sorted(set(re.findall(r'type = "([a-z0-9_]+)"', path.read_text())))


def own_lines(kind):
    total, protocols = 0, 0
    for place in OWN.get(kind, []):
        paths = [BLOCKS / place] if place.endswith(".rs") else sorted((BLOCKS / place).rglob("*.rs"))
        if not paths or not all(path.exists() for path in paths):
            sys.exit(f"{place}: expected in {BLOCKS}")
        total += sum(code_lines(path) for path in paths if path.name != "tests.rs")
        if not place.endswith(".rs"):
            protocols += sum(code_lines(path) for path in (BLOCKS / place).rglob("*.toml"))
    return total, protocols


def main():
    print("| receiver | lines of its graph file | blocks in it | lines of its own blocks | of its data |")
    print("|---|---|---|---|---|")
    for path in sorted((HERE / "crates/command/receivers").glob("*.toml")):
        total, protocols = own_lines(path.stem)
        blocks = blocks_of(path)
        print(f"| `{path.stem}` | {code_lines(path)} | {len(blocks)} | {total or ''} | {protocols or ''} |")


if __name__ == "__main__":
    main()
