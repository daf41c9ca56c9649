"""The JSON Schemas of ``spec/schemas``, and what of an instance they refuse.

jsonschema-rs says at once that an instance is valid, as nearly all are. Where it is not, jsonschema names the place and the reason.
"""

import json
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource

from firstflight_conformance.paths import SCHEMAS


@cache
def _schemas() -> dict[str, dict[str, Any]]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(SCHEMAS.glob("*.schema.json")))
    return {schema["$id"]: schema for schema in map(json.loads, texts)}


@cache
def schema_registry() -> Registry[Any]:
    """Return the schemas of ``spec/schemas`` by their ``$id``."""
    return Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in _schemas().items())


@cache
def validator(schema_id: str) -> Draft202012Validator:
    """Return a validator for the schema with the given ``$id``."""
    return Draft202012Validator({"$ref": schema_id}, registry=schema_registry())


@cache
def _fast_validator(schema_id: str) -> jsonschema_rs.Draft202012Validator:
    registry = jsonschema_rs.Registry(list(_schemas().items()))
    return jsonschema_rs.Draft202012Validator({"$ref": schema_id}, registry=registry)


def schema_error(schema_id: str, instance: object) -> ValidationError | None:
    """Return what of the instance the schema refuses first, ``None`` if it is valid."""
    try:
        if _fast_validator(schema_id).is_valid(instance):
            return None
    except ValueError:
        pass  # an integer or a text that jsonschema-rs cannot take over
    error: ValidationError | None = best_match(validator(schema_id).iter_errors(instance))
    return error
