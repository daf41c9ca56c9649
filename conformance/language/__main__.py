"""Check the prose of the checkout, record the baseline, measure other codebases, check commit subjects.

``python -m language COMMAND`` in the folder ``conformance``; docs/language.md describes the rules and the commands.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from firstflight_conformance.paths import CONFORMANCE, ROOT
from language.rules import CATEGORIES, findings_in, read
from language.texts import C_LIKE, Text

HERE = CONFORMANCE / "language"
CALIBRATION = HERE / "calibration.json"
BASELINE = HERE / "baseline.json"
#: Copies of third-party material and of earlier releases.
_NOT_OURS = ("third_party/", "conformance/tests/release_0_1/", "conformance/tests/kept_captures/", "LICENSE")
_SUBJECT = re.compile(r"[a-z0-9][\w./+, -]*: [a-z][\w'-]* \S.*[^.\s]")
_EXEMPT_SUBJECT = re.compile(r"Merge |Revert |fixup! |squash! ")
_SUBJECT_CHARACTERS = 72

#: Findings and words of a directory: one count per category, and ``words``.
Counts = Counter[str]


def git(*words: str, root: Path | None = None) -> str:
    """Return the output of a git command. Raise :class:`subprocess.CalledProcessError` if it fails."""
    done = subprocess.run(
        ["git", "-C", str(root or ROOT), *words], capture_output=True, text=True, errors="replace", check=True
    )
    return done.stdout


def directory(path: Path) -> str:
    """Return the directory of a file that the ratchet counts: at most two levels."""
    return "/".join(path.parts[:-1][:2]) or "."


def files() -> list[Path]:
    """Return the tracked and new files of the checkout, relative to it."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [Path(name) for name in sorted(names) if name and not name.startswith(_NOT_OURS) and (ROOT / name).is_file()]


def thresholds() -> dict[str, float]:
    """Return the findings per 1,000 words that each category may have: 1.5 times the largest of the codebases, at least 1."""
    rows = json.loads(CALIBRATION.read_text("utf-8"))["codebases"]
    largest = {
        category: max(1000 * row["findings"][category] / row["words"] for row in rows) for category in CATEGORIES
    }
    return {category: max(1.5 * rate, 1.0) for category, rate in largest.items()}


class Prose:
    """The words and findings of files."""

    def __init__(self, root: Path, paths: Iterable[Path]) -> None:
        """Read the files, which are relative to ``root``."""
        read_files = {path: read(root, path) for path in paths}
        self.words = {path: words for path, (words, _) in read_files.items()}
        self.findings = [finding for _, findings in read_files.values() for finding in findings]

    def counts(self) -> dict[str, Counts]:
        """Return the counts of each directory."""
        counts: dict[str, Counts] = {}
        for path, words in self.words.items():
            counts.setdefault(directory(path), Counter())["words"] += len(words)
        for finding in self.findings:
            counts[directory(finding.path)][finding.category] += 1
        return {name: counts[name] for name in sorted(counts) if counts[name]["words"]}

    def only(self, lines: dict[Path, set[int]]) -> "Prose":
        """Return the part of the prose that is in some lines."""
        part = Prose(ROOT, ())
        part.words = {
            path: [word for word in words if word in lines.get(path, ())] for path, words in self.words.items()
        }
        part.findings = [finding for finding in self.findings if finding.line in lines.get(finding.path, ())]
        return part


def allowed(recorded: Counts, words: int, rate: float, category: str) -> float:
    """Return how many findings a directory may have: those recorded, and the threshold for words added since."""
    return recorded[category] + rate * max(words - recorded["words"], 0) / 1000


def worse(now: dict[str, Counts], baseline: dict[str, Counts]) -> list[str]:
    """Return a line for each directory and category with more findings than the baseline allows."""
    lines = []
    for name, counts in now.items():
        for category, rate in thresholds().items():
            limit = allowed(baseline.get(name, Counter()), counts["words"], rate, category)
            if counts[category] > max(limit, rate * counts["words"] / 1000):
                lines.append(
                    f"{name}: {category}: {counts[category]} findings, at most {int(limit)} allowed by the baseline"
                )
    return lines


def too_many(added: Prose) -> list[str]:
    """Return the findings of the categories whose rate in added lines is above the threshold."""
    total = sum(added.counts().values(), Counter())
    above = {name for name, rate in thresholds().items() if 1000 * total[name] > rate * total["words"]}
    return [str(finding) for finding in added.findings if finding.category in above]


def added_lines(*range_: str) -> dict[Path, set[int]]:
    """Return the lines that ``git diff`` with these arguments adds."""
    lines: dict[Path, set[int]] = {}
    path = Path()
    for line in git("diff", "-U0", "-M", "--no-color", "--no-ext-diff", *range_).splitlines():
        if line.startswith("+++ "):
            path = Path(line[6:])
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first = int(hunk[1])
            lines.setdefault(path, set()).update(range(first, first + int(hunk[2] or 1)))
    return lines


