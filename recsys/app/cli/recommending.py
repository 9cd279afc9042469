"""The commands that answer drafts: `recommend`, and `map`, which draws what is around one."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from recsys.app.cli.options import (
    KEYS_FOLLOW,
    Candidates,
    IndexOrStarter,
    KeyPattern,
    OneOf,
    OwnWords,
    To,
    Without,
    bad_value,
    damage_named,
    named_option,
    names_in,
    sending,
    tell,
)
from recsys.app.terminal import (
    check_folder,
    check_target,
    cleaned,
    draw,
    emit,
    note,
    shown_progress,
)
from recsys.errors import DraftError, InputError, RecsysError
from recsys.formats.answers import FORMATS, table
from recsys.formats.files import STDIN
from recsys.query.question_schema import SHOWN, QuestionOptions, is_file, named_paper
from recsys.records import Answer, Manuscript, Paper, PaperId, ReadingLists

if TYPE_CHECKING:
    from recsys.formats.drafts.draft_formats import OpenDraft
    from recsys.query.resolve_draft import Asked, Outcome
    from recsys.recommend import Recommender

NO_PLACES = "No paper can be placed in it."
_JOINED = " or ".join(name for name, form in FORMATS.items() if form.joins)
_MAP_ENDINGS = (".html", ".svg")


def recommend(
    drafts: Annotated[list[str] | None, Argument(metavar="DRAFT")] = None,
    *,
    index: IndexOrStarter = None,
    k: Annotated[int, named_option("k")] = SHOWN,
    title: OwnWords = None,
    abstract: OwnWords = None,
    root: Annotated[Path | None, Option(metavar="DIR")] = None,
    grobid: Annotated[str | None, Option(metavar="URL")] = None,
    fetch: bool = False,
    to: To = None,
    yes: bool = False,
    asked: Annotated[QuestionOptions, Without("k", "where")],
    candidates: Candidates = None,
    no_metadata: bool = False,
    output: Annotated[str, OneOf(FORMATS), Option("--format")] = "table",
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            show_default="stdout",
            help=f"File to write the answer to. Several drafts can share it as {_JOINED}.",
        ),
    ] = None,
    out_dir: Annotated[Path | None, Option(metavar="DIR")] = None,
    keys: KeyPattern = None,
    where: Annotated[bool, named_option("where")] = False,
    verbose: Annotated[bool, Option("--verbose", "-v")] = False,
    quiet: bool = False,
) -> None:
    """Recommend the papers that a draft should cite, best first.

    Papers that the draft already cites are looked up in the corpus. They are never recommended, and
    papers like them rank higher. Without a draft, --seeds alone finds more papers like those.

    If one of several drafts fails, the others are still answered, and the exit code is 1.

    Args:
        drafts: The draft: .tex, .md, .pdf, .docx, .odt, .txt, .json, .ipynb, .Rnw, .qmd, .Rmd,
            .typ, .org, .zip or a project folder; a reading list; or a paper's DOI, arXiv, ACL or
            corpus id. `-` is stdin. Each of several drafts gets its own answer. Default: stdin.
        root: Folder that the draft's own files must lie in; nothing outside is read. Default: the
            draft's repository, otherwise its folder.
        grobid: Have this GROBID server read the PDF. The PDF is sent to it and nowhere else.
            Default: none.
        fetch: Find papers in open sources on the web instead of an index. You confirm the plan
            first; what is fetched is kept in the cache.
        yes: Confirm the plans of --fetch and --to without asking.
        output: Format of the answer.
        out_dir: Write each answer to a file of its own in this folder. Default: none.
        verbose: Show ids, sources, links and every reason of a paper, and list the references that
            are not in the corpus.
    """
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    from recsys.app.wiring import lost_parts

    if fetch and (index is not None or len(drafts or ()) > 1):
        raise bad_value("it takes a single draft, and no --index.", option="--fetch")
    words = _named_drafts(drafts, title, abstract, root, seeds=bool(asked.seeds))
    several = len(words) > 1
    answers = AnswerWriter(output, out, out_dir, several, quiet, keys, verbose)
    answers.check()
    send = sending(to, yes=yes, quiet=quiet)
    questions, draft = _read_drafts(words, title, abstract, root=root, grobid=grobid)
    lists, filters = _read_lists(asked, quiet=quiet), asked.filters
    filters.check()
    if fetch:
        if not isinstance(questions[0], Manuscript):
            raise bad_value("it needs a draft with text.", option="--fetch")
        from recsys.app.fetch_wiring import fetched_index

        index = fetched_index(questions[0], asked.as_of, yes=yes, quiet=quiet)
    failed: list[RecsysError] = []
    with closing(answers), damage_named(index):
        recommender = _open(index, candidates, metadata=not no_metadata, quiet=quiet)
        tell(lost_parts(recommender), quiet=quiet)
        lists = _look_up_lists(recommender, lists, quiet=quiet)
        outcomes = recommender.recommend_many(
            questions, k, lists=lists, as_of=asked.as_of, filters=filters, diversity=asked.diversity
        )
        names: Sequence[str | None] = words or (None,)
        placed = _with_places(recommender, outcomes, names, draft) if where else outcomes
        for name, outcome in zip(names, placed, strict=True):
            prefix = f"{name}: " if several else ""
            _tell(outcome, prefix, verbose=verbose, quiet=quiet)
            if outcome.answer is not None:
                answers.write(replace(outcome.answer, draft=name))
            elif (error := outcome.error) is not None:
                failed.append(type(error)(prefix + error.what, error.hint) if several else error)
    send(answers.papers)
    if failed:
        raise ExceptionGroup("Some drafts were not answered.", failed) if several else failed[0]


def draw_map(
    draft: Annotated[str | None, Argument(metavar="DRAFT")] = None,
    *,
    index: IndexOrStarter = None,
    out: Annotated[Path, Option(metavar="FILE")] = STDIN,
    title: OwnWords = None,
    abstract: OwnWords = None,
    asked: Annotated[QuestionOptions, Without("k", "where", "diversity")],
    candidates: Candidates = None,
    no_metadata: bool = False,
    quiet: bool = False,
) -> None:
    """Map the papers around a draft and the topics it misses.

    The map has at most 150 papers by topic and year: those that the draft cites, those that
    `recsys recommend` would suggest, and related ones. Topics of which the draft cites few papers
    or none are its gaps: the three largest are named, with their most relevant papers.

    Args:
        draft: The draft, in any format that `recsys recommend` reads; `-` is stdin. Default: stdin.
        out: File to write: a web page with gaps and list (.html) or the picture alone (.svg). `-`
            writes the page to stdout.
    """
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    from recsys.mapping import MAP_FORMATS, gaps_in_words
    from recsys.mapping import draw_map as draw
    from recsys.query.resolve_draft import resolve_draft

    target = None if out == STDIN else out
    ending = _MAP_ENDINGS[0] if target is None else target.suffix.lower()
    if ending not in _MAP_ENDINGS:
        raise bad_value(f"{out} must end in {' or '.join(_MAP_ENDINGS)}.", option="--out")
    check_target(target)
    drafts = None if draft is None else [draft]
    words = _named_drafts(drafts, title, abstract, None, seeds=bool(asked.seeds))
    [given], _ = _read_drafts(words, title, abstract)
    lists, filters = _read_lists(asked, quiet=quiet), asked.filters
    filters.check()
    with damage_named(index):
        recommender = _open(index, candidates, metadata=not no_metadata, quiet=quiet)
        question = resolve_draft(recommender.collection, given, lists=lists, as_of=asked.as_of)
        drawing = draw(recommender, question, filters=filters)
    tell((question.understood, *question.notes, *gaps_in_words(drawing)), quiet=quiet)
    emit(MAP_FORMATS[ending](drawing), target)


@dataclass(slots=True)
class AnswerWriter:
    """Writes one answer, or several, as they come.

    form: one of FORMATS. out: a file for all of them; it is written at the end, whole. folder: for
    a file of each. several: whether there is more than one draft, so that each must be told. keys:
    the pattern of citation keys, if one was asked for. verbose: with ids and all reasons, where
    people read it. papers: of all answers so far, by id.
    """

    form: str
    out: Path | None = None
    folder: Path | None = None
    several: bool = False
    quiet: bool = False
    keys: str | None = None
    verbose: bool = False
    papers: dict[PaperId, Paper] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def check(self) -> None:
        """Refuse what cannot be written, before any work is done.

        Raises:
            UsageError: two places at once, or a format that cannot hold several answers.
            InputError: a path that cannot be written to, or no pattern of keys.
        """
        if self.keys is not None:
            from recsys.formats.references.citation_keys import key_parts

            key_parts(self.keys)
        if self.out is not None and self.folder is not None:
            raise bad_value("Give --out or --out-dir, not both.", option="--out-dir")
        if self.several and self.folder is None and not FORMATS[self.form].joins:
            what = f"{self.form} cannot hold the answers to several drafts."
            raise bad_value(f"{what} Give --out-dir, or {_JOINED}.", option="--format")
        check_target(self.out)
        if self.folder is not None:
            check_folder(self.folder)

    def write(self, answer: Answer) -> None:
        """Write an answer, or keep it for the one file that all of them are written to."""
        self.papers |= {each.paper.id: each.paper for each in answer.recommendations}
        keyed = FORMATS[self.form].keyed
        if keyed and self.keys is None and answer.keys is not None:
            note(KEYS_FOLLOW.format(answer.keys), quiet=self.quiet)
        answer = replace(answer, keys=self.keys or answer.keys)
        if self.folder is not None:
            path = self.folder / self._file_name(answer.draft or "draft")
            self.folder.mkdir(parents=True, exist_ok=True)
            emit(self._text(answer), path)
            note(f"Written to {path}.", quiet=self.quiet)
        elif self.out is not None:
            self._texts.append(self._told_apart(answer, self._text(answer)))
        elif self.form == "table" and sys.stdout is not None and sys.stdout.isatty():
            from recsys.app.coloured_table import coloured_table

            draw(self._told_apart(answer, coloured_table(answer, verbose=self.verbose)))
        else:
            emit(self._told_apart(answer, self._text(answer)))

    def _text(self, answer: Answer) -> str:
        long = self.verbose and self.form == "table"
        return table(answer, verbose=True) if long else answer.write(self.form)

    def close(self) -> None:
        """Write what was kept, though a later draft may have ended the program."""
        if self._texts and self.out is not None:
            emit("".join(self._texts), self.out)

    def _told_apart(self, answer: Answer, text: str) -> str:
        """Head a table with its draft; lines of JSON name theirs."""
        headed = self.several and self.form == "table"
        return f"== {cleaned(answer.draft or '')} ==\n{text}\n" if headed else text

    def _file_name(self, draft: str) -> str:
        """Call a file after its draft: `paper.bib`; of another folder's paper, `paper-2.bib`."""
        stem = "stdin" if draft == "-" else Path(draft).stem if Path(draft).exists() else draft
        stem = re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "draft"
        names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        name = next(name for name in names if name.casefold() not in self._taken)
        self._taken.add(name.casefold())
        return name + FORMATS[self.form].suffix


