"""Bibliographies: `reference_formats` reads those of others, `reference_writers` makes ours."""
