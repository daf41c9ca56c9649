"""The report as JUnit XML: one test suite per adapter, one test case per case.

JUnit failures match the exit code. An explained deviation is *skipped* with its explanation; with ``--strict`` it is a
failure of type ``explained``. Another choice at an open point is treated alike, with the type ``choice``. Other
failures have the type ``divergence`` with their level, ``undecided``, ``changed`` (not as recorded), or ``refused``
(without a declared reason). A deviation that disappeared, a rule that was not exercised, and a profile whose algorithm
did not act are failures in additional test cases. Null adapters and undeclared profiles are omitted.
"""

import re
from io import BytesIO
from xml.etree.ElementTree import fromstring, indent, tostring

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from firstflight_conformance.records.results import AdapterReport, Refused, Result, Verdict
from firstflight_conformance.report.causes import clash_text

# Characters that XML 1.0 does not allow, even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(reports: list[AdapterReport], *, strict: bool, refusals: bool = True) -> str:
    """Return the report as JUnit XML."""
    document = JUnitXml("firstflight")
    for report in reports:
        if report.manifest.role != "null":
            document.add_testsuite(_suite(report, strict=strict, refusals=refusals))
    out = BytesIO()
    document.write(out)
    root = fromstring(out.getvalue())
    indent(root, "\t")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, "unicode")}\n'


def _suite(report: AdapterReport, *, strict: bool, refusals: bool) -> TestSuite:
    name = report.manifest.name
    cases = [
        _case(name, result, strict=strict, refusals=refusals) for result in report.results if not result.undeclared
    ]
    for deviation in report.disappeared:
        case = TestCase(f"deviation {deviation.case}", report.manifest.name)
        case.result = [Failure(_clean(f"no case shows it any more: {deviation.explanation}"), "disappeared")]
        cases.append(case)
    for rule in report.not_exercised:
        case = TestCase(f"rule {rule}", report.manifest.name)
        case.result = [Failure("a rule that no judged event exercised", "not exercised")]
        cases.append(case)
    for profile in report.unseen.idle:
        case = TestCase(f"profile {profile}", report.manifest.name)
        case.result = [Failure("the algorithm did not act: the base controller gives every judged answer", "idle")]
        cases.append(case)
    if report.skipped is not None:
        case = TestCase("adapter", report.manifest.name)
        case.result = [Skipped(_clean(report.skipped))]
        cases.append(case)
    suite = TestSuite(report.manifest.name)
    suite.add_testcases(cases)  # one call: each call counts the whole suite again
    return suite


def _case(adapter: str, result: Result, *, strict: bool, refusals: bool) -> TestCase:
    case = TestCase(result.case_id, adapter, round(result.seconds, 6))
    reason = _clean(result.reason)
    if result.status == "changed":
        case.result = [Failure(_clean(str(result.change)), "changed")]
    elif result.conforms:
        chosen = _clean(f"another choice at a point that the text leaves open ({result.cause}): {reason}")
        case.result = [Failure(chosen, "choice") if strict else Skipped(chosen)]
    elif result.undecided:
        case.result = [Failure(_clean(f"the step budget ended before a verdict: {reason}"), "undecided")]
    elif result.explained_by is not None:
        why = result.explained_by
        explained = _clean(f"explained ({why.clause or why.kind}): {why.explanation}; {reason}")
        case.result = [Failure(explained, "explained") if strict else Skipped(explained)]
    elif result.verdict is Verdict.FAIL:
        clauses = ", ".join(result.divergence.clauses) if result.divergence else ""
        cause = f"; cause: {result.cause}" if result.cause else ""
        if result.clash is not None:
            cause += f"; {clash_text(result.clash)}"
        kind = f"divergence: {result.level}" if result.level else "divergence"
        case.result = [Failure(_clean(f"{reason}{cause} [{clauses}]"), kind)]
    elif result.verdict is Verdict.ERRORED:
        case.result = [Error(reason, result.fault.value if result.fault else "")]
    elif result.verdict is Verdict.UNSUPPORTED:
        refused = isinstance(result.unsupported, Refused) and (result.unsupported.why is None or not refusals)
        case.result = [Failure(reason, "refused") if refused else Skipped(reason)]
    return case


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
