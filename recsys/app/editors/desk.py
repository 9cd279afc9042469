"""Ask an index on behalf of an editor: everything once, until what it depends on changes."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Generic, TypeVar

import numpy as np

from recsys.app.editors.open_drafts import EditedDraft
from recsys.checking.check import Source, check
from recsys.checking.verdicts import Checked
from recsys.formats.local_answers.shown_gaps import GapKeys, keys_of
from recsys.local.cite import marked, passage_at, unmarked
from recsys.local.local_recommender import LocalRecommender
from recsys.local.passage import Passage
from recsys.protocols import Encoder
from recsys.query.matching import match
from recsys.query.resolve_draft import resolve_draft
from recsys.records import (
    Draft,
    Gap,
    LocalAnswer,
    Manuscript,
    Mark,
    Paper,
    PaperId,
    Recommendation,
    Reference,
    Sentence,
)
from recsys.store.arrays import Floats
from recsys.store.vectors import dots

MOST_PAPERS = 20
"""Papers that a place is answered with: a completion shows all, a gap the best."""
MOST_FLAGGED = 10
"""Sentences without a mark that are flagged at most, as by `recsys cite`."""
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Remembered(Generic[_Key, _Value]):
    """The values of the keys that were asked for last; those of new keys are found together."""

    def __init__(self, find: Callable[[list[_Key]], Iterable[_Value]], most: int) -> None:
        self._find, self._most = find, most
        self._known: OrderedDict[_Key, _Value] = OrderedDict()

    def __call__(self, keys: Sequence[_Key]) -> list[_Value]:
        """Return the value of each key."""
        if new := [key for key in dict.fromkeys(keys) if key not in self._known]:
            self._known.update(zip(new, self._find(new), strict=True))
        for key in keys:
            self._known.move_to_end(key)
        found = [self._known[key] for key in keys]
        while len(self._known) > max(self._most, len(keys)):
            self._known.popitem(last=False)
        return found

    def __contains__(self, key: _Key) -> bool:
        return key in self._known


@dataclass(frozen=True, slots=True)
class RememberingEncoder:
    """Encodes each text once."""

    encoder: Encoder
    known: Remembered[tuple[str, str | None], Floats]

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.encoder.dim

    @property
    def fingerprint(self) -> str:
        """See `Encoder`."""
        return self.encoder.fingerprint

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Encode texts; see `Encoder`."""
        return np.array(self.known(texts), np.float32).reshape(len(texts), self.dim)


@dataclass(frozen=True, slots=True)
class Offered:
    """What may be cited at a place: entries of the bibliographies, then papers of the corpus.

    chances: by the key of an entry or a paper, what recommends it.
    """

    entries: tuple[Reference, ...]
    papers: tuple[Recommendation, ...]
    chances: dict[str, Recommendation]
    keys: GapKeys


