"""Where things lie inside a generation of an index; for those, see `recsys.store.generations`.

vis.index/generations/3/
├── manifest.json    of every file below, those of the models included
├── corpus/          Parquet columns, what is shown of papers, ids, citation graph
├── text/            terms of each paper, BM25 postings
├── vectors/         the vectors, see `recsys.store.vectors`, and what searches them
├── encoder/         an artifact of its own: the ONNX model that made the vectors; not there where
│                    they came from elsewhere without one
├── ranker/          an artifact of its own, written by `recsys train ranker`
├── ranker-no-metadata/
├── nnselect/        an artifact of its own, written by `recsys train nnselect`
├── nnselect-folds/  its vectors for train queries that it has not seen, to train rankers with
├── nnrank/          an artifact of its own, written by `recsys train nnrank`
├── nnrank-no-metadata/
└── contexts/        an artifact of its own: citing sentences, see `recsys.store.contexts`
"""

from pathlib import Path

INDEX_KIND = "index"
# Raised when what is stored is read in another way; versions promise it, as they do the interfaces.
# Every stage of a build depends on it. A file that no change has touched stays as it was written.
INDEX_SCHEMA = 5
CORPUS = "corpus"
TEXT = "text"
YEARS = "years.npy"
FRONT_MATTER = "front_matter.npy"
VECTORS = "vectors"
VECTOR_FILE = "vectors.npy"
FOREST_FILE = "forest.ann"
ENCODER = "encoder"
NNSELECT = "nnselect"
NNRANK = "nnrank"
CONTEXTS = "contexts"
REMOTE = "remote.json"
"""In a generation that was fetched from an object store: where it lies there, as {"uri": ...}."""
ON_STORE = ".lance"
"""Ends the names of folders that are searched on the store itself, and are not fetched."""
BY_WORDS = "by-words"
"""Begins the fingerprint of what stands in for the encoder of vectors from elsewhere."""
UNTIL = "learned until"
"""What the manifest of a model calls the year of the newest query that it learned from."""
WORD_SEARCH = "words"
"""What the manifest of an index calls what searches its words, if that was chosen."""
KEYPHRASES = "keyphrases"
"""What the record of how papers were read calls what their abstracts begin with, if anything."""
DROPPED = "dropped"
"""What the manifest of an index calls the models that went when it was built again."""


def ranker_folder(index: Path, *, metadata: bool) -> Path:
    """Name the folder of an index's own ranker, or of the shipped one below its data folder."""
    return index / ("ranker" if metadata else "ranker-no-metadata")


def nnrank_folder(index: Path, *, metadata: bool) -> Path:
    """Name the folder of an index's NNRank."""
    return index / (NNRANK if metadata else f"{NNRANK}-no-metadata")


def lies_on_store(name: str) -> bool:
    """Tell a file that is not fetched, by its name in the manifest."""
    return any(part.endswith(ON_STORE) for part in name.split("/")[:-1])
