"""Corpora: what is in them, and what they are worth."""
