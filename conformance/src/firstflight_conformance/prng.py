"""Pseudo-random numbers, equal in every language (``spec/prng.md``)."""

_MASK = 2**64 - 1


class SplitMix64:
    """The generator splitmix64. A seed gives the same sequence in every language and version."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Initialise with the low 64 bits of ``seed``."""
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, within 0..2^64 - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return an integer within 0..``n`` - 1. Raise :class:`ValueError` if ``n`` is outside 1..2^64."""
        if not 1 <= n <= 2**64:
            raise ValueError(f"below: {n} is outside 1..2^64")
        return self.next() % n

    def chance_ppm(self, p: int) -> bool:
        """Return true with a probability of ``p`` in a million."""
        return self.next() % 1_000_000 < p
