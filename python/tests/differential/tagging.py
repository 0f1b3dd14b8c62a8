"""Tags put on streams, taken off, and kept in files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from .arithmetic import BLOCKS
from .averages import power
from .draw import ALL, Draw
from .driver import Case, Result, define


def stream(**params):
    def draw(d: Draw) -> Case:
        item = d.one(*ALL)
        return Case({"item": item, **{name: value(d) for name, value in params.items()}}, [d.items(item)])

    return draw


def placed(d: Draw, most: int = 1500) -> list[dict]:
    return [{"index": index, "key": key, "value": value} for index, key, value in d.tags(most)]


@define(
    "tag_adder",
    source=BLOCKS + "tags_strobe and tag placement: on given items, and on every n-th from one on",
    draw=stream(
        tags=lambda d: json.dumps(placed(d)),
        every=lambda d: d.one(0, d.few(1, 100)),
        from_=lambda d: 0,
        key=lambda d: d.one("tag", "t"),
        value=lambda d: d.one(True, 3, "x"),
    ),
)
def tag_adder(p, x, tags):
    given = [(tag["index"], tag["key"], tag["value"]) for tag in json.loads(p.tags)]
    strobes = [(n, p.key, p.value) for n in range(0, len(x), p.every)] if p.every else []
    return Result([x], [tags[0] + given + [tag for tag in strobes if tag[0] >= p.from_]])


@define(
    "tag_gate",
    source=BLOCKS + "tag_gate",
    draw=stream(propagate_tags=lambda d: d.one(True, False), key=lambda d: d.one("", "a")),
)
def tag_gate(p, x, tags):
    return Result([x], [[tag for tag in tags[0] if p.propagate_tags or (p.key and tag[1] != p.key)]])


def sharing(d: Draw) -> Case:
    item, share, count = d.one(*ALL), d.one("as item", "C32", "f32", "u8"), d.length()
    return Case(
        {"item": item, "share_item": share},
        [d.items(item, count), d.items(item if share == "as item" else share, count)],
    )


@define("tag_share", source=BLOCKS + "tag_share", draw=sharing)
def tag_share(p, x, shared, tags):
    return Result([x], [tags[0] + tags[1]])


def bursts(d: Draw) -> Case:
    item = d.one("C32", "f32")
    x = d.ordinary(item)
    x *= np.repeat(d.random.random(len(x)) < 0.5, 13)[: len(x)]
    threshold = d.one(0.1, d.real(0.01, 1))
    params = {
        "key": d.one("burst", "x"),
        "threshold": threshold,
        "threshold_off": d.one(0.0, threshold * d.real(0.1, 1)),
        "min_length": d.few(1, 30),
        "hold": d.few(1, 30),
    }
    return Case({"item": item, **params}, [x])


@define("burst_tagger", source=BLOCKS + "burst_tagger, by the power of the stream", draw=bursts)
def burst_tagger(p, x, tags):
    """From an item with the threshold's power up to the first of `hold` items in a row below the other, or fewer at the stream's
    end; shorter ones are none."""
    level, off, n, found = power(x), p.threshold_off or p.threshold, 0, []
    while n < len(x):
        if level[n] < p.threshold:
            n += 1
            continue
        end = n
        while end < len(x) and not np.all(level[end : end + p.hold] < off):
            end += 1
        found += [(n, p.key, True), (end, p.key, False)] if end - n >= p.min_length else []
        n = max(end, n + 1)
    return Result([x], [tags[0] + found])


def with_file(**params):
    def draw(d: Draw) -> Case:
        case = stream(**params)(d)
        return Case({**case.params, "path": str(Path(d.folder, "tags.jsonl"))}, case.inputs)

    return draw


def lines(tags, key):
    return [
        {"index": index, "key": name, "value": value, "source": "vector_source"}
        for index, name, value in tags
        if not key or name == key
    ]


@define(
    "tags_to_file",
    source="JSON, one tag a line, as tags_from_file reads it",
    draw=with_file(key=lambda d: d.one("", "a")),
)
def tags_to_file(p, x, tags):
    return Result(files={p.path: lines(tags[0], p.key)})


@define("tag_debug", source=BLOCKS + "tag_debug, as JSON", draw=with_file(key=lambda d: d.one("", "a")))
def tag_debug(p, x, tags):
    return Result(files={p.path: lines(tags[0], p.key)})


def filed(d: Draw) -> Case:
    case = with_file()(d)
    tags = placed(d)
    d.random.shuffle(tags)
    Path(case.params["path"]).write_text("".join(json.dumps(tag) + "\n" for tag in tags), encoding="utf-8")
    return case


@define("tags_from_file", source="JSON, one tag a line, as tags_to_file writes it", draw=filed)
def tags_from_file(p, x, tags):
    given = [json.loads(line) for line in Path(p.path).read_text(encoding="utf-8").splitlines()]
    return Result([x], [tags[0] + [(tag["index"], tag["key"], tag["value"]) for tag in given]])


@define(
    "message_debug",
    source=BLOCKS + "message_debug, as JSON",
    draw=lambda d: Case(
        {"path": str(Path(d.folder, "messages.jsonl"))},
        packets=[d.one(7, "text", 1.5, [1, 2], {"a": True}) for _ in range(d.few(1, 20))],
    ),
)
def message_debug(p, packets):
    return Result(files={p.path: packets})
