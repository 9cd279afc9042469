"""Open an index for passages: the one place that knows which classes answer them."""

from dataclasses import replace
from pathlib import Path

from recsys.app.wiring import lost_ranker, open_index, serving_model
from recsys.errors import ArtifactError, ArtifactMismatch
from recsys.indexes.opening import with_contexts
from recsys.local.citation_worthiness import CitationWorthiness
from recsys.local.local_recommender import (
    LOCAL_RANKER,
    LocalRecommender,
    PassageRanker,
    PassageReader,
    learned_beside,
    load_local_ranker,
    name_of,
)
from recsys.protocols import Progress, silent
from recsys.recommend import Recommender


def open_local(
    path: Path | None, *, needs: Path | None = None, progress: Progress = silent
) -> LocalRecommender:
    """Open an index for passages, with its own local ranker or the one that ships.

    needs: a judge of sentences, see `needs_citation`.

    Raises:
        ArtifactError: the index, the ranker or the judge is missing, unfinished, damaged, or does
            not fit.
    """
    found = local_of(open_index(path, progress=progress))
    if needs is None:
        return found
    judge = CitationWorthiness.load(needs)
    if judge.encoder != found.recommender.encoder.fingerprint:
        raise ArtifactMismatch(
            f"The judge of sentences in {needs} reads the vectors of another encoder than that of "
            "this index.",
            "Train it with this index: `python -m benchmarks.needs ...` in a checkout.",
        )
    return replace(found, needs=judge)


def local_of(recommender: Recommender) -> LocalRecommender:
    """Let an open index answer passages, too, by how papers were cited if it knows that."""
    ranker = load_local_ranker(serving_model(recommender.collection.folder, LOCAL_RANKER))
    whole = replace(recommender, collection=with_contexts(recommender.collection))
    return LocalRecommender(PassageRanker(PassageReader(whole), ranker))


def said_of_rankers(recommender: Recommender) -> list[str]:
    """Say what is amiss with the rankers that answer drafts and their passages.

    A local ranker that cannot be read is no error here: drafts are answered without it.
    """
    index, parted = recommender.collection.folder, None
    try:
        own = serving_model(index, LOCAL_RANKER)
        # Nobody here can train that of the package.
        if own.parent == index and learned_beside(own) not in (None, name_of(recommender.ranker)):
            parted = (
                "The local ranker of this index has learned beside another ranker of drafts than "
                "the one that answers now, and finds less beside this one: `recsys train local` "
                "trains it again."
            )
    except ArtifactError as error:
        parted = str(error)
    return list(filter(None, (lost_ranker(recommender), parted)))


def open_passages(path: Path) -> PassageRanker:
    """Open what ranks papers for passages, for those who measure it; workers call this by name."""
    return open_local(path).ranker
