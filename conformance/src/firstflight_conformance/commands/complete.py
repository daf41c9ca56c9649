"""Shell completion of algorithms, profiles, cases and adapters. Missing files give no completions and no error."""

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from firstflight import profiles
from firstflight_conformance.paths import VECTORS


def algorithms(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the algorithms that begin with the text."""
    return _beginning(incomplete, profiles())


def profile_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return matching profiles of the algorithms given before, or of all."""
    named = context.params.get("algorithms") or ()
    known = profiles(composed=True)
    return _beginning(
        incomplete, {name for algorithm in known if not named or algorithm in named for name in known[algorithm]}
    )


def profiles_whole(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return matching profiles with their algorithms, as in search/draft-09."""
    known = profiles(composed=True)
    return _beginning(incomplete, (f"{algorithm}/{name}" for algorithm in known for name in known[algorithm]))


def cases(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return matching ids of existing vectors; after an @, the profiles of the algorithm."""
    name, at, _ = incomplete.partition("@")
    if at:
        known = profiles(composed=True).get(name.partition(".")[0], ())
        return _beginning(incomplete, (f"{name}@{profile}" for profile in known))
    paths = VECTORS.glob("*/*.json") if VECTORS.is_dir() else ()
    return _beginning(incomplete, (f"{path.parent.name}.{path.stem}" for path in paths))


def adapters(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str] | list[CompletionItem]:
    """Return matching adapters of the checkout, or request completion of a path."""
    from firstflight_conformance.adapters.manifest import ManifestError, load_manifests

    if "/" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    try:
        return _beginning(incomplete, load_manifests())
    except (ManifestError, OSError):
        return []


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
