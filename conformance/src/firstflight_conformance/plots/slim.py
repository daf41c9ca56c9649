"""Plots as small as they can be for the site: the same picture, written shorter than matplotlib does."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_NUMBER = re.compile(r"-?\d+\.\d+")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_REFERENCE = re.compile(r"^#([\w-]+)$|url\(#([\w-]+)\)")
#: A list of fonts, of which the first and the kind are enough.
_FONTS = re.compile(r"font-family: ('[^']+'), .*?((?:sans-serif|serif|monospace))(?=;|$)")
#: Text that is not turned.
_LEVEL = re.compile(r"rotate\(-?0 .*\)")


def slim_plots(folder: Path) -> None:
    """Write every plot below a folder again, shorter."""
    for path in folder.rglob("*.svg"):
        text = path.read_text("utf-8")
        if text.startswith("<?xml"):  # else it is short already
            path.write_text(slim(text), "utf-8")


def slim(text: str) -> str:
    """Return an SVG with places to a tenth of a point, each style stated once, and without names that nothing refers to."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    root = ET.fromstring(text)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {name for value in values for found in _REFERENCE.findall(value) for name in found}
    ids = {name: f"i{number}" for number, name in enumerate(sorted(filter(None, used)))}
    classes: dict[str, str] = {}
    for element in root.iter():
        _shorten(element, ids, classes)
    _unwrap(root)
    rule = root.find(f".//{{{_SVG}}}style")
    assert rule is not None
    rule.text = (rule.text or "") + "".join(f".{name}{{{style}}}" for style, name in classes.items())
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _shorten(element: ET.Element, ids: dict[str, str], classes: dict[str, str]) -> None:
    """Shorten the members of one element; its style becomes a class."""
    attributes = element.attrib
    if "id" in attributes and attributes["id"] not in ids:
        del attributes["id"]
    elif "id" in attributes:
        attributes["id"] = ids[attributes["id"]]
    for name, value in attributes.items():
        attributes[name] = _REFERENCE.sub(lambda match: match[0].replace(n := match[1] or match[2], ids[n]), value)
    if _LEVEL.fullmatch(attributes.get("transform", "")):
        del attributes["transform"]
    for name in ("x", "y"):
        if name in attributes:
            attributes[name] = _tenths(attributes[name])
    if "d" in attributes:
        attributes["d"] = _path(attributes["d"])
    if "style" in attributes:
        style = _FONTS.sub(r"font-family: \1,\2", attributes.pop("style")).replace(": ", ":").replace("; ", ";")
        attributes["class"] = classes.setdefault(style, f"s{len(classes)}")
    for part in ("text", "tail"):
        if not (getattr(element, part) or "").strip():
            setattr(element, part, None)


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
    return " ".join(f"{number / 10:g}" for number in tenths)


def _unwrap(element: ET.Element) -> None:
    """Put the children of a group that says nothing into its place."""
    children: list[ET.Element] = []
    for child in element:
        _unwrap(child)
        children += list(child) if child.tag == f"{{{_SVG}}}g" and not child.attrib else [child]
    element[:] = children
