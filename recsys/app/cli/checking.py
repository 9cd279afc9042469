"""Commands that check: the references of a file, an artifact, the installation."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from recsys.app.cli.options import (
    Index,
    IndexOrStarter,
    OneOf,
    ReportFormat,
    To,
    bad_value,
    sending,
    shown_work,
    tell,
)
from recsys.app.terminal import check_target, columns_of, emit, note, show_bytes
from recsys.formats.check_formats import FORMATS, render_check

if TYPE_CHECKING:
    from recsys.checking.verdicts import CheckReport
    from recsys.records import Paper, PaperId


def check(
    file: Annotated[Path, Argument(metavar="FILE")],
    *,
    index: IndexOrStarter = None,
    online: bool = False,
    source: Annotated[list[str] | None, Option(metavar="NAME")] = None,
    yes: bool = False,
    retractions: Annotated[Path | None, Option(metavar="FILE.csv")] = None,
    suggest: Annotated[int, Option(metavar="N", min=0, max=100)] = 0,
    fix: Annotated[Path | None, Option(metavar="FILE.bib")] = None,
    patch: bool = False,
    to: To = None,
    strict: bool = False,
    output: Annotated[str, OneOf(FORMATS), Option("--format")] = "table",
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    quiet: bool = False,
) -> int:
    """Check that cited works exist and are described correctly.

    Looks every reference up in an index, with --online also in open sources on the web, and
    compares it with the record: title, authors, year, venue, DOI. A reference is confirmed,
    differs, was not found, or could not be checked. A work that was not found may still exist: the
    probability that it does not depends on how complete the sources are for the rest of the list.

    The exit code is 0. With --strict it is 1 if a reference differs, was retracted, or probably
    does not exist.

    Args:
        file: A bibliography (.bib, .ris, CSL-JSON, .csv ...) or a draft with its own.
        online: Also ask sources on the web, once you agree to the plan. Without --index, the
            starter corpus is then not searched.
        source: With --online: one of openalex, crossref, semanticscholar, arxiv and pubmed; may be
            repeated. Default: openalex and crossref.
        yes: Agree to the plans of --online and --to without being asked.
        retractions: CSV file of retractions, as Retraction Watch publishes it. Default: what the
            sources know.
        suggest: Number of papers to recommend that the draft does not cite.
        fix: File to write a corrected copy of the BibTeX file to. Default: none.
        to: With --fix: also add the works of the corrected copy to the Zotero that runs on this
            machine, once you agree to the plan. Works that its library has are only put into
            COLLECTION, which is created if need be (see docs/guide/zotero.md; needs
            `citerec[online]`). Default: none.
        patch: Print the corrections as a unified diff instead of the report.
        strict: Exit with 1 if something is wrong.
        output: Format of the report.
        out: File to write the report to. Default: stdout.
    """
    from recsys.app.check_wiring import checked, online_sources, opened_source
    from recsys.app.wiring import open_index
    from recsys.checking.listed import read_listed
    from recsys.checking.retractions import read_retractions
    from recsys.machine import start_on_one_thread
    from recsys.records import Bibliography, Manuscript, ReadingLists

    start_on_one_thread()
    if source and not online:
        raise bad_value("it goes with --online.", option="--source")
    if (fix is not None or patch) and file.suffix.lower() != ".bib":
        raise bad_value("it is for a .bib file.", option="--fix" if fix else "--patch")
    if fix is not None and fix == out:
        raise bad_value("the report would replace it: give another --out.", option="--fix")
    if to is not None and fix is None:
        raise bad_value("it goes with --fix.", option="--to")
    send = sending(to, yes=yes, quiet=quiet)
    check_target(out)
    check_target(fix)
    listed = read_listed(file)
    notices = {} if retractions is None else read_retractions(retractions)
    sources = []
    if index is not None or not online:
        with shown_work(index, quiet=quiet) as progress:
            sources.append(opened_source(index, progress))
    names = list(dict.fromkeys(source or ("openalex", "crossref"))) if online else []
    with online_sources(listed.references, names, yes=yes, quiet=quiet) as asked:
        report = checked(listed, [*sources, *asked], file=str(file), notices=notices)
    tell((*report.notes, f"Asked: {', '.join(report.asked)}."), quiet=quiet)
    if suggest:  # What the draft, or a paper with this bibliography, should cite, too.
        lists = ReadingLists(liked=Bibliography(() if listed.manuscript else listed.references))
        draft = listed.manuscript or Manuscript()
        answer = open_index(index).recommend(draft, k=suggest, lists=lists)
        report = replace(report, suggested=answer.recommendations)
    if fix is not None or patch:
        _fixed(report, file, fix, patch=patch, quiet=quiet)
    if out is not None or not patch:
        emit(render_check(report, output), out)
    if to is not None and fix is not None:
        send(_works_of(fix))
    return int(strict and any(item.is_wrong for item in report.items))


def _fixed(
    report: "CheckReport", file: Path, fix: Path | None, *, patch: bool, quiet: bool
) -> None:
    """Write the corrected file, and what changes."""
    from recsys.checking.fixes import fixes
    from recsys.formats.files import read_bytes
    from recsys.formats.local_answers.filled_drafts import DraftLines, FilePatch
    from recsys.formats.references.bibtex_entries import with_fields
    from recsys.formats.replacing import replacing

    raw = read_bytes(file)
    lines = DraftLines.of(raw, str(file))
    changes = fixes(report, lines.text)
    new = lines.encoded(with_fields(lines.text, changes))
    fields = sum(map(len, changes.values()))
    note(f"{fields} fields of {len(changes)} entries are corrected.", quiet=quiet)
    if fix is not None:
        with replacing(fix) as temporary:
            temporary.write_bytes(new)
        note(f"Written to {fix}.", quiet=quiet)
    if patch:
        show_bytes(FilePatch(str(file), raw, new).diff())


def _works_of(path: Path) -> "dict[PaperId, Paper]":
    """Read the works of a bibliography as papers; what has no title is none."""
    from recsys.checking.listed import read_listed
    from recsys.formats.papers.external_ids import paper_of

    works = (each for each in read_listed(path).references if each.title)
    return {each.key: paper_of(replace(each, id=each.id or each.key)) for each in works}


def inspect(
    index: Index,
    verify: bool = False,
    output: Annotated[ReportFormat, Option("--format")] = "table",
) -> None:
    """Show what an index holds and check its files.

    Args:
        verify: Also compare the checksum of every file, and check every number of the index.
        output: Format of the report.
    """
    from recsys.app.inspection import inspect_artifact, inspection_json, inspection_table

    found = inspect_artifact(index, hashes=verify)
    columns = columns_of(sys.stdout)
    emit(inspection_json(found) if output == "json" else inspection_table(found, columns))


def doctor(online: bool = False) -> int:
    """Check the installation and this machine.

    Each problem comes with what to do about it. The exit code is 1 if there is a problem.

    Args:
        online: Also send one small request to each web source to check that it answers, that your
            key works, and what is left of the daily budget. Otherwise nothing is sent.
    """
    from recsys.app.doctor import examine
    from recsys.errors import need

    if online:
        need("httpx2", "Asking sources on the web")
    code = 0
    for check in examine(online=online):
        emit(f"{check.text(columns_of(sys.stdout))}\n")
        code |= not check.ok
    return code
