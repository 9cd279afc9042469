"""From a file of papers to an index: read, derive, encode, build."""
