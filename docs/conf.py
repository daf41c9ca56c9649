"""Configuration of the documentation site. Build: sphinx-build -W --keep-going -b html docs build/docs."""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(_ROOT / part) for part in ("reference-py/src", "conformance/src", "conformance", "docs/_ext", "docs")
]

import firstflight  # noqa: E402
from pages import head  # noqa: E402

project = "Firstflight"
author = "the Firstflight authors"
copyright = author
version = release = firstflight.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "pages"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
exclude_patterns = ["_ext", "_extra", "_generated/plots"]

smartquotes = False
nitpicky = True
# `bytes` is a type, and a member of several events, so its links have more than one target.
suppress_warnings = ["ref.python"]
# Names of the standard library and of private types, which this site does not document.
nitpick_ignore_regex = [
    (
        r"py:.*",
        r"(collections|enum|fractions|json|pathlib|typing|jsonschema|referencing|firstflight_conformance\.plots)\..*",
    ),
    (
        r"py:.*",
        r"(dict\[(?:str|int)|tuple\[~firstflight\.(?:bbr\.rate\.RoundRate|observables\.Trigger)|Any|Enum|Path|ValueError|Draft202012Validator|Registry|Iterable|Iterator|Mapping|Sequence)",
    ),
]
autodoc_typehints = "signature"
autodoc_preserve_defaults = True  # a default that is a path shows its name, not the place of the checkout
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 88
python_trailing_comma_in_multi_line_signatures = False
toc_object_entries = False

html_theme = "furo"
html_title = f"Firstflight {release}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["firstflight.css"]
html_js_files = ["beside.js", "filter.js", "icons.js", "scroll.js"]
html_extra_path = ["_extra", "../conformance/results"]
html_favicon = "_static/favicon.svg"
html_context = {"commit": head.commit()}
html_search_scorer = str(_ROOT / "docs" / "_static" / "scorer.js")
html_show_search_summary = False  # an excerpt fetches its whole page
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_theme_options = {
    "navigation_with_keys": False,  # the arrow keys scroll code
}
copybutton_exclude = ".linenos, .gp"
copybutton_selector = "div:not(.highlight-none):not(.source-file) > div.highlight > pre"
