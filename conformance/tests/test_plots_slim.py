"""Plots of the site are shortened without a change to the picture beyond a twentieth of a point."""

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from firstflight_conformance.format.vectors import load
from firstflight_conformance.paths import VECTORS
from plots.slim import slim, slim_plots
from plots.vectors import plot_vector

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the plot of a vector with windows, bins and differences, as matplotlib writes it."""
    path = tmp_path_factory.mktemp("plot") / "plot.svg"
    plot_vector(load(sorted((VECTORS / "search").glob("exit.*.json"))[0]), path)
    return path.read_text("utf-8")


@cache
def root_of(text: str) -> ET.Element:
    """Return the root of a plot; elements without a class get the class of their group."""
    root = ET.fromstring(text)
    for group in root.iter(SVG + "g"):
        for child in group:
            child.attrib.setdefault("class", group.get("class", ""))
    return root


@cache
def rules_of(text: str) -> list[tuple[list[str], str]]:
    """Return the rules of a plot's style, with the classes that they apply to."""
    return [(names.split(","), rule) for names, rule in re.findall(r"([^{}<>]*)\{([^}]*)\}", text)]


def points(path: str) -> list[Point]:
    """Return the points where a path turns, without repeated points and points on a straight line along an axis."""
    corners: list[Point] = []
    at: Point = (0.0, 0.0)
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [float(word) for word in re.findall(r"-?[\d.]+", text)]
        if command == "h":
            at = (at[0] + numbers[0], at[1])
        elif command == "v":
            at = (at[0], at[1] + numbers[0])
        elif command == "l":
            at = (at[0] + numbers[0], at[1] + numbers[1])
        else:
            assert command in "MLzCQ"
            at = at if command == "z" else (numbers[-2], numbers[-1])
        rounded = (round(at[0], 1), round(at[1], 1))
        if not corners or rounded != corners[-1]:
            if command in "hvL" and len(corners) > 1 and goes_on(*corners[-2:], rounded):
                del corners[-1]
            corners.append(rounded)
    return corners


def goes_on(first: Point, second: Point, third: Point) -> bool:
    """Return whether a line along an axis continues in the same direction."""
    steps = [(b - a, c - b) for a, b, c in zip(first, second, third, strict=True)]
    return any(step == (0, 0) and other[0] * other[1] > 0 for step, other in (steps, steps[::-1]))


def elements(text: str, name: str) -> list[ET.Element]:
    """Return the drawn elements of a name, without the shapes of marks."""
    root = root_of(text)
    shapes = {shape for definitions in root.iter(SVG + "defs") for shape in definitions}
    return [element for element in root.iter(SVG + name) if element not in shapes]


def shape_of(text: str, use: ET.Element) -> ET.Element:
    """Return the shape of a mark."""
    name = (use.get("href") or use.attrib["{http://www.w3.org/1999/xlink}href"]).removeprefix("#")
    return next(element for element in root_of(text).iter(SVG + "path") if element.get("id") == name)


def parts(text: str) -> list[tuple[ET.Element, str]]:
    """Return every subpath with its element: several paths may have been merged into one."""
    return [(path, part) for path in elements(text, "path") for part in re.findall("M[^M]*", path.attrib["d"])]


def furthest(before: str, after: str) -> float:
    """Return the largest distance, along an axis, between the points of two paths."""
    pairs = zip(points(before), points(after), strict=True)
    return max(abs(a - b) for point, other in pairs for a, b in zip(point, other, strict=True))


