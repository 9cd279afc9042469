"""The report on an evaluation: what it shows, in which order, and every format it is written in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from eval.assess import assess
from eval.assessment import ASSESSMENT, Assessment, load_assessment
from eval.evaluation import FACTS, QUERIES
from eval.report_html import html
from eval.report_queries import Queries, made
from eval.report_sections import Report, sections
from eval.report_tables import Cell, Table, cells, escape_markdown, latex_table, markdown_table
from recsys.errors import ArtifactCorrupt, ArtifactMissing, near_miss

SCHEMA = "recsys.report/1"
SUFFIXES: Mapping[str, str] = {"html": ".html", "markdown": ".md", "json": ".json", "latex": ".tex"}
AGAIN = "Run its `recsys evaluate` command again."


def read_report(folder: Path) -> Report:
    """Report on an evaluation; it is assessed first if it has not been.

    Raises:
        ArtifactError: the folder is missing, or its assessment is unreadable or of another schema.
        InputError: a run, the judgements or the facts are missing or broken.
    """
    if not folder.is_dir():
        siblings = [path.name for path in folder.parent.glob("*")]
        raise ArtifactMissing(
            f"There is no folder {folder}.{near_miss(folder.name, siblings)}",
            "Write one with `recsys evaluate INDEX --split FILE --out DIR`.",
        )
    if not (folder / FACTS).is_file():
        raise ArtifactMissing(
            f"{folder} has no {FACTS}: it is not a finished evaluation.",
            "Run its `recsys evaluate` command again, or score runs from elsewhere with "
            "`recsys compare`.",
        )
    assessment = load_assessment(folder) if _assessed(folder) else assess(folder)
    return make_report(assessment, read_queries(folder))


def _assessed(folder: Path) -> bool:
    """Tell whether the assessment is there, and of the runs that are there now."""
    path = folder / ASSESSMENT
    return path.is_file() and path.stat().st_mtime >= (folder / FACTS).stat().st_mtime


def make_report(assessment: Assessment, queries: Queries) -> Report:
    """Put an assessment in words and tables."""
    corpus = (assessment.facts.get("corpus") or {}).get("name") or "a corpus"
    part = assessment.facts.get("part") or "judged"
    return Report(
        title=f"Citation recommendation on {corpus}",
        lead=f"{len(assessment.systems)} systems answer {len(assessment.queries):,} {part} queries "
        f"with {assessment.gold:,} papers to find, each as of its own year.",
        sections=sections(assessment, queries),
        facts=tuple(made(assessment)),
        assessment=assessment,
        titles={query: (queries.get(query) or {}).get("title") for query in assessment.queries},
    )


def read_queries(folder: Path) -> Queries:
    """Read what an evaluation tells about its queries.

    Raises:
        ArtifactCorrupt: queries.json is not there or not readable.
    """
    path = folder / QUERIES
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArtifactCorrupt(f"{path} cannot be read ({error}).", AGAIN) from error
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise ArtifactCorrupt(f"{path} does not map queries to facts.", AGAIN)
    return value


def markdown(report: Report) -> str:
    """Write headings, sentences and pipe tables."""
    parts = [f"# {escape_markdown(report.title)}", report.lead]
    for section in report.sections:
        parts += [f"## {section.title}", section.text, *map(markdown_table, section.tables)]
    made = Table("made", "What it takes to make it again.", ("", ""), _fact_rows(report), 2)
    parts += ["## How it was made", markdown_table(made)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def latex(report: Report) -> str:
    """Write every table; the preamble needs booktabs, and UTF-8 input."""
    tables = [latex_table(table) for section in report.sections for table in section.tables]
    return "\n".join([f"% {SCHEMA}; needs \\usepackage{{booktabs}}", *tables])


def as_json(report: Report) -> str:
    """Write one JSON object of schema `recsys.report/1`."""
    value = asdict(report.assessment) | {"schema": SCHEMA, "titles": report.titles}
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


RENDERERS: Mapping[str, Callable[[Report], str]] = {
    "html": html,
    "markdown": markdown,
    "json": as_json,
    "latex": latex,
}


def _fact_rows(report: Report) -> tuple[tuple[Cell, ...], ...]:
    return tuple(cells(name, value) for name, value in report.facts)
