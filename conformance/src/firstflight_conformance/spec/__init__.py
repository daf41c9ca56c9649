"""The specification as data: clauses, readings and profiles, schemas."""
