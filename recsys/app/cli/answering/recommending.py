"""The command `recommend`: answers to drafts."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.cli.answering.recommending_choices import (
    AskChoices,
    FilterChoices,
    ListChoices,
    OutputChoices,
    RankingChoices,
)
from recsys.app.cli.declarations import bad_value
from recsys.app.cli.options import Quiet, names_in
from recsys.errors import RecsysError
from recsys.records import Manuscript

if TYPE_CHECKING:
    from recsys.query.question import Asked, Outcome
    from recsys.recommend import Recommender
    from recsys.records import Answer


def recommend(
    ask: AskChoices,
    lists: ListChoices,
    wanted: FilterChoices,
    ranking: RankingChoices,
    output: OutputChoices,
    quiet: Quiet = False,
) -> None:
    """Recommend the papers that a draft should cite, best first.

    A draft is a LaTeX, Markdown, text or PDF file, or a JSON object with a title, an abstract or
    both. The papers that it cites are found in the corpus; they are never recommended, and papers
    like them rise. Without a draft, --seeds alone ask for more of their kind. --where names the
    sentence that each paper fits best.

    When one of several drafts fails, the others are answered all the same, the error names it, and
    the exit code is 1.
    """
    from recsys.processors import start_on_one_thread

    start_on_one_thread()
    from recsys.app.answer_writing import AnswerWriter
    from recsys.app.cli.local.recommending_places import DraftTexts

    words = ask.words(seeds=bool(lists.seeds))
    output.check(several=(several := len(words) > 1))
    texts = DraftTexts(words, output.where)
    drafts, named, filters = texts.asked(ask), lists.read(quiet=quiet), wanted.filters()
    index = _index(ask, drafts[0], wanted.as_of, quiet=quiet)
    writer = AnswerWriter(output.output, output.out, output.out_dir, several, quiet)
    failed: list[RecsysError] = []
    with closing(writer), _opened(index, ranking, quiet=quiet) as found:
        named = ListChoices.looked_up(found, named, quiet=quiet)
        outcomes = found.recommend_many(
            drafts, ask.k, lists=named, as_of=wanted.as_of, filters=filters, diversity=ranking.mmr
        )
        for name, outcome in zip(words or (None,), texts.placed(found, outcomes), strict=True):
            _tell(outcome, f"{name}: " if several else "", verbose=output.verbose, quiet=quiet)
            if outcome.answer is not None:
                writer.write(replace(outcome.answer, draft=name))
            elif outcome.error is not None:
                failed.append(_called(outcome.error, name) if several else outcome.error)
    _raise_all(failed, several=several)


@contextmanager
def _opened(index: Path | None, ranking: RankingChoices, *, quiet: bool) -> "Iterator[Recommender]":
    """Open an index; what is damaged in it is named."""
    from recsys.app.inspection import damage_named

    with damage_named(index):
        yield _open(index, ranking, quiet=quiet)


def _open(index: Path | None, ranking: RankingChoices, *, quiet: bool) -> "Recommender":
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.wiring import lost_ranker, open_index

    searches, metadata = names_in(ranking.candidates), not ranking.no_metadata
    with shown_progress(quiet=quiet) as progress:
        found = open_index(index, metadata=metadata, candidates=searches, progress=progress)
    if (lost := lost_ranker(found)) is not None:
        note(lost, quiet=quiet)
    return found


def _index(ask: AskChoices, draft: "Asked", as_of: int | None, *, quiet: bool) -> Path | None:
    """Return the index that is asked: with --fetch, that of what is around the draft."""
    if not ask.fetch:
        return ask.index
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.fetch_wiring import Teller, fetched_index
    from recsys.app.known_lists import agree

    if not isinstance(draft, Manuscript):
        raise bad_value("it needs a draft with words of its own.", option="--fetch")
    teller = Teller(partial(agree, yes=ask.yes, quiet=quiet), partial(note, quiet=quiet))
    return fetched_index(draft, as_of, teller, lambda: shown_progress(quiet=quiet))


def _tell(outcome: "Outcome", draft: str, *, verbose: bool, quiet: bool) -> None:
    """Say what was understood of a draft, and what each filter removed."""
    from recsys.app.answer_writing import note

    asked = outcome.question
    if asked is None:
        return
    more = " Option -v lists what is missing." if asked.missing and not verbose else ""
    lines = [asked.understood + more, *asked.notes]
    lines += (*asked.details, *asked.missing) if verbose else ()
    if outcome.answer is not None:
        lines += _removed(outcome.answer)
    for line in lines:
        note(draft + line, quiet=quiet)


def _removed(answer: "Answer") -> Iterator[str]:
    from recsys.query.apply_filters import REMOVED

    removed = [f"{n:,} {name}" for name, n in answer.stages.items() if name.startswith(REMOVED)]
    if removed:
        yield f"Of the papers proposed: {', '.join(removed)}."


def _called(error: RecsysError, draft: str | None) -> RecsysError:
    """Name the draft in the error that stands in the place of its answer."""
    return type(error)(f"{draft}: {error.what}", error.hint)


def _raise_all(failed: Sequence[RecsysError], *, several: bool) -> None:
    if failed and not several:
        raise failed[0]
    if failed:
        raise ExceptionGroup("Some drafts were not answered.", failed)
