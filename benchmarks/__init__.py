"""Measurements that docs/results shows, each runnable on its own."""
