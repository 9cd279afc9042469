"""Drafts that are watched: what is new for them, told once."""