def _named_drafts(
    drafts: Sequence[str] | None,
    title: str | None,
    abstract: str | None,
    root: Path | None,
    *,
    seeds: bool,
) -> Sequence[str]:
    """Name the drafts: stdin, when the command line says nothing of one.

    Raises:
        UsageError: stdin is a terminal, or a title is given to several drafts.
    """
    words = tuple(drafts or ())
    if not (words or title or abstract or seeds):
        words = ("-",)
    if "-" in words and sys.stdin is not None and sys.stdin.isatty():
        raise bad_value("Give a draft file, or pass a draft on stdin.", option="DRAFT")
    of_one = (title, abstract, root) != (None, None, None)
    if of_one and (len(words) > 1 or not all(map(is_file, words))):
        what = "A title, an abstract and a root need the file of a single draft."
        raise bad_value(what, option="DRAFT")
    return words


def _read_drafts(
    words: Sequence[str],
    title: str | None,
    abstract: str | None,
    *,
    root: Path | None = None,
    grobid: str | None = None,
) -> "tuple[list[Asked], OpenDraft | None]":
    """Put what the words name as the library takes it.

    A single draft is read at once, and stays open: what is wrong with it shall not wait for the
    index, and a pipe ends when it was read.

    Raises:
        UsageError: GROBID shall read something else than one draft.
        InputError: the file of the only draft cannot be read.
    """
    alone = len(words) == 1 and is_file(words[0])
    if grobid is not None:
        if not alone:
            raise bad_value("GROBID reads the PDF of one draft.", option="--grobid")
        from recsys.app.grobid import read_by_grobid

        read = read_by_grobid(grobid, Path(words[0]))
        title = read.title if title is None else title
        abstract = read.abstract if abstract is None else abstract
        return [replace(read, title=title, abstract=abstract)], None
    if alone:
        from recsys.formats.drafts.draft_formats import open_draft

        draft = open_draft(Path(words[0]), title=title, abstract=abstract, root=root)
        return [draft.manuscript], draft
    if not words:
        return [Manuscript(title=title or "", abstract=abstract)], None
    return [Path(word) if is_file(word) else named_paper(word) for word in words], None


