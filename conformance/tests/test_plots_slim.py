"""Plots of the site are written shorter: the same picture, to a twentieth of a point."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from firstflight_conformance.cases.vectors import load
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.plots.slim import slim, slim_plots
from firstflight_conformance.plots.vectors import plot_vector

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The plot of a vector with windows, bins and differences, as matplotlib writes it."""
    path = tmp_path_factory.mktemp("plot") / "plot.svg"
    plot_vector(load(sorted((VECTORS / "search").glob("exit.*.json"))[0]), path)
    return path.read_text("utf-8")


def points(path: str) -> list[Point]:
    """Return where a path goes, without places at which it stays."""
    found: list[Point] = []
    at: Point = (0.0, 0.0)
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [float(word) for word in text.split()]
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
        if not found or rounded != found[-1]:
            found.append(rounded)
    return found


def elements(text: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter(SVG + name))


def test_nothing_moves(drawn: str) -> None:
    """Each path, mark and text is where it was, in the same order."""
    short = slim(drawn)
    for before, after in zip(elements(drawn, "path"), elements(short, "path"), strict=True):
        moved = [
            max(abs(a - b) for a, b in zip(one, other, strict=True))
            for one, other in zip(points(before.attrib["d"]), points(after.attrib["d"]), strict=True)
        ]
        assert max(moved) < 0.101
    for name in ("use", "text"):
        pairs = list(zip(elements(drawn, name), elements(short, name), strict=True))
        assert len(pairs) > 10
        for before, after in pairs:
            assert before.text == after.text or not (before.text or "").strip()
            for place in set("xy") & before.attrib.keys():
                assert abs(float(before.attrib[place]) - float(after.attrib[place])) < 0.051
            turned = before.get("transform", "rotate(-0 ")
            assert turned.startswith("rotate(-0 ") or turned == after.get("transform")


def test_every_style_is_kept(drawn: str) -> None:
    """The class of an element says what its style said."""
    short = slim(drawn)
    rules = dict(re.findall(r"\.(s\d+)\{([^}]*)\}", short))
    for name in ("path", "use", "text"):
        for before, after in zip(elements(drawn, name), elements(short, name), strict=True):
            style = re.sub(r"(font-family: '[^']+'),[^;]*, sans-serif", r"\1,sans-serif", before.attrib["style"])
            assert rules[after.attrib["class"]].replace(":", ": ").replace(";", "; ") == style


def test_what_is_referred_to_is_there(drawn: str) -> None:
    short = slim(drawn)
    named = set(re.findall(r' id="([^"]+)"', short))
    assert named == set(re.findall(r'(?:href="#|url\(#)([\w-]+)', short)) and named


def test_a_folder_is_written_once(drawn: str, tmp_path: Path) -> None:
    """In less than half of the bytes; a second time nothing happens."""
    path = tmp_path / "group" / "plot.svg"
    path.parent.mkdir()
    path.write_text(drawn, "utf-8")
    slim_plots(tmp_path)
    short = path.read_text("utf-8")
    assert short == slim(drawn) and 2 * len(short) < len(drawn)
    slim_plots(tmp_path)
    assert path.read_text("utf-8") == short
