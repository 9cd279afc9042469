"""What Python users open: `recsys.load` and `recsys.build`, and the recommender that both return.

The one door of the package up to the app.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Unpack

from recsys.errors import InputError
from recsys.query.question_schema import NO_FILTERS, Filters, FilterWords, is_file
from recsys.query.resolve_draft import NO_LISTS, Asked, resolve_draft
from recsys.query.search import named_row, search
from recsys.recommend import Recommender as DraftRecommender
from recsys.records import Bibliography, LocalAnswer, Paper, PaperId, ReadingLists, Reference

if TYPE_CHECKING:
    from recsys.checking.verdicts import CheckReport
    from recsys.local.local_recommender import LocalRecommender
    from recsys.mapping import Map


class Recommender(DraftRecommender):
    """An open index: it answers drafts and passages, finds papers, and draws maps."""

    def cite(
        self,
        draft: str | Path,
        k: int = 3,
        *,
        line: int | None = None,
        offset: int | None = None,
        as_of: int | None = None,
        title: str | None = None,
        abstract: str | None = None,
        liked: Bibliography = NO_LISTS.liked,
    ) -> LocalAnswer:
        """Recommend at most k papers for each place of a draft that lacks a citation.

        Args:
            draft: the path of a draft, or the text of a passage, in which | marks the place.
            k: how many papers at most for each place.
            line: of a draft: only the sentence on this line; None: all that lack a citation.
            offset: of a passage: how many characters stand before its place, instead of |.
            as_of: the year in which it is written.
            title: of the draft, before its own.
            abstract: of the draft, before its own.
            liked: papers to find more of.

        Raises:
            InputError: the draft cannot be read, or there is no sentence at the place.
        """
        from recsys.local.cite import LocalQuestion, cite

        asked = Path(draft) if isinstance(draft, Path) or is_file(draft) else draft
        question = LocalQuestion(
            k, line, offset, as_of=as_of, title=title, abstract=abstract, liked=liked
        )
        return cite(self._local, asked, question)

    @cached_property
    def _local(self) -> "LocalRecommender":
        from recsys.app.wiring import local_of

        return local_of(self)

    def search(self, words: str, k: int = 20) -> list[Paper]:
        """Find at most k papers by words, a title, an id or a DOI, the best first."""
        return self.collection.corpus.papers(search(self.collection, words)[:k])

    def paper(self, paper_id: PaperId) -> Paper:
        """Return a paper by its id, or by its DOI, arXiv or ACL id.

        Raises:
            InputError: the corpus does not hold it.
        """
        corpus = self.collection.corpus
        row = named_row(self.collection, paper_id)
        if row is None:
            what = f"The corpus holds no paper {paper_id[:200]!r}."
            raise InputError(what, "Look for it by words: `recommender.search(...)`.")
        return corpus.papers([row])[0]

    def map(
        self,
        draft: Asked,
        path: str | Path | None = None,
        *,
        lists: ReadingLists = NO_LISTS,
        as_of: int | None = None,
        filters: Filters = NO_FILTERS,
        **only: Unpack[FilterWords],
    ) -> "Map":
        """Draw the papers around a draft; see `recommend` for what is asked.

        Args:
            draft: what was written so far.
            path: a file to write the map to: a page (.html) or the picture alone (.svg).
            lists: papers that the author likes, dislikes or has.
            as_of: the year in which the draft is written.
            filters: what a suggested paper must fulfil.
            only: single filters by their names, such as min_year=2015.

        Raises:
            InputError: the draft cannot be read, or the path ends in neither.
            NothingFound: there is no paper around it.
        """
        from recsys.formats.replacing import write_whole
        from recsys.mapping import MAP_FORMATS, draw_map

        write = None if path is None else MAP_FORMATS.get(Path(path).suffix.lower())
        if path is not None and write is None:
            raise InputError(f"{path} ends in neither {' nor '.join(MAP_FORMATS)}.")
        question = resolve_draft(self.collection, draft, lists=lists, as_of=as_of)
        drawn = draw_map(self, question, filters=filters.narrowed(only))
        if path is not None and write is not None:
            write_whole(Path(path), write(drawn))
        return drawn


def load(
    index: str | Path | None = None,
    *,
    metadata: bool = True,
    candidates: Sequence[str] | None = None,
) -> Recommender:
    """Open an index; without a path, the starter corpus, built once into the user cache.

    Args:
        index: a directory that `recsys build` wrote, or "s3://bucket/path" of one on a store.
        metadata: whether authors and venues may count in the ranking.
        candidates: some of "embedding", "nnselect" and "bm25", where candidates come from; None:
            what the index's ranker was trained with.
    """
    from recsys.app.wiring import open_index

    path = None if index is None else Path(index)
    opened = open_index(path, metadata=metadata, candidates=candidates)
    return Recommender(*(getattr(opened, each.name) for each in fields(opened)))


def build(
    papers: str | Path | Iterable[str | Path | Paper | Mapping[str, object]],
    out: str | Path,
    *,
    encoder: str = "minilm",
    force: bool = False,
) -> Recommender:
    """Build an index and open it; nothing is done where it stands already, from the same papers.

    Args:
        papers: files and folders of any format that `recsys build` reads; or papers, each a
            `Paper` or a mapping with the fields of one.
        out: the directory to write.
        encoder: `minilm`, `mpnet`, the name of a model on the Hugging Face hub, or a directory.
        force: build again though nothing has changed, and replace another index.

    Raises:
        InputError: files and papers are mixed, or `out` is in the way.
        CorpusError: a file cannot be read, or there is no usable paper.
    """
    from recsys.app.wiring import build_index

    given = [papers] if isinstance(papers, str | Path) else list(papers)
    files = [Path(each) for each in given if isinstance(each, str | Path)]
    values = [each for each in given if not isinstance(each, str | Path)]
    if files and values:
        raise InputError("Files and papers are mixed.", "Give one or the other.")
    with TemporaryDirectory() as folder:
        if values:
            files = [Path(folder) / "papers.jsonl"]
            records = (asdict(each) if isinstance(each, Paper) else dict(each) for each in values)
            lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in records)
            files[0].write_text("".join(lines), encoding="utf-8")
        build_index(files, Path(out), encoder=encoder, force=force)
    return load(out)


def check(
    references: str | Path | Bibliography | Sequence[Reference],
    index: str | Path | None = None,
    *,
    online: Sequence[str] = (),
    retractions: str | Path | None = None,
) -> "CheckReport":
    """Check whether the works of a bibliography exist, and are described as they are.

    Args:
        references: a bibliography's file, a draft's, or what `read_references` read.
        index: where they are looked for; None: in the sources of `online`, without any of them in
            the starter corpus.
        online: sources on the web to ask, too: some of "openalex", "crossref", "semanticscholar",
            "arxiv" and "pubmed". Who names one agrees that titles and identifiers are sent there.
        retractions: a file in the columns of Retraction Watch.

    Raises:
        InputError: a file cannot be read, or there is no such source.
        ArtifactError: the index is missing or damaged.
    """
    from recsys.app.check_wiring import checked, online_sources, opened_source
    from recsys.checking.listed import Listed, read_listed
    from recsys.checking.retractions import read_retractions

    if isinstance(references, str | Path):
        listed, file = read_listed(Path(references)), str(references)
    else:
        books = (
            references if isinstance(references, Bibliography) else Bibliography(tuple(references))
        )
        listed, file = Listed(books.references, books.problems), "references"
    notices = {} if retractions is None else read_retractions(Path(retractions))
    sources = []
    if index is not None or not online:
        sources.append(opened_source(None if index is None else Path(index)))
    with online_sources(listed.references, online, yes=True, quiet=True) as asked:
        return checked(listed, [*sources, *asked], file=file, notices=notices)
