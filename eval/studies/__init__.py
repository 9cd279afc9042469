"""Measures and pages of studies: clicks, embeddings of encoders, probes, SciDocs."""
