"""The toy controller judged by the vectors of RFC 9002. Run: python3 -m unittest"""

import os
import unittest
from pathlib import Path

import flat
from newreno import NewReno

FLAT = Path(os.environ.get("FIRSTFLIGHT_FLAT", Path(__file__).parents[2] / "flat"))
PROFILE = FLAT / "slow-start" / "rfc-9002.ndjson"


def differences(**mistake):
    found = (
        flat.first_difference(case, events, NewReno(case, **mistake).on_event) for case, events in flat.cases(PROFILE)
    )
    return [difference for difference in found if difference]


class Loader(unittest.TestCase):
    def test_a_right_controller_agrees(self):
        self.assertEqual(differences(), [])

    def test_a_mistake_is_found(self):
        found = differences(app_limited_grows=True)
        self.assertRegex(found[0], r"^slow-start\.app-limited\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected ")

    def test_an_unknown_member_is_refused(self):
        text = PROFILE.read_text("utf-8").splitlines()[2]
        self.assertEqual(flat.read_event(text)["ev"], "sent")
        with self.assertRaises(ValueError):
            flat.read_event(text.replace('"t_ns":', '"news":1,"t_ns":'))
        with self.assertRaises(ValueError):
            flat.read_event(text.replace('"phase":', '"news":1,"phase":'))


if __name__ == "__main__":
    unittest.main()
