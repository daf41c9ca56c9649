"""``make dist``: write every archive and their SHA-256 sums."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from dist import contents
from dist.archive import checksums, pack
from firstflight_conformance.paths import BUILD
from firstflight_conformance.version import __version__

_ARCHIVES = {"vectors": contents.vectors, "c": contents.port, "site": contents.site, "wasm": contents.wasm}
#: Archives made from the output of another job: a file of that output, and the job.
_BUILT = {"site": (BUILD / "docs" / "index.html", "docs"), "wasm": (BUILD / "wasm" / "firstflight.wasm", "wasm")}


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=BUILD / "dist", help="Folder to fill.")
def main(*, out: Path) -> None:
    """Write the archives. Remove the files of earlier runs from the folder."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    for name, put_together in _ARCHIVES.items():
        if name in _BUILT and not _BUILT[name][0].exists():
            click.echo(f"firstflight-{name}: skipped: run `make {_BUILT[name][1]}` first")
            continue
        if name == "site" and (missing := contents.missing_parts()):
            raise click.ClickException(f"the site is incomplete: {missing}; run `make docs` where these tools are available")
        with TemporaryDirectory() as stage:
            put_together(Path(stage))
            pack(Path(stage), out / f"firstflight-{name}-{__version__}.tar.gz")
    with TemporaryDirectory() as stage:
        contents.packages(Path(stage), out)
    files = sorted(out.iterdir())
    (out / "SHA256SUMS").write_text(checksums(files), encoding="utf-8")
    for file in files:
        click.echo(f"{file.stat().st_size / 1e6:6.1f} MB  {file}")


if __name__ == "__main__":
    main()
