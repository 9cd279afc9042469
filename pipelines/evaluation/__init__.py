"""Offline evaluation: splits, systems, runs, the leakage guard, and reproduction of figures."""