def _read_lists(asked: QuestionOptions, *, quiet: bool) -> ReadingLists:
    """Read every list that is named; a long one is remembered.

    Raises:
        InputError: a file cannot be read.
    """
    if not (asked.seeds or asked.not_like or asked.library):
        return ReadingLists()
    from recsys.app.known_lists import read_lists, remembered

    lists = (asked.seeds, asked.not_like, asked.library)
    with shown_progress(quiet=quiet) as progress:
        return ReadingLists(*(read_lists(named, remembered(), progress) for named in lists))


def _look_up_lists(recommender: "Recommender", lists: ReadingLists, *, quiet: bool) -> ReadingLists:
    """Look the works of long lists up, or recall what they mean in this index."""
    if lists == ReadingLists():
        return lists
    from recsys.app.known_lists import look_up, remembered

    every, collection = (lists.liked, lists.disliked, lists.library), recommender.collection
    with shown_progress(quiet=quiet) as progress:
        return ReadingLists(*(look_up(collection, each, remembered(), progress) for each in every))


def _open(
    index: Path | None, candidates: str | None, *, metadata: bool, quiet: bool
) -> "Recommender":
    from recsys.app.wiring import open_index

    with shown_progress(quiet=quiet) as progress:
        return open_index(
            index, metadata=metadata, candidates=names_in(candidates), progress=progress
        )


