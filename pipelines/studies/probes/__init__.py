"""Probes of embeddings by the classes of their papers."""
