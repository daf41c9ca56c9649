"""Hand-built stimuli of Careful Resume. Where the tier is gold, `why` derives the expectation."""

from firstflight_conformance.vectorgen.resume_builder import ResumeBuilder
from firstflight_conformance.vectorgen.stimulus import Catalogue

CATALOGUE = Catalogue("rfc-9959", sources=(), builder=ResumeBuilder)
