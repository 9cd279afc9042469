"""Measures, protocols and reports: how good a ranking is, by rules that forbid hindsight."""
