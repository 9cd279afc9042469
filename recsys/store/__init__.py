"""What lies on disk and is memory-mapped: arrays, artifacts, corpus, citation graph, terms."""
