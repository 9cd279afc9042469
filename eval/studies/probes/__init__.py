"""Probes: what the classes of papers tell about their vectors."""