def load_baseline() -> tuple[str, dict[str, Counts]]:
    """Return the commit of the baseline, and its counts."""
    raw = json.loads(BASELINE.read_text("utf-8"))
    return raw["since"], {name: Counter(counts) for name, counts in raw["directories"].items()}


def check() -> list[str]:
    """Return the complaints about the checkout: directories that got worse, and lines added above the thresholds."""
    commit, baseline = load_baseline()
    prose = Prose(ROOT, files())
    lines = added_lines(commit)
    untracked = git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    lines |= {Path(name): set(prose.words.get(Path(name), ())) for name in untracked if name}
    return worse(prose.counts(), baseline) + too_many(prose.only(lines))


def record(force: bool) -> list[str]:
    """Write the baseline: only lower counts, unless forced. Return the complaints, with which nothing is written."""
    complaints = [] if force else check()
    if not complaints:
        now = Prose(ROOT, files()).counts()
        before = now if force else load_baseline()[1]
        counts = {name: now[name] & before[name] for name in now if name in before}
        raw = {
            "since": git("rev-parse", "HEAD").strip(),
            "directories": {name: dict(sorted(row.items())) for name, row in counts.items()},
        }
        BASELINE.write_text(json.dumps(raw, indent=1) + "\n", "utf-8")
    return complaints


def subject_complaints(subject: str) -> list[str]:
    """Return the reasons to refuse a commit subject."""
    if _EXEMPT_SUBJECT.match(subject):
        return []
    complaints = [str(finding) for finding in findings_in(Path("subject"), Text(subject, (0,), (1,)))]
    if len(subject) > _SUBJECT_CHARACTERS:
        complaints.append(f"{subject}: {len(subject)} characters; use at most {_SUBJECT_CHARACTERS}")
    if not _SUBJECT.fullmatch(subject):
        complaints.append(f"{subject}: expected `scope: verb object` without a full stop")
    return complaints


def commits() -> list[str]:
    """Return the complaints about subjects of commits since the last release tag that descend from this check."""
    tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-creatordate").split()
    first = git("log", "--reverse", "--format=%H", "--diff-filter=A", "--", str(BASELINE)).split()
    ranges = ["--ancestry-path", f"^{first[0]}", *(f"^{tag}" for tag in tags[:1])] if first else ["--max-count=0"]
    subjects = git("log", "--no-merges", "--format=%s", "HEAD", *ranges).splitlines()
    return [complaint for subject in subjects for complaint in subject_complaints(subject)]


def measure(root: Path) -> str:
    """Return the counts of another codebase as JSON, for calibration.json."""
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.suffix in (".md", *C_LIKE))
    total = sum(Prose(root, paths).counts().values(), Counter())
    return json.dumps({"words": total["words"], "findings": {category: total[category] for category in CATEGORIES}})


def table() -> str:
    """Return the directories with their rates, the worst first, and the thresholds."""
    rows = [("threshold", "", thresholds())]
    for name, counts in Prose(ROOT, files()).counts().items():
        rows.append((name, str(counts["words"]), {key: 1000 * counts[key] / counts["words"] for key in CATEGORIES}))
    lines = ["| directory | words | " + " | ".join(CATEGORIES) + " |", "|---|---|" + "---|" * len(CATEGORIES)]
    for name, words, rates in rows:
        lines.append(f"| {name} | {words} | " + " | ".join(f"{rates[key]:.1f}" for key in CATEGORIES) + " |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run a command; return its exit code: 1 with complaints."""
    parser = argparse.ArgumentParser(prog="language", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="compare with the baseline")
    commands.add_parser("baseline", help="lower the baseline").add_argument(
        "--force", action="store_true", help="raise it, too"
    )
    commands.add_parser("table", help="print the rate of each directory")
    commands.add_parser("commits", help="check commit subjects since the last release")
    commands.add_parser("subject", help="check the subject in a file").add_argument("file", type=Path)
    commands.add_parser("measure", help="measure another codebase").add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    complaints: list[str] = []
    if options.command == "check":
        complaints = check()
    elif options.command == "baseline":
        complaints = record(options.force)
    elif options.command == "commits":
        complaints = commits()
    elif options.command == "subject":
        complaints = subject_complaints(options.file.read_text("utf-8").partition("\n")[0])
    else:
        print(table() if options.command == "table" else measure(options.folder))
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        # An archive or a clone without history: the check compares with an earlier commit.
        reason = f"{' '.join(error.cmd)}: {error.stderr.strip()}; a clone with full history is needed"
        print(f"language: skipped: {reason}", file=sys.stderr)
        sys.exit(0 if sys.argv[1:2] in (["check"], ["commits"]) else 2)
