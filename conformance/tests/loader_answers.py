"""Writes the answers of self-contained programs for the loaders of the flat form: python loader_answers.py FOLDER

Each file has a line for each event of a profile: window, threshold and phase. ``verdicts.tsv`` has the expected verdict
of all loaders for each file.
"""

import sys
from pathlib import Path

#: Variants of ``freedoms.toml`` with their verdicts. The first uses another way, the second a value of an interval.
VERDICTS = {
    "careful-resume/jumps-at-once": "agrees",
    "careful-resume/jump-two-fifths": "open",
    "careful-resume/jump-one-byte-more": "differs",
    "careful-resume/jumps-before-the-data-is-acknowledged": "differs",
}
_OBSERVABLES = ("cwnd_bytes", "ssthresh_bytes", "phase")


def rows(name: str) -> tuple[str, str]:
    """Return the profile of a variant and its answers."""
    from freedoms_support import answers_of, program_of, scripts_of, variants

    variant = next(variant for variant in variants() if f"{variant.algorithm}/{variant.id}" == name)
    program = program_of(variant)
    answers = [answers_of(program, script, _OBSERVABLES) for script in scripts_of(variant.profile)]
    assert not any(answer.fault for answer in answers)
    observed = [[observation[name] for name in _OBSERVABLES] for answer in answers for observation in answer.observed]
    return variant.profile, "".join(
        " ".join("null" if number is None else f"{number}" for number in row) + "\n" for row in observed
    )


def write(folder: Path) -> None:
    """Write the files."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, verdict in VERDICTS.items():
        file = name.replace("/", "-") + ".txt"
        profile, text = rows(name)
        (folder / file).write_text(text, "utf-8")
        lines.append(f"{profile}\t{file}\t{verdict}\n")
    (folder / "verdicts.tsv").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    write(Path(sys.argv[1]))
