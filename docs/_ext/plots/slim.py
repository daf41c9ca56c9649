"""Minimises the plots of the site: the same pictures in shorter SVG than matplotlib's."""

import re
from collections.abc import Set
from itertools import groupby
from math import hypot
from pathlib import Path
from string import ascii_lowercase
from xml.etree import ElementTree as ET

_SVG, _XLINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_LEADING_ZERO = re.compile(r"^(-?)0\.")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_REFERENCE = re.compile(r"^#([\w-]+)$|url\(#([\w-]+)\)")
#: A list of fonts, reduced to the first font and the kind; the default font of all text.
_FONTS = re.compile(r"font-family: ('[^']+'), .*?((?:sans-serif|serif|monospace))(?=;|$)")
_FONT = "font-family:'DejaVu Sans',sans-serif"
#: Transformation of unrotated text.
_LEVEL = re.compile(r"rotate\(-?0 .*\)")
#: Tolerance in points for the distance from the centre of the curve ends of a circle.
_ROUND = 0.001
#: Elements that occur in long rows: labels of axes, and marks.
_GATHERED = {f"{{{_SVG}}}text", f"{{{_SVG}}}use"}
#: A colour with doubled digits; a superfluous space.
_COLOUR = re.compile(r"#(.)\1(.)\2(.)\3\b")
_SPACE = re.compile(r"(?<=[:;]) ")


def slim_plots(folder: Path) -> None:
    """Write every plot below a folder again, shorter."""
    for path in folder.rglob("*.svg"):
        text = path.read_text("utf-8")
        if text.startswith("<?xml"):  # otherwise it is minimised already
            path.write_text(slim(text), "utf-8")


def slim(text: str) -> str:
    """Return an SVG with coordinates in tenths of a point, each style and mark once, and without unused ids."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(text)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    ids = _names(root)
    classes: dict[str, str] = {}
    for element in root.iter():
        _shorten(element, ids, classes)
    _unwrap(root)
    opaque = {name for style, name in classes.items() if "opacity" not in style}
    _merge(root, opaque)
    _gather(root, opaque)
    rule = root.find(f".//{{{_SVG}}}style")
    assert rule is not None
    rule.text = f"{_SPACE.sub('', rule.text or '')}text{{{_FONT}}}{_rules(classes)}"
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


def _names(root: ET.Element) -> dict[str, str]:
    """Return short names for referenced ids; duplicate marks are removed."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {name for value in values for references in _REFERENCE.findall(value) for name in references if name}
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
    """Shorten the attributes of one element; its style and clip path become a class."""
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
        attributes["d"] = _circle(attributes["d"]) or _path(attributes["d"])
    if style := _style(attributes):
        attributes["class"] = classes.setdefault(style, _class_name(len(classes)))
    for part in ("text", "tail"):
        if not (getattr(element, part) or "").strip():
            setattr(element, part, None)


def _style(attributes: dict[str, str]) -> str:
    """Remove style and clip path from the attributes of an element; return them without default values."""
    style = _FONTS.sub(r"font-family: \1,\2", attributes.pop("style", ""))
    clip = f"clip-path:{attributes.pop('clip-path')}" if "clip-path" in attributes else ""
    style = _COLOUR.sub(r"#\1\2\3", style)
    parts = [*(re.sub(r":\s*(?:0(?=\.))?", ":", part.strip()) for part in style.split(";")), clip]
    return ";".join(part for part in parts if part and part not in (_FONT, "stroke-dashoffset:0"))


def _rules(classes: dict[str, str]) -> str:
    """Return the rules of all classes; common declarations appear once."""
    classes_by_declaration: dict[str, list[str]] = {}
    for style, name in classes.items():
        for part in style.split(";"):
            classes_by_declaration.setdefault(part, []).append(f".{name}")
    together: dict[str, list[str]] = {}
    for part, names in classes_by_declaration.items():
        together.setdefault(",".join(names), []).append(part)
    return "".join(f"{names}{{{';'.join(parts)}}}" for names, parts in together.items())


