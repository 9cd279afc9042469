"""Write what a check found: for people, for programs, for editors and code scanning.

A new format is what writes it, and a row in FORMATS.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from recsys.checking.verdicts import Checked, CheckReport, Notice, Record, Verdict
from recsys.errors import check_name
from recsys.formats.answers import (
    json_text,
    paper_lines,
    percent,
    recommendation_record,
    sarif_place,
    sarif_text,
    text_row,
)
from recsys.formats.references.shown_facts import one_line
from recsys.records import Reference

if TYPE_CHECKING:
    from recsys.checking.fields import Comparison

CHECK_SCHEMA = "recsys.check/1"
CHECKED_SCHEMA = "recsys.checked-reference/1"
RULES = {
    Verdict.DIFFERS: ("warning", "The work exists, and the reference describes it wrongly."),
    Verdict.NOT_FOUND: ("note", "No source that was asked has such a work."),
    Verdict.NOT_CHECKABLE: ("none", "The sources that were asked rarely hold such works."),
    Verdict.NOT_CHECKED: ("none", "A source could not be asked."),
    Notice.RETRACTED: ("error", "The work was retracted."),
    Notice.CONCERN: ("warning", "An expression of concern was published about the work."),
    Notice.CORRECTED: ("note", "A correction of the work was published."),
    Notice.DUPLICATE: ("note", "Two entries are one work."),
    Notice.SUPERSEDED: ("note", "The preprint has been published."),
    Notice.INCOMPLETE: ("note", "The work has a DOI that the reference lacks."),
    Notice.NEVER_CITED: ("note", "The draft never cites the entry."),
}
_GRAVEST = (Verdict.DIFFERS, Verdict.NOT_FOUND, Verdict.NOT_CHECKED, Verdict.NOT_CHECKABLE)
_ORDER = {verdict: place for place, verdict in enumerate(_GRAVEST)}
_INDENT = "    "


def table(report: CheckReport) -> str:
    """Write the sum, then each reference that is not just confirmed, the gravest first."""
    blocks = [report.summary]
    unasked: dict[str, list[str]] = {}  # What could not be asked is often all for one reason.
    for item in by_gravity(report):
        if item.verdict is Verdict.NOT_CHECKED and not item.remarks:
            unasked.setdefault(one_line(item.why), []).append(name_of(item))
        else:
            blocks.append(_block(f"{item.verdict}: {name_of(item)}", said_of(item)))
    blocks += [_block(f"{Verdict.NOT_CHECKED}: {why}", names) for why, names in unasked.items()]
    if report.unlisted:
        blocks.append(f"cited but not listed: {', '.join(report.unlisted)}")
    if report.suggested:
        rows = "\n".join(text_row(item, *paper_lines(item)) for item in report.suggested)
        blocks.append(f"Recommended, and not cited:\n{rows}")
    return "\n\n".join(blocks) + "\n"


def _block(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *(f"{_INDENT}{line}" for line in lines)])


def by_gravity(report: CheckReport) -> list[Checked]:
    """Order what is worth telling: what is wrong, then what was not found, then remarks."""
    shown = (item for item in report.items if item.verdict is not Verdict.CONFIRMED or item.remarks)
    return sorted(
        shown, key=lambda item: (not item.is_wrong, _ORDER.get(item.verdict, len(_ORDER)))
    )


def name_of(item: Checked) -> str:
    """Name a reference by its key, its title, or what it has."""
    work = item.reference
    title = one_line(work.title or work.doi or work.arxiv or work.url or "without a title")
    return f"[{work.key}] {title}" if work.key else title


def said_of(item: Checked) -> list[str]:
    """Say what was found out about a reference, a sentence a line."""
    lines = [] if item.verdict is Verdict.CONFIRMED else [one_line(item.why)]
    lines += [difference(each) for each in item.differences]
    if item.absent is not None:
        lines.append(f"The probability that there is no such work is {percent(item.absent)}.")
    lines += [f"{remark.notice}: {one_line(remark.text)}" for remark in item.remarks]
    if item.record is not None and item.verdict is Verdict.DIFFERS:
        lines.append(f"Record: {cited(item.record)}")
    return lines


def difference(each: "Comparison") -> str:
    """Say how a field differs."""
    remark = f" ({each.remark})" if each.remark else ""
    given, found = one_line(each.given)[:200], one_line(each.found)[:200]
    return f"{each.field}: given {given!r}, found {found!r}{remark}"


def cited(record: Record) -> str:
    """Describe a record on one line, with where it is."""
    work = record.work
    authors = ", ".join(work.authors[:3]) + (" et al." if len(work.authors) > 3 else "")
    facts = (authors, str(work.year or ""), work.title, work.venue, work.doi)
    told = " | ".join(one_line(fact) for fact in facts if fact)
    return f"{told} | {record.id} in {record.source}"


def lines(report: CheckReport) -> str:
    """Write a line for each problem, as compilers do: file:line: message."""
    told = []
    for item in by_gravity(report):
        place = f"{report.file}:{report.lines.get(item.reference.key, 1)}"
        text = "; ".join(said_of(item))
        told.append(f"{place}: {item.verdict}: {name_of(item)}: {text}\n")
    told += [f"{report.file}:1: cited but not listed: {key}\n" for key in report.unlisted]
    return "".join(told)


def as_json(report: CheckReport) -> str:
    """Write everything in the JSON shape `recsys.check/1`."""
    return json_text(check_record(report), indent=1) + "\n"


def check_record(report: CheckReport) -> dict[str, Any]:
    """Put a check into its JSON shape."""
    return {
        "schema": CHECK_SCHEMA,
        "summary": report.summary,
        "counts": dict(report.counts),
        "asked": list(report.asked),
        "notes": list(report.notes),
        "unlisted": list(report.unlisted),
        "references": [checked_record(item) for item in report.items],
        "suggested": [recommendation_record(item) for item in report.suggested],
    }


def checked_record(item: Checked) -> dict[str, Any]:
    """Put a checked reference into its JSON shape."""
    return {
        "schema": CHECKED_SCHEMA,
        "reference": _work(item.reference),
        "verdict": str(item.verdict),
        "why": item.why,
        "record": _record(item.record),
        "published": _record(item.published),
        "comparisons": [
            {"field": each.field, "given": each.given, "found": each.found, "agrees": each.agrees,
             "remark": each.remark}
            for each in item.comparisons
        ],
        "absent": None if item.absent is None else round(item.absent, 4),
        "remarks": [{"notice": str(each.notice), "text": each.text} for each in item.remarks],
    }  # fmt: skip


def _record(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    facts = {"source": record.source, "id": record.id, "probability": round(record.chance, 4)}
    return facts | _work(record.work)


def _work(work: Reference) -> dict[str, Any]:
    facts = ("key", "title", "year", "venue", "doi", "arxiv", "url")
    told = {name: value for name in facts if (value := getattr(work, name))}
    return told | {"authors": list(work.authors)}


def sarif(report: CheckReport) -> str:
    """Write a SARIF log with one run, whose results are the problems."""
    ids = {rule: str(rule).replace(" ", "-") for rule in RULES}
    results = []
    for item in by_gravity(report):
        found: list[Verdict | Notice] = [remark.notice for remark in item.remarks]
        found += [item.verdict] if item.verdict in RULES else []
        region = {"startLine": report.lines.get(item.reference.key, 1)}
        place = {"physicalLocation": sarif_place(PurePath(report.file)) | {"region": region}}
        text = one_line(f"{name_of(item)}: {' '.join(said_of(item))}")
        for rule in found:
            digest = hashlib.sha256(f"{rule}\n{name_of(item)}".encode(errors="replace"))
            results.append({
                "ruleId": ids[rule], "ruleIndex": list(RULES).index(rule),
                "level": RULES[rule][0],
                "message": {"text": text.replace("{", "").replace("}", "")}, "locations": [place],
                "partialFingerprints": {"reference/v1": digest.hexdigest()[:16]},
            })  # fmt: skip
    rules = {ids[rule]: told for rule, told in RULES.items()}
    return sarif_text(rules, {"columnKind": "unicodeCodePoints", "results": results})


def markdown(report: CheckReport) -> str:
    """Write a list for a note or an issue."""
    from recsys.formats.references.reference_writers import escaped

    blocks = [f"**{escaped(report.summary)}**"]
    for item in by_gravity(report):
        points = "".join(f"\n  - {escaped(line)}" for line in said_of(item))
        blocks.append(f"- {item.verdict}: {escaped(name_of(item))}{points}")
    if report.unlisted:
        blocks.append(f"- cited but not listed: {escaped(', '.join(report.unlisted))}")
    return "\n".join([blocks[0], "", *blocks[1:]]) + "\n"


_STYLE = """
section { border-top: 1px solid var(--line); padding: .6rem 0; }
h2 { font-size: 1rem; margin: 0 0 .2rem; } h2 span { color: var(--soft); font-weight: normal; }
"""


def html(report: CheckReport) -> str:
    """Write a web page that needs nothing else."""
    from recsys.formats.references.web_page import html_text, note_list, page_head

    parts = [page_head("References, checked", _STYLE), f"<p>{html_text(report.summary)}</p>\n"]
    parts += [f"<p>{html_text(note)}</p>\n" for note in report.notes]
    for item in by_gravity(report):
        parts.append(
            f'<section>\n<h2 dir="auto"><span>{html_text(str(item.verdict))}</span> '
            f"{html_text(name_of(item))}</h2>\n{note_list(said_of(item))}</section>\n"
        )
    if report.unlisted:
        names = html_text(", ".join(report.unlisted))
        parts.append(f"<section>\n<h2>Cited, but not listed</h2>\n<p>{names}</p>\n</section>\n")
    if report.suggested:
        titles = note_list(one_line(item.paper.title) for item in report.suggested)
        parts.append(f"<section>\n<h2>Recommended, and not cited</h2>\n{titles}</section>\n")
    return "".join((*parts, "</body>\n</html>\n"))


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "table": table, "json": as_json, "lines": lines, "markdown": markdown, "html": html,
    "sarif": sarif,
}  # fmt: skip
"""How a check can be written -> what writes it."""


def render_check(report: CheckReport, name: str) -> str:
    """Write a check in a format of FORMATS.

    Raises:
        InputError: there is no such format.
    """
    check_name(name, FORMATS, "format")
    return FORMATS[name](report)
