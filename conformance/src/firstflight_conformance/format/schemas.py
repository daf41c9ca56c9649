"""Validates instances against the JSON Schemas of ``spec/schemas``.

jsonschema-rs is fast and accepts nearly all instances. For an invalid instance jsonschema finds the place and the
reason. Both are imported on first use, so that commands without validation, or without errors, start faster.
"""

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from firstflight_conformance.paths import SCHEMAS

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from referencing import Registry


@cache
def _schemas() -> dict[str, dict[str, Any]]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(SCHEMAS.glob("*.schema.json")))
    return {schema["$id"]: schema for schema in map(json.loads, texts)}


@cache
def schema_registry() -> "Registry[Any]":
    """Return the schemas of ``spec/schemas`` by their ``$id``."""
    from referencing import Registry, Resource

    return Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in _schemas().items())


@cache
def validator(schema_id: str) -> "Draft202012Validator":
    """Return a validator for the schema with the given ``$id``."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$ref": schema_id}, registry=schema_registry())


@cache
def _fast_validator(schema_id: str) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    registry = jsonschema_rs.Registry(list(_schemas().items()))
    return jsonschema_rs.Draft202012Validator({"$ref": schema_id}, registry=registry)


def schema_error(schema_id: str, instance: object) -> "ValidationError | None":
    """Return the most relevant validation error of an instance by a schema, or ``None`` if the instance is valid."""
    try:
        if _fast_validator(schema_id).is_valid(instance):
            return None
    except ValueError:
        pass  # an integer or a text that jsonschema-rs cannot convert
    from jsonschema.exceptions import best_match

    error: ValidationError | None = best_match(validator(schema_id).iter_errors(instance))
    return error