def _class_name(number: int) -> str:
    """Return a short class name: a letter, then a letter with a digit and so on; classes are very frequent."""
    return ascii_lowercase[number % 26] + (str(number // 26) if number >= 26 else "")


def _tenths(text: str) -> str:
    """Return a text with its numbers rounded to tenths."""
    return _NUMBER.sub(lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), text)


def _path(text: str) -> str:
    """Return a path with relative lines, with one number along an axis; empty lines are removed and collinear lines joined."""
    written: list[tuple[str, list[int]]] = []
    at: list[int] = []
    for command, places in _COMMAND.findall(text):
        to = [round(10 * float(place)) for place in places.split()]
        if command != "L" or not at:
            written.append((command, to))
        elif to != at:
            by = [to[0] - at[0], to[1] - at[1]]
            name = "h" if by[1] == 0 else "v" if by[0] == 0 else "l"
            by = [tenths for tenths in by if tenths]
            last, before = written[-1]
            if last == name != "l" and by[0] * before[0] > 0:
                before[0] += by[0]
            else:
                written.append((name, by))
        at = to[-2:]
    return "".join(command + _numbers(tenths) for command, tenths in written)


def _circle(text: str) -> str | None:
    """Return a path as two arcs, if it is eight curves whose ends have the same distance from the centre."""
    ends = [
        [float(place) for place in places.split()[-2:]] for command, places in _COMMAND.findall(text) if places.strip()
    ]
    commands = "".join(command for command, _ in _COMMAND.findall(text))
    radius = hypot(*ends[0])
    if commands != "M" + 8 * "C" + "z" or any(abs(hypot(*end) - radius) > _ROUND for end in ends):
        return None
    half, whole = f"{radius:.3g}", f"{2 * radius:.3g}"
    return f"M0-{half}a{half} {half} 0 0 1 0 {whole}a{half} {half} 0 0 1 0-{whole}z"


def _numbers(tenths: list[int]) -> str:
    """Return numbers, separated only where no sign separates them."""
    words = (f"{number / 10:g}" for number in tenths)
    return " ".join(_LEADING_ZERO.sub(r"\1.", word) for word in words).replace(" -", "-")


def _unwrap(element: ET.Element) -> None:
    """Replace a group without attributes, or an empty list of definitions, by its children."""
    children: list[ET.Element] = []
    for child in element:
        _unwrap(child)
        says = child.attrib or (len(child) if child.tag == f"{{{_SVG}}}defs" else child.tag != f"{{{_SVG}}}g")
        children += [child] if says else list(child)
    element[:] = children


def _merge(element: ET.Element, opaque: Set[str]) -> None:
    """Join lines and bars of one class into one path if only text is between them, such as a grid, or bins with outlines."""
    last: ET.Element | None = None
    for child in list(element):
        _merge(child, opaque)
        if child.tag == f"{{{_SVG}}}text":
            continue
        is_plain = child.attrib.keys() == {"d", "class"} and child.attrib["class"] in opaque
        if is_plain and last is not None and last.attrib["class"] == child.attrib["class"]:
            last.attrib["d"] += child.attrib["d"]
            element.remove(child)
        else:
            last = child if is_plain else None


def _gather(element: ET.Element, opaque: Set[str]) -> None:
    """Move consecutive texts or marks of one class into a group with this class."""
    children: list[ET.Element] = []
    for (tag, name), run in groupby(element, key=lambda child: (child.tag, child.get("class", ""))):
        siblings = list(run)
        if tag in _GATHERED and name in opaque and len(siblings) > 2:
            group = ET.Element(f"{{{_SVG}}}g", {"class": name})
            for child in siblings:
                del child.attrib["class"]
            group[:] = siblings
            children.append(group)
        else:
            for child in siblings:
                _gather(child, opaque)
            children += siblings
    element[:] = children
