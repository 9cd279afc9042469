"""Rankers: examples, training, calibration, export; the one that ships with the package."""
