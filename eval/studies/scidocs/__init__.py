"""SciDocs (Cohan et al. 2020): seven tasks by which embeddings of papers are compared."""
