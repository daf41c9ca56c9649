"""Writes the rows of a sweep as a Parquet file, for column-oriented programs."""

from collections.abc import Sequence
from pathlib import Path

from firstflight_conformance.sweeps.store import FLAGS, TEXTS, Row, StoreError


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write rows with 64-bit integers, texts and truth values; missing values are null. Raise :class:`StoreError`."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise StoreError("--parquet needs the package pyarrow: pip install 'firstflight-conformance[sweep]'") from error
    types = {name: pyarrow.string() if name in TEXTS else pyarrow.int64() for name in rows[0]}
    types |= {name: pyarrow.bool_() for name in FLAGS if name in types}
    columns = {name: pyarrow.array([row[name] for row in rows], kind) for name, kind in types.items()}
    parquet.write_table(pyarrow.table(columns), path)
