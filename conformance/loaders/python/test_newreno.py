"""The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: python3 -m unittest"""

import os
import unittest
from pathlib import Path

import flat
from newreno import NewReno

FLAT = Path(os.environ.get("FIRSTFLIGHT_FLAT", Path(__file__).parents[2] / "flat"))
PROFILE = FLAT / "slow-start" / "rfc-9002.ndjson"
BROKEN = Path(os.environ.get("FIRSTFLIGHT_BROKEN", Path(__file__).parents[1] / "broken"))


def differences(path, **mistake):
    found = (
        flat.first_difference(case, events, NewReno(case, **mistake).on_event) for case, events in flat.cases(path)
    )
    return [difference for difference in found if difference]


def verdict(path):
    try:
        return "differs" if differences(path) else "agrees"
    except ValueError:
        return "refused"


class Loader(unittest.TestCase):
    def test_a_right_controller_agrees(self):
        self.assertEqual(differences(PROFILE), [])

    def test_a_mistake_is_found(self):
        found = differences(PROFILE, app_limited_grows=True)
        self.assertRegex(found[0], r"^slow-start\.app-limited\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected ")

    def test_broken_files(self):
        wanted = dict(line.split("\t") for line in (BROKEN / "verdicts.tsv").read_text("utf-8").splitlines())
        self.assertEqual({name: verdict(BROKEN / name) for name in wanted}, wanted)
        print(f"broken files: {len(wanted)} of {len(wanted)} as the list says")


if __name__ == "__main__":
    unittest.main()
