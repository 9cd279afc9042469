"""SciDocs: evaluate embeddings on all its tasks, or make such tasks out of one's own corpus."""
