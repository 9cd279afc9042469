"""Offline jobs: read a corpus, encode it, build an index, train, answer in batch."""
