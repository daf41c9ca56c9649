"""Plots as small as they can be for the site: the same picture, written shorter than matplotlib does."""

import re
from collections.abc import Set
from pathlib import Path
from string import ascii_lowercase
from xml.etree import ElementTree as ET

_SVG, _XLINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_LEADING_ZERO = re.compile(r"^(-?)0\.")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_REFERENCE = re.compile(r"^#([\w-]+)$|url\(#([\w-]+)\)")
#: A list of fonts, of which the first and the kind are enough, and what all text has if nothing else is said.
_FONTS = re.compile(r"font-family: ('[^']+'), .*?((?:sans-serif|serif|monospace))(?=;|$)")
_FONT = "font-family:'DejaVu Sans',sans-serif"
#: Text that is not turned.
_LEVEL = re.compile(r"rotate\(-?0 .*\)")


def slim_plots(folder: Path) -> None:
    """Write every plot below a folder again, shorter."""
    for path in folder.rglob("*.svg"):
        text = path.read_text("utf-8")
        if text.startswith("<?xml"):  # else it is short already
            path.write_text(slim(text), "utf-8")


def slim(text: str) -> str:
    """Return an SVG with places to a tenth of a point, each style and mark stated once, and without names that nothing refers to."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(text)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    ids = _names(root)
    classes: dict[str, str] = {}
    for element in root.iter():
        _shorten(element, ids, classes)
    _unwrap(root)
    _merge(root, {name for style, name in classes.items() if "fill:none" in style and "opacity" not in style})
    rule = root.find(f".//{{{_SVG}}}style")
    assert rule is not None
    rules = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    rule.text = f"{rule.text or ''}text{{{_FONT}}}{rules}"
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _names(root: ET.Element) -> dict[str, str]:
    """Return short names for what is referred to; marks of the same shape are one, and the others are taken out."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {name for value in values for found in _REFERENCE.findall(value) for name in found if name}
    ids: dict[str, str] = {}
    shapes: dict[tuple[str, str], str] = {}
    for definitions in root.iter(f"{{{_SVG}}}defs"):
        for mark in definitions.findall(f"{{{_SVG}}}path"):
            shape, name = (mark.attrib["d"], mark.get("style", "")), mark.attrib["id"]
            if shape in shapes:
                definitions.remove(mark)
            ids[name] = shapes.setdefault(shape, f"m{len(shapes)}")
    rest = sorted(used - set(ids))
    return ids | {name: f"i{number}" for number, name in enumerate(rest)}


def _shorten(element: ET.Element, ids: dict[str, str], classes: dict[str, str]) -> None:
    """Shorten the members of one element; its style and what clips it become a class."""
    attributes = element.attrib
    if "id" in attributes and attributes["id"] not in ids:
        del attributes["id"]
    elif "id" in attributes:
        attributes["id"] = ids[attributes["id"]]
    for name, value in attributes.items():
        attributes[name] = _REFERENCE.sub(lambda match: match[0].replace(n := match[1] or match[2], ids[n]), value)
    if _XLINK in attributes:
        attributes["href"] = attributes.pop(_XLINK)
    if _LEVEL.fullmatch(attributes.get("transform", "")):
        del attributes["transform"]
    for name in ("x", "y", "width", "height", "transform"):
        if name in attributes:
            attributes[name] = _tenths(attributes[name])
    if "d" in attributes:
        attributes["d"] = _path(attributes["d"])
    if style := _style(attributes):
        attributes["class"] = classes.setdefault(style, _class_name(len(classes)))
    for part in ("text", "tail"):
        if not (getattr(element, part) or "").strip():
            setattr(element, part, None)


def _style(attributes: dict[str, str]) -> str:
    """Take the style out of the members of an element, with its clip; return it without what holds anyway."""
    style = _FONTS.sub(r"font-family: \1,\2", attributes.pop("style", ""))
    clip = f"clip-path:{attributes.pop('clip-path')}" if "clip-path" in attributes else ""
    parts = [*(part.strip().replace(": ", ":") for part in style.split(";")), clip]
    return ";".join(part for part in parts if part and part not in (_FONT, "stroke-dashoffset:0"))


def _class_name(number: int) -> str:
    """Return a letter, then a letter with a digit and so on: an element has a class more often than anything else."""
    return ascii_lowercase[number % 26] + (str(number // 26) if number >= 26 else "")


def _tenths(text: str) -> str:
    """Return a text with its numbers rounded to tenths."""
    return _NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), text)


def _path(text: str) -> str:
    """Return a path whose lines say how far they go, along an axis by one number; a line that goes nowhere is left out."""
    written: list[str] = []
    at: list[int] = []
    for command, places in _COMMAND.findall(text):
        to = [round(10 * float(place)) for place in places.split()]
        if command != "L" or not at:
            written.append(command + _numbers(to))
        elif to != at:
            by = [to[0] - at[0], to[1] - at[1]]
            name = "h" if by[1] == 0 else "v" if by[0] == 0 else "l"
            written.append(name + _numbers([tenths for tenths in by if tenths]))
        at = to[-2:]
    return "".join(written)


def _numbers(tenths: list[int]) -> str:
    """Return numbers with nothing between them where a sign parts them."""
    words = (f"{number / 10:g}" for number in tenths)
    return " ".join(_LEADING_ZERO.sub(r"\1.", word) for word in words).replace(" -", "-")


def _unwrap(element: ET.Element) -> None:
    """Put the children of a group that says nothing, or of definitions of which none is left, into its place."""
    children: list[ET.Element] = []
    for child in element:
        _unwrap(child)
        says = child.attrib or (len(child) if child.tag == f"{{{_SVG}}}defs" else child.tag != f"{{{_SVG}}}g")
        children += [child] if says else list(child)
    element[:] = children


def _merge(element: ET.Element, lines: Set[str]) -> None:
    """Draw lines of one class, with nothing but text between them, as one path: those of a grid, and the outlines of bins."""
    last: ET.Element | None = None
    for child in list(element):
        _merge(child, lines)
        if child.tag == f"{{{_SVG}}}text":
            continue
        is_line = child.attrib.keys() == {"d", "class"} and child.attrib["class"] in lines
        if is_line and last is not None and last.attrib["class"] == child.attrib["class"]:
            last.attrib["d"] += child.attrib["d"]
            element.remove(child)
        else:
            last = child if is_line else None
