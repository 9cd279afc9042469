"""Files of paper vectors: JSON lines as SPECTER writes them, Parquet, and NumPy's `.npy`."""

from recsys.formats.embeddings.embedding_files import Embeddings, read_embeddings, write_embeddings

__all__ = ["Embeddings", "read_embeddings", "write_embeddings"]
