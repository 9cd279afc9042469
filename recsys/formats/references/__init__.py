"""Bibliographies: `reading` understands those of other programs, `writing` makes ours."""
