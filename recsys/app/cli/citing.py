"""The command `cite`: which paper belongs to which sentence, and into which files it goes."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    KEYS_FOLLOW,
    IndexOrStarter,
    KeyPattern,
    OneOf,
    OwnWords,
    To,
    bad_value,
    damage_named,
    named_option,
    sending,
    tell,
)
from recsys.app.terminal import check_target, draw, emit, note, show_bytes, shown_progress
from recsys.formats.answers import LOCAL_FORMATS
from recsys.formats.files import STDIN, read_text
from recsys.query.question_schema import read_references
from recsys.records import LEAST_CHANCE, Paper, PaperId

if TYPE_CHECKING:
    from recsys.formats.local_answers.filled_drafts import BibFile
    from recsys.formats.local_answers.shown_gaps import GapKeys
    from recsys.local.cite import LocalQuestion
    from recsys.records import LocalAnswer

Accept: TypeAlias = Literal["marked", "all"]


def cite(
    draft: Annotated[str | None, Argument(metavar="DRAFT")] = None,
    *,
    index: IndexOrStarter = None,
    line: Annotated[int | None, Option(metavar="N", min=1)] = None,
    offset: Annotated[int | None, Option(metavar="N", min=0)] = None,
    needs: Annotated[Path | None, Option(metavar="DIR")] = None,
    most: Annotated[int, Option(metavar="N", min=0)] = 10,
    k: Annotated[int, Option("-k", min=1)] = 3,
    as_of: Annotated[int | None, named_option("as_of")] = None,
    title: OwnWords = None,
    abstract: OwnWords = None,
    seeds: Annotated[list[str] | None, named_option("seeds")] = None,
    output: Annotated[str, OneOf(LOCAL_FORMATS), Option("--format")] = "table",
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    fill: Annotated[Path | None, Option(metavar="FILE.bib")] = None,
    patch: bool = False,
    dry_run: Annotated[bool, Option(rich_help_panel="Changes to the draft")] = False,
    least: Annotated[float, Option(metavar="P", min=0, max=1)] = LEAST_CHANCE,
    accept: Accept = "marked",
    to: To = None,
    yes: bool = False,
    keys: KeyPattern = None,
    verbose: Annotated[bool, Option("--verbose", "-v")] = False,
    quiet: bool = False,
) -> None:
    """Find papers for the sentences that still lack a citation.

    Looks at the marks that authors leave, such as \\cite{?}, [CITE] or \\todo{cite}. A sentence
    never gets a paper that it already cites.

    Only --patch changes the draft.

    Args:
        draft: The draft: .tex, .md, .typ, .txt, .docx, .pdf or .zip. `-` reads a passage from
            stdin, where | marks the place. Default: stdin.
        line: Answer only for the sentence on this line. Default: all.
        offset: Place in a passage from stdin, in characters from its start. Default: at the | or
            the end.
        needs: Classifier of sentences that you trained: sentences that need a citation but have no
            mark are answered too. recsys ships none, because none was accurate enough outside the
            field it was trained on. Default: none.
        most: Maximum number of sentences without a mark, with --needs.
        k: Number of papers per place.
        output: Format of the answer.
        out: File to write the answer to. Default: stdout.
        fill: Add the accepted papers to this BibTeX file; existing entries stay as they are.
            Default: none.
        patch: Also replace the marks in the draft with the keys, and print the changes as a unified
            diff.
        dry_run: Show what would change, and change no file.
        least: Accept the best paper of a place if its probability is at least this.
        accept: Accept papers for marks only, or also for sentences without one.
        to: Also add the accepted papers to the Zotero that runs on this machine, once you agree to
            the plan. Papers that its library has are only put into COLLECTION, which is created if
            need be (see docs/guide/zotero.md; needs `citerec[online]`). Default: none.
        yes: Agree to the plan of --to without being asked.
        verbose: Show ids, sources, links and every reason of a paper.
    """
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    from recsys.formats.local_answers.shown_gaps import keys_of
    from recsys.formats.references.citation_keys import key_parts
    from recsys.local.cite import LocalQuestion

    is_passage = draft in (None, str(STDIN))
    if is_passage and sys.stdin is not None and sys.stdin.isatty():
        raise bad_value("Give a draft file, or pass a passage on stdin.", option="DRAFT")
    if offset is not None and not is_passage:
        what = "--offset is for a passage on stdin; for a file, use --line."
        raise bad_value(what, option="--offset")
    check_target(out)
    if keys is not None:
        key_parts(keys)
    _check_filling(fill, patch=patch, dry_run=dry_run, is_passage=is_passage)
    send = None if to is None or dry_run else sending(to, yes=yes, quiet=quiet)
    question = LocalQuestion(
        k=k, line=line, offset=offset, most=most, as_of=as_of, title=title, abstract=abstract,
        liked=read_references(*(seeds or ())),
    )  # fmt: skip
    asked = read_text(STDIN) if is_passage else Path(draft or "")
    answer = _answer(index, needs, asked, question, quiet=quiet)
    file = None
    if fill is not None:
        from recsys.formats.local_answers.filled_drafts import BibFile  # Seldom needed, and much.

        file = BibFile.read(fill)
    named = keys_of(answer, file.references if file else (), keys)
    if keys is None and named.pattern is not None:
        note(KEYS_FOLLOW.format(named.pattern), quiet=quiet)
    write = _prepared(
        answer, file, named, send, least=least, accept=accept, patch=patch, dry=dry_run, quiet=quiet
    )
    if out is not None or not patch:
        _show(answer, named, output, out, verbose=verbose)
    write()
    _check_found(answer)


def _answer(
    index: Path | None,
    needs: Path | None,
    asked: Path | str,
    question: "LocalQuestion",
    *,
    quiet: bool,
) -> "LocalAnswer":
    """Ask an index about the places of a draft; say what was understood, counted, and not read."""
    from recsys.app.wiring import open_local, said_of_index
    from recsys.formats.local_answers.shown_gaps import looked_at
    from recsys.local import cite as local

    with damage_named(index):
        with shown_progress(quiet=quiet) as progress:
            recommender = open_local(index, needs=needs, progress=progress)
        tell(said_of_index(recommender.recommender), quiet=quiet)
        answer = local.cite(recommender, asked, question)
    counted = looked_at(answer) and f"Searched: {looked_at(answer)}."
    tell(filter(None, (answer.understood, counted, *answer.notes)), quiet=quiet)
    return answer


def _check_filling(fill: Path | None, *, patch: bool, dry_run: bool, is_passage: bool) -> None:
    """Refuse what cannot be filled, before any work is done.

    Raises:
        UsageError: a patch without entries or without a file, or a file that is no .bib.
        InputError: a path that cannot be written to.
    """
    if fill is None:
        if patch or dry_run:
            what = "Keys need entries: add --fill FILE.bib."
            raise bad_value(what, option="--patch" if patch else "--dry-run")
        return
    if fill.suffix.lower() != ".bib":
        raise bad_value(f"{fill} does not end in .bib.", option="--fill")
    if patch and is_passage:
        raise bad_value("A passage on stdin has no file to patch.", option="--patch")
    check_target(fill)


def _prepared(
    answer: "LocalAnswer",
    file: "BibFile | None",
    keys: "GapKeys",
    send: "Callable[[dict[PaperId, Paper]], None] | None",
    *,
    least: float,
    accept: Accept,
    patch: bool,
    dry: bool,
    quiet: bool,
) -> "Callable[[], None]":
    """Choose papers, and return what writes them: nothing, before all is known to fit.

    Raises:
        InputError: the bibliography or the draft cannot be changed so.
    """
    if file is None and send is None:
        return lambda: None
    from recsys.formats.local_answers.filled_drafts import accepted, patches, told, write_patches

    taken = accepted(answer, keys, least=least, unmarked=accept == "all")
    papers = {each.paper.id: each.paper for each in taken}
    if file is None:
        return lambda: send(papers) if send is not None else None
    entries, changes = file.with_entries(taken, keys), patches(answer, taken) if patch else ()

    def write() -> None:
        """Write the entries, then the draft, and say which key goes where."""
        if not taken:
            what = f"No paper has a probability of at least {least:g}: nothing was written."
            note(what, quiet=quiet)
            return
        if not dry:
            write_patches((entries, *changes))
        new = {each.key for each in taken if each.paper.id not in keys.had}
        done = "would be" if dry else "were"
        lines = [*told(answer, taken)]
        lines.append(
            f"Entries that {done} added to {file.path}: {len(new):,}; places: {len(taken):,}."
        )
        if file.raw is None and new:
            lines.append(f"{file.path} is new: add it to the draft's bibliography.")
        tell(lines, quiet=quiet)
        show_bytes(b"".join(each.diff() for each in changes))
        if send is not None:
            send(papers)

    return write


def _show(
    answer: "LocalAnswer", keys: "GapKeys", form: str, out: Path | None, *, verbose: bool
) -> None:
    from recsys.formats.answers import render_local
    from recsys.formats.local_answers.shown_gaps import gap_table

    if form != "table":
        emit(render_local(answer, form, keys), out)
    elif out is None and not answer.gaps:
        return  # The error says the same.
    elif out is None and sys.stdout is not None and sys.stdout.isatty():
        from recsys.app.coloured_table import coloured_gaps

        draw(coloured_gaps(answer, keys, verbose=verbose))
    else:
        emit(gap_table(answer, keys, verbose=verbose), out)


def _check_found(answer: "LocalAnswer") -> None:
    """End with the exit code of nothing found, where no place got a paper."""
    from recsys.errors import NothingFound
    from recsys.formats.local_answers.shown_gaps import nothing_found

    if not answer.gaps:
        raise NothingFound(
            nothing_found(answer), "Mark a place with [CITE], or choose one with --line."
        )
    if not any(gap.recommendations for gap in answer.gaps):
        what = f"No paper of the index fits any of the {len(answer.gaps):,} places."
        raise NothingFound(what, "Try a later --as-of, or another --index.")
