"""Exports and dumps in XML: one module each, which reads a stream of bytes."""