def _with_places(
    recommender: "Recommender",
    outcomes: "Iterable[Outcome]",
    names: Sequence[str | None],
    draft: "OpenDraft | None",
) -> "Iterator[Outcome]":
    """Add to answers where in the draft each paper fits, and to their notes why nowhere."""
    from recsys.local.where_to_cite import PlaceFinder

    finder = PlaceFinder(recommender)
    for name, outcome in zip(names, outcomes, strict=True):
        answer, question = outcome.answer, outcome.question
        if answer is not None and question is not None:
            try:
                body = (draft or _open_text(name)).body
                answer = finder.place(body, answer, as_of=question.draft.as_of)
            except InputError as error:  # The answer stands without places.
                notes = (*answer.notes, f"{error.what} {NO_PLACES}")
                answer = replace(answer, where={}, notes=notes)
            question = replace(question, notes=answer.notes)
        yield replace(outcome, answer=answer, question=question)


def _open_text(name: str | None) -> "OpenDraft":
    """Open one of several drafts again, for its running text.

    Raises:
        InputError: it has none, or cannot be read again.
    """
    from recsys.formats.drafts.draft_formats import open_draft

    if name is None or not is_file(name):
        raise DraftError(f"{name or 'The draft'} is not a file with running text.")
    if Path(name) == STDIN:
        raise DraftError("Among several drafts, only the title of standard input is read.")
    return open_draft(Path(name))


def _tell(outcome: "Outcome", prefix: str, *, verbose: bool, quiet: bool) -> None:
    """Say what was understood of a draft, and what each filter removed."""
    from recsys.query.query import removed_in_words

    question, answer = outcome.question, outcome.answer
    if question is None:
        return
    more = " Option -v lists the missing ones." if question.missing and not verbose else ""
    lines = [question.understood + more, *question.notes]
    lines += (*question.details, *question.missing) if verbose else ()
    lines += [] if answer is None else filter(None, [removed_in_words(answer.stages)])
    tell((prefix + line for line in lines), quiet=quiet)
