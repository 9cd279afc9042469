"""Encoders side by side: what was measured of each, and which differ by more than chance."""
