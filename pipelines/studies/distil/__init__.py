"""Distil a large encoder into a small one: the teacher's vectors are all that is learned from."""
