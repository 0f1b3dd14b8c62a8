"""Graphs as pictures, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 150, 44, 50, 18, 10


def columns(names: list[str], edges: list[tuple[str, str]]) -> dict[str, int]:
    """How far each block lies from a source; loops are cut where they close."""
    place = dict.fromkeys(names, 0)
    for _ in names:
        moved = False
        for source, sink in edges:
            if source != sink and place[sink] < place[source] + 1 < len(names):
                place[sink] = place[source] + 1
                moved = True
        if not moved:
            break
    return place


def graph(blocks: list[tuple[str, Any]], edges: list[tuple[str, str]]) -> str:
    """An SVG with a box for each block, and an arrow for each connection."""
    column = columns([name for name, _ in blocks], edges)
    rows: dict[int, int] = {}
    corner: dict[str, tuple[int, int]] = {}
    for name, _ in blocks:
        at = column[name]
        row = rows.get(at, 0)
        rows[at] = row + 1
        corner[name] = (MARGIN + at * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y))
    width = MARGIN * 2 + (max(rows, default=0) + 1) * (WIDTH + GAP_X) - GAP_X
    height = MARGIN * 2 + max(rows.values(), default=1) * (HEIGHT + GAP_Y) - GAP_Y
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
    ]
    for source, sink in edges:
        (x, y), (to_x, to_y) = corner[source], corner[sink]
        x, y, to_y = x + WIDTH, y + HEIGHT // 2, to_y + HEIGHT // 2
        middle = (x + to_x) // 2
        parts.append(
            f'<path d="M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}" fill="none" stroke="#555"'
            ' marker-end="url(#tip)"/>'
        )
    for name, block in blocks:
        x, y = corner[name]
        kind = block.kind if block.kind != name else ""
        title_y = y + (HEIGHT // 2 - 3 if kind else HEIGHT // 2 + 5)
        parts.append(
            f'<g><title>{escape(repr(block))}</title><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"'
            f' fill="#eef3fa" stroke="#4a6fa5"/>'
            f'<text x="{x + WIDTH // 2}" y="{title_y}" text-anchor="middle" font-size="13">{escape(name[:20])}</text>'
        )
        if kind:
            parts.append(
                f'<text x="{x + WIDTH // 2}" y="{y + HEIGHT - 9}" text-anchor="middle" font-size="11"'
                f' fill="#666">{escape(kind[:24])}</text>'
            )
        parts.append("</g>")
    return "".join(parts) + "</svg>"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in HTML."""

    def row(cells: tuple[str, ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + row(head, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"


def pictures(draw: list[Any]) -> str:
    """What each of some functions draws into axes, beside each other in HTML; nothing where matplotlib is not installed."""
    import base64
    import io

    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Not through pyplot: no window opens, and no figure is kept.
    figure = Figure(figsize=(5 * len(draw), 3.2), layout="constrained")
    for axes, one in zip(figure.subplots(1, len(draw), squeeze=False)[0], draw):
        one(axes)
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=80)
    return f'<img src="data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}">'
