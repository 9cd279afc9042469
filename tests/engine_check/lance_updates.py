"""An index that LanceDB searches, changed again and again, answers as one of our own searches."""

from pathlib import Path

import numpy as np

from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.indexes.opening import open_collection
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.store.collection import Collection
from tests.torture.small_world import write_lines

WORDS = "river glacier desert survey instrument ice snow rock water sand".split()
PAPERS, ROUNDS, K = 400, 4, 50


def check_updates(work: Path) -> str:
    """Add, replace and remove papers; after each step compare with an index built anew."""
    rng = np.random.default_rng(0)
    ids = [f"p{at:04}" for at in range(2 * PAPERS)]
    vectors = rng.standard_normal((len(ids), 32)).astype(np.float32)
    write_embeddings(work / "vectors.npy", Embeddings(tuple(ids), vectors))
    papers = {name: _paper(name, rng) for name in ids[:PAPERS]}
    _build(work, "engine.index", papers, "lance", "lance")
    compared = 0
    for step in range(ROUNDS):
        gone = rng.choice(sorted(papers), 20, replace=False).tolist()
        new = ids[PAPERS + 40 * step : PAPERS + 40 * step + 30] + sorted(papers)[:10]
        changed = {name: _paper(name, rng) for name in new}
        papers = {k: v for k, v in papers.items() if k not in gone} | changed
        write_lines(work / "changed.jsonl", list(changed.values()))
        (work / "gone.txt").write_text("\n".join(gone), encoding="utf-8")
        options = UpdateOptions(remove=work / "gone.txt", embeddings=work / "vectors.npy")
        update(work / "engine.index", [work / "changed.jsonl"], options)
        _build(work, f"own-{step}.index", papers, "exact", "own")
        indexes = work / "engine.index", work / f"own-{step}.index"
        compared += _compare(*map(open_collection, indexes))
    return f"{compared:,} searches of vectors and words are those of an index built anew"


def _paper(name: str, rng: np.random.Generator) -> dict[str, object]:
    title, abstract = (" ".join(rng.choice(WORDS, count)) for count in (5, 30))
    return {"id": name, "title": f"{name} {title}", "abstract": abstract,
            "year": int(rng.integers(1990, 2020)), "references": []}  # fmt: skip


def _build(
    work: Path, name: str, papers: dict[str, dict[str, object]], vectors: str, text: str
) -> None:
    write_lines(work / "all.jsonl", list(papers.values()))
    given = work / "vectors.npy"
    options = BuildOptions(encoder=None, embeddings=given, vectors=vectors, text=text)
    build([work / "all.jsonl"], work / name, options, cache=work / "cache")


def _compare(engine: Collection, own: Collection) -> int:
    years = own.corpus.years
    for row in range(0, len(years), 20):
        allowed = years <= years[row]
        allowed[row] = False
        query = np.asarray(own.vectors[row])
        found = [
            (*each.vector_index.search(query, K, allowed=allowed),
             *each.text_index.search(each.terms.query("river of ice", None), K, allowed=allowed))
            for each in (engine, own)
        ]  # fmt: skip
        assert found[0][0].tolist() == found[1][0].tolist(), "other vectors"
        assert np.allclose(found[0][1], found[1][1], atol=1e-6), "other cosines"
        assert found[0][2].tolist() == found[1][2].tolist(), "other words"
        assert found[0][3].tolist() == found[1][3].tolist(), "other scores"
    return 2 * len(range(0, len(years), 20))
