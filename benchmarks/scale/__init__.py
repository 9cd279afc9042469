"""Corpora of any size, made of real texts, and what answering and building cost on them."""