def test_elements_keep_place_and_order(drawn: str) -> None:
    """Each path, mark and text keeps its place and order."""
    short = slim(drawn)
    assert len(parts(short)) > len(elements(short, "path"))
    for (_, path), (_, shorter) in zip(parts(drawn), parts(short), strict=True):
        assert furthest(path, shorter) < 0.101
    for name in ("use", "text"):
        pairs = list(zip(elements(drawn, name), elements(short, name), strict=True))
        assert len(pairs) > 10
        for before, after in pairs:
            assert before.text == after.text or not (before.text or "").strip()
            for place in set("xy") & before.attrib.keys():
                assert abs(float(before.attrib[place]) - float(after.attrib[place])) < 0.051
            was, now = (re.findall(r"[a-z]+|-?[\d.]+", element.get("transform", "")) for element in (before, after))
            if was[:2] != ["rotate", "-0"]:
                assert was[:1] == now[:1]
                assert all(abs(float(a) - float(b)) < 0.051 for a, b in zip(was[1:], now[1:], strict=True))
            if name == "use":
                assert furthest(shape_of(drawn, before).attrib["d"], shape_of(short, after).attrib["d"]) < 0.101


def style_of(text: str, element: ET.Element) -> set[str]:
    """Return the style of an element, including its classes, with the frame that clips it, to a point."""
    mine = [rule for names, rule in rules_of(text) if f".{element.get('class')}" in names]
    style = ";".join((*mine, element.get("style", "")))
    style = re.sub(r"#(.)\1(.)\2(.)\3\b", r"#\1\2\3", re.sub(r": 0(?=\.)", ":", style))
    style = re.sub(r"(font-family: ?'[^']+'),[^;]*sans-serif", r"\1,sans-serif", style).replace(": ", ":")
    parts = {part.strip() for part in style.split(";")} | {f"clip-path:{element.get('clip-path', '')}"}
    declarations = set()
    for part in parts - {"", "clip-path:"}:
        if name := re.fullmatch(r"clip-path:url\(#(.*)\)", part):
            frame = next(
                clip_path for clip_path in root_of(text).iter(SVG + "clipPath") if clip_path.get("id") == name[1]
            )[0]
            declarations.add(
                "clip " + " ".join(f"{float(frame.attrib[size]):.0f}" for size in ("x", "y", "width", "height"))
            )
        else:
            declarations.add(part)
    return declarations - {"stroke-dashoffset:0", "font-family:'DejaVu Sans',sans-serif"}


def test_every_style_is_kept(drawn: str) -> None:
    """The class of an element contains its former style and clip; the font of all text is declared once."""
    short = slim(drawn)
    assert "text{font-family:'DejaVu Sans',sans-serif}" in short
    for (path, _), (shorter, _) in zip(parts(drawn), parts(short), strict=True):
        assert style_of(drawn, path) == style_of(short, shorter)
    for name in ("use", "text"):
        for before, after in zip(elements(drawn, name), elements(short, name), strict=True):
            assert style_of(drawn, before) == style_of(short, after)
            if name == "use":
                assert style_of(drawn, shape_of(drawn, before)) == style_of(short, shape_of(short, after))


def test_marks_of_one_shape_are_drawn_once(drawn: str) -> None:
    shapes = [path for path in root_of(slim(drawn)).iter(SVG + "path") if path.get("id")]
    assert len({(shape.attrib["d"], shape.attrib["class"]) for shape in shapes}) == len(shapes) > 1
    assert "<defs/>" not in slim(drawn)


def test_references_match_ids(drawn: str) -> None:
    short = slim(drawn)
    named = set(re.findall(r' id="([^"]+)"', short))
    assert named == set(re.findall(r'(?:href="#|url\(#)([\w-]+)', short)) and named


def test_slimming_is_idempotent_and_halves_file_size(drawn: str, tmp_path: Path) -> None:
    """The file has less than half of the bytes; a second run changes nothing."""
    path = tmp_path / "group" / "plot.svg"
    path.parent.mkdir()
    path.write_text(drawn, "utf-8")
    slim_plots(tmp_path)
    short = path.read_text("utf-8")
    assert short == slim(drawn) and 2 * len(short) < len(drawn)
    slim_plots(tmp_path)
    assert path.read_text("utf-8") == short
