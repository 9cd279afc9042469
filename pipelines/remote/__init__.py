"""Indexes on an object store: brought there whole or not at all, and fetched once."""