class Desk:
    """An open index, and what editors have asked of it lately."""

    def __init__(
        self, recommender: LocalRecommender, source: Source, said: Sequence[str] = ()
    ) -> None:
        """Remember nothing yet.

        source: the same index, as references are looked up in it. said: what is amiss with it.
        """
        collection, encoder = recommender.collection, recommender.recommender.encoder

        def answers(asked: list[tuple[Draft, Passage]]) -> Iterable[tuple[Recommendation, ...]]:
            for draft, passage in asked:
                yield recommender.recommend(draft, [passage], MOST_PAPERS)[0]

        def ids(works: list[Reference]) -> Iterable[PaperId | None]:
            rows = (found.row for found in match(collection, works))
            return (None if row is None else collection.corpus.ids[row] for row in rows)

        def checks(works: list[Reference]) -> Iterable[Checked]:
            return check(works, [source], this_year=date.today().year).items

        self.recommender, self.said = recommender, tuple(said)
        self._checked = Remembered(checks, 20_000)
        self.meant = Remembered(ids, 20_000)
        self.encoder = RememberingEncoder(encoder, Remembered(encoder.encode, 2_000))
        self._answers = Remembered(answers, 200)
        self._drafts = Remembered[Manuscript, Draft](
            lambda facts: [resolve_draft(collection, each).draft for each in facts], 50
        )

    def look_up(self, entries: Sequence[Reference]) -> list[PaperId | None]:
        """Find the papers that references mean."""
        return self.meant(entries)

    def encode(self, entries: Sequence[Reference]) -> None:
        """Encode titles of no known paper, which are compared later."""
        meant = zip(entries, self.meant(entries), strict=True)
        self.encoder.encode([title_of(entry) for entry, paper_id in meant if paper_id is None])

    def check(self, entries: Sequence[Reference]) -> list[Checked]:
        """Compare references with the records of the index."""
        return self._checked(entries)

    def paper(self, paper_id: PaperId) -> Paper | None:
        """Return a paper of the corpus."""
        corpus = self.recommender.collection.corpus
        row = corpus.row(paper_id)
        return None if row is None else corpus.papers([row])[0]

    def paper_of(self, entry: Reference) -> Paper | None:
        """Return the paper of the corpus that an entry means."""
        [paper_id] = self.meant([entry])
        return None if paper_id is None else self.paper(paper_id)

    def gaps(self, draft: EditedDraft) -> tuple[Gap, ...]:
        """Find the places of a draft that lack a citation."""
        found, needs = marked(draft.sentences), self.recommender.needs
        if needs is not None:
            found += unmarked(needs, draft.sentences, MOST_FLAGGED)
        return found

    def answered(self, draft: EditedDraft, gap: Gap) -> Gap:
        """Recommend papers for a place."""
        passage = passage_at(self.recommender, gap, self._ids(draft))
        [papers] = self._answers([(self._draft(draft), passage)])
        return replace(gap, recommendations=papers)

    def reasons(self, draft: EditedDraft, sentence: Sentence, mark: Mark, key: str) -> Gap:
        """Recommend papers for the place of a citation, as if its work were cited nowhere."""
        paper_id = self._ids(draft).get(key)
        passage = passage_at(self.recommender, Gap(sentence, mark.at), self._ids(draft))
        beside = tuple(each for each in passage.beside if each != paper_id)
        whole = self._draft(draft)
        others = tuple(each for each in whole.references if each != paper_id)
        asked = replace(whole, references=others), replace(passage, beside=beside)
        return Gap(sentence, mark.at, mark, None, self._answers([asked])[0])

    def keys(self, draft: EditedDraft, gaps: Sequence[Gap]) -> GapKeys:
        """Name the papers of some places, as the draft does if it has them."""
        return keys_of(LocalAnswer(tuple(gaps)), draft.entries)

    def offered(self, draft: EditedDraft, gap: Gap) -> Offered:
        """Order what may be cited at a place.

        Entries come by their place in the answer, those that are in none by how alike they are to
        the sentence.
        """
        answered = self.answered(draft, gap)
        keys, entries = self.keys(draft, [answered]), draft.entries
        chances = {keys.names[each.paper.id]: each for each in answered.recommendations}
        alike = dict(zip((e.key for e in entries), self._alike(gap.sentence, entries), strict=True))

        def place(entry: Reference) -> tuple[int, float]:
            told = chances.get(entry.key)
            return (MOST_PAPERS + 1 if told is None else told.rank), -alike[entry.key]

        cited = set(gap.sentence.cited)
        return Offered(
            tuple(sorted((each for each in entries if each.key not in cited), key=place)),
            tuple(r for r in answered.recommendations if r.paper.id not in keys.had),
            chances,
            keys,
        )

    def _alike(self, sentence: Sentence, entries: Sequence[Reference]) -> list[float]:
        """Multiply a sentence with the vector of each entry: its paper's, else its title's.

        A title that was never encoded is as unlike as can be: a completion cannot wait for it.
        """
        collection = self.recommender.collection
        vector = self.encoder.encode([(sentence.text, None)])[0]
        found = np.full(len(entries), -1, np.float32)
        rows = [collection.corpus.row(each) if each else None for each in self.meant(entries)]
        held = [place for place, row in enumerate(rows) if row is not None]
        if held:
            found[held] = dots(
                collection.vectors, np.array([rows[p] for p in held], np.int32), vector
            )
        titles = {place: title_of(entries[place]) for place in set(range(len(entries))) - {*held}}
        known = [place for place, title in titles.items() if title in self.encoder.known]
        if known:
            found[known] = self.encoder.encode([titles[place] for place in known]) @ vector
        return found.tolist()

    def _ids(self, draft: EditedDraft) -> dict[str, PaperId]:
        """Return the papers that the keys of a draft name."""
        entries = draft.entries
        named = zip(entries, self.meant(entries), strict=True)
        return {entry.key: paper_id for entry, paper_id in named if paper_id is not None}

    def _draft(self, draft: EditedDraft) -> Draft:
        """Put a draft in the terms of the corpus; its references are looked up apart, each once."""
        facts = replace(draft.manuscript, references=(), notes=(), details=())
        [known] = self._drafts([facts])
        cited = dict.fromkeys(filter(None, self.meant(draft.manuscript.references)))
        return replace(known, references=tuple(cited))


def title_of(entry: Reference) -> tuple[str, str | None]:
    """Return the text that is encoded of an entry."""
    return entry.title or entry.key, entry.abstract
