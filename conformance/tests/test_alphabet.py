"""Events are defined once, in ``event.schema.json``; code and tables with their members are generated from it."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from firstflight.events import KINDS
from firstflight_conformance.paths import ROOT
from generate.alphabet import RANGES, SCHEMA, Member, every_member, load_kinds
from generate.events_files import event_files, event_regions

#: Generated files, and data that is not edited by hand.
#: The hashes of ``simulator_cases.py`` cover the current members of events; a new member is not added there.
WRITTEN = (
    "vectors/",
    "conformance/loaders/broken/",
    "spec/schemas/flat.schema.json",
    "CHANGELOG.md",
    "conformance/tests/simulator_cases.py",
)
REGION = re.compile(r"--- [a-z ]+: generated .*?--- end ---|<!-- [a-z ]+: generated .*?<!-- end -->", re.S)
#: Files of an algorithm's package in a reference, and its mutants.
PACKAGE = re.compile(r"^(?:reference-(?:py/src|c)/firstflight|spec(?=/[\w-]+/mutants))/([\w-]+)/")
#: Self-contained programs, toy controllers of the loaders, and loaders: versions of the flat form differ by members.
PROGRAM = re.compile(r"/plain_\w+\.py$|^conformance/loaders/.*(?:new_?reno|flat)", re.I)
#: A new optional member of an ACK, unknown to all files.
NEW = "ecn_echo_count"
#: Maximum number of files with a member by hand, default 20. These are in two kinds of events, from protocol 2 on.
FEW = {"pmtu_probe": 34, "not_in_flight": 34}
#: Optional members. Required members are in every event of their kind, so every algorithm and stimulus contains them.
OPTIONAL = [member for member, _ in every_member(load_kinds()).values() if member.optional]
#: An existing optional member of an ACK.
ABSENT = next(m.name for kind in load_kinds() for m in kind.members if kind.name == "ack" and m.optional)


def by_hand(*words: str) -> list[str]:
    """Return the files that contain one of the words outside generated text."""
    command = ["git", "grep", "-lIw", *(part for word in words for part in ("-e", word))]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    files = [name for name in listed.splitlines() if not name.startswith(WRITTEN)]
    written = re.compile(rf"\b({'|'.join(words)})\b")
    return [name for name in files if written.search(REGION.sub("", (ROOT / name).read_text("utf-8")))]


def widened(path: Path, definition: dict[str, str]) -> Path:
    """Write a copy of the schema with the new optional member of ACKs."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    schema["$defs"]["ack"]["properties"][NEW] = {"description": "as the peer reports it", **definition}
    path.write_text(json.dumps(schema), "utf-8")
    return path


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="asks git which files are there")
@pytest.mark.parametrize("member", OPTIONAL, ids=[member.name for member in OPTIONAL])
def test_an_optional_member_is_written_by_hand_in_few_files(member: Member) -> None:
    """An optional member is in few files: where it is defined, supplied, judged and used. Tests count as well.

    The self-contained programs and the loaders with their toys count once, and so do the stimuli of an algorithm.
    So do its packages in both references with their mutants, in a separate count.
    """
    files = by_hand(member.name, member.count) if member.type == RANGES else by_hand(member.name)
    assert "spec/schemas/event.schema.json" in files
    programs = {name for name in files if PROGRAM.search(name)}
    stimuli = {name: Path(name).parent for name in files if name.startswith("conformance/stimuli/")}
    packages = {
        name: match[1].replace("-", "_") for name in files if (match := PACKAGE.search(name)) and name not in programs
    }
    other_files = [name for name in files if name not in programs and name not in stimuli and name not in packages]
    assert len(other_files) + bool(programs) + len(set(stimuli.values())) <= FEW.get(member.name, 20), files
    assert len(set(packages.values())) <= 10, files


def test_new_member_is_added_to_every_generated_text(tmp_path: Path) -> None:
    """A new member of the schema is added to every generated text with the members of an ACK."""
    before, after = load_kinds(), load_kinds(widened(tmp_path / "event.json", {"$ref": "#/$defs/packet_end"}))
    carried = 0
    for path, regions in event_regions(after).items():
        old = event_regions(before)[path]
        for name, lines in regions.items():
            text = "\n".join(lines)

            assert NEW not in "\n".join(old[name])
            if ABSENT in "\n".join(old[name]):
                assert NEW in text, (path, name)
                carried += 1
    assert carried >= 22
    assert all(NEW in text for text in event_files(after).values())


def test_new_member_is_last_in_its_struct(tmp_path: Path) -> None:
    """A new member is the last of its struct, so that compiled programs still find the others."""
    header = ROOT / "conformance" / "include" / "firstflight_adapter.h"
    kinds = load_kinds(widened(tmp_path / "event.json", {"$ref": "#/$defs/packet_end"}))
    old, new = event_regions(load_kinds())[header]["members"], event_regions(kinds)[header]["members"]
    assert new[:-1] == old
    assert NEW in new[-1]


def test_the_model_has_the_members_of_the_schema() -> None:
    """The event classes of the model have the members of the schema in its order."""
    for kind in load_kinds():
        assert list(KINDS[kind.name].__slots__) == ["t_ns", *(member.name for member in kind.members)]
    assert list(every_member(load_kinds()))[:2] == ["packets", "bytes"]


def test_an_unknown_type_is_refused(tmp_path: Path) -> None:
    """A member of an unknown type is refused, because no list can be generated for it."""
    with pytest.raises(ValueError, match=rf"ack\.{NEW}: no list can be written of .*; one of natural, "):
        load_kinds(widened(tmp_path / "event.json", {"type": "string"}))
