"""SVG plot of a cause: windows of model and adapter around the decision. The page's style sheet sets the colours."""

from collections.abc import Sequence

from markupsafe import Markup

from firstflight_conformance.records.findings import Curve

#: Size of the picture, and position of its frame, in pixels.
_WIDTH, _HEIGHT = 640, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 628, 34, 214
_TICKS = 4


def svg(curve: Curve) -> Markup:
    """Return the picture. Coordinates are integers in thousandths of a pixel, so equal curves give equal bytes."""
    last = max(curve.first + len(curve.model) - 1, curve.first + 1)
    low, high = min(curve.model + curve.observed), max(curve.model + curve.observed)
    margin = max((high - low) // 8, 1)
    low, high = max(low - margin, 0), high + margin

    def x(event: int) -> int:
        return _LEFT * 1000 + (event - curve.first) * (_RIGHT - _LEFT) * 1000 // (last - curve.first)

    def y(window_bytes: int) -> str:
        return _pixels(_BOTTOM * 1000 - (window_bytes - low) * (_BOTTOM - _TOP) * 1000 // (high - low))

    def steps(windows: Sequence[int]) -> str:
        places = enumerate(windows[1:], start=curve.first + 1)
        return f"M{_LEFT} {y(windows[0])}" + "".join(f"H{_pixels(x(event))}V{y(window)}" for event, window in places)

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_described(curve)}">',
        *(
            f'<path class="grid" d="M{_LEFT} {y(tick)}H{_RIGHT}"/>'
            f'<text x="{_LEFT - 6}" y="{y(tick)}" dy="4" text-anchor="end">{_short(tick)}</text>'
            for tick in _ticks(low, high)
        ),
        *(_label(x(tick), _BOTTOM + 18, str(tick)) for tick in _ticks(curve.first, last)),
        _mark(x(curve.decided), "decided"),
        _mark(x(curve.seen), "seen") if curve.seen - curve.decided > (last - curve.first) // 8 else "",
        f'<path class="model" d="{steps(curve.model)}"/>',
        f'<path class="seen" d="{steps(curve.observed)}"/>',
        '<text x="4" y="14">window, bytes</text>',
        f'<text x="{_RIGHT}" y="{_HEIGHT - 2}" text-anchor="end">event</text>',
        "</svg>",
    ]
    return Markup("".join(parts))


def _described(curve: Curve) -> str:
    last = curve.first + len(curve.model) - 1
    return f"Windows after the events {curve.first} to {last}; decided at {curve.decided}, seen at {curve.seen}"


def _label(place: int, height: int, text: str) -> str:
    anchor = "end" if place > (_RIGHT - 30) * 1000 else "middle"
    return f'<text x="{_pixels(place)}" y="{height}" text-anchor="{anchor}">{text}</text>'


def _mark(place: int, name: str) -> str:
    return f'<path class="event" d="M{_pixels(place)} {_TOP}V{_BOTTOM}"/>' + _label(place, _TOP - 5, name)


def _ticks(low: int, high: int) -> list[int]:
    """Return about ``_TICKS`` round numbers between two numbers, with a step of 1, 2 or 5 times a power of ten."""
    least_step = max((high - low) // _TICKS, 1)
    power = 10 ** (len(str(least_step)) - 1)
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least_step)
    return list(range(-(-low // step) * step, high + 1, step))


def _short(number: int) -> str:
    """Return a number as text; multiples of 1000 from a million on are shortened: 1500000 is "1500k"."""
    prefixes = iter("kMGTPE")
    prefix = ""
    while number >= 1_000_000 and number % 1000 == 0:
        number, prefix = number // 1000, next(prefixes)
    return f"{number}{prefix}"


def _pixels(thousandths: int) -> str:
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".") if rest else str(whole)
