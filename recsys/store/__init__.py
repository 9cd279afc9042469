"""What lies on disk and is memory-mapped: arrays, artifacts, corpus, graph, terms, vectors."""
