"""The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: python3 -m unittest"""

import os
import unittest
from pathlib import Path

import flat
from newreno import NewReno

FLAT = Path(os.environ.get("FIRSTFLIGHT_FLAT", Path(__file__).parents[2] / "flat"))
PROFILE = FLAT / "slow-start" / "rfc-9002.ndjson"
ANSWERS = os.environ.get("FIRSTFLIGHT_ANSWERS")
BROKEN = Path(os.environ.get("FIRSTFLIGHT_BROKEN", Path(__file__).parents[1] / "broken"))


class Recorded:
    """The controller whose answers to the events of a profile are a file's lines, one for each event: window, threshold and phase."""

    def __init__(self, path):
        self.rows = iter(path.read_text("utf-8").splitlines())

    def on_event(self, event):
        cwnd, ssthresh, phase = next(self.rows).split()
        return {
            "cwnd_bytes": int(cwnd),
            "ssthresh_bytes": None if ssthresh == "null" else int(ssthresh),
            "phase": phase,
        }


def differences(path, begin):
    first_differences = []
    for case, events in flat.cases(path):
        controller = begin(case)
        observed = [controller.on_event(event) for event in events]
        first_differences.append(
            flat.first_difference(case, events, lambda event, answers=observed: answers[event["i"]])
        )
    return [difference for difference in first_differences if difference]


def toy(**mistake):
    return lambda case: NewReno(case, **mistake)


def verdict(path, begin):
    try:
        differing = differences(path, begin)
    except ValueError:
        return "refused"
    return (
        "differs"
        if not all(text.startswith("not decided: ") for text in differing)
        else "open"
        if differing
        else "agrees"
    )


class Loader(unittest.TestCase):
    def test_a_right_controller_agrees(self):
        self.assertEqual(differences(PROFILE, toy()), [])

    def test_growth_while_app_limited_is_reported(self):
        differing = differences(PROFILE, toy(app_limited_grows=True))
        wrong = [text for text in differing if not text.startswith("not decided: ")]
        self.assertRegex(wrong[0], r"^slow-start\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected ")

    def test_a_wrong_phase_is_found(self):
        differing = differences(PROFILE, toy(stays_in_recovery=True))
        self.assertRegex(differing[0], r": phase: expected \S+, observed recovery$")

    @unittest.skipUnless(ANSWERS, "FIRSTFLIGHT_ANSWERS is not set")
    def test_recorded_answers_have_listed_verdicts(self):
        for row in (Path(ANSWERS) / "verdicts.tsv").read_text("utf-8").splitlines():
            profile, name, expected = row.split("\t")
            controller = Recorded(Path(ANSWERS) / name)
            self.assertEqual(
                (name, verdict(FLAT / f"{profile}.ndjson", lambda _, recorded=controller: recorded)), (name, expected)
            )

    def test_broken_files(self):
        expected = dict(line.split("\t") for line in (BROKEN / "verdicts.tsv").read_text("utf-8").splitlines())
        self.assertEqual({name: verdict(BROKEN / name, toy()) for name in expected}, expected)
        print(f"broken files: {len(expected)} of {len(expected)} as the list says")


if __name__ == "__main__":
    unittest.main()
