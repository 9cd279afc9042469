"""Measurements that the README shows, each runnable on its own."""
