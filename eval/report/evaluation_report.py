"""The report on an evaluation: what it shows, and in which order."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from recsys.errors import ArtifactCorrupt, ArtifactMissing, near_miss
from recsys.eval.judge_runs import assess
from recsys.eval.query_kinds import DRAFTS, kind_of, posed
from recsys.eval.recorded_runs import FACTS, QUERIES
from recsys.eval.report.evaluation_pictures import DRAWINGS, draw
from recsys.eval.report.page import Page, Picture
from recsys.eval.report.query_tables import Queries, made
from recsys.eval.report.sections import sections
from recsys.eval.run_figures import ASSESSMENT, Assessment, load_assessment

SCHEMA = "recsys.report/1"
SUFFIXES: Mapping[str, str] = {"html": ".html", "markdown": ".md", "json": ".json", "latex": ".tex"}
AGAIN = "Run its `recsys evaluate` command again."


@dataclass(frozen=True, slots=True)
class Report(Page):
    """A page, and the assessment that it was made of."""

    assessment: Assessment = field(kw_only=True)


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
    kind = kind_of(assessment.facts)
    part = assessment.facts.get("part") or "judged"
    asked = f"{part} {kind.many}" if kind is DRAFTS else kind.many
    return Report(
        title=f"{'Citation' if kind is DRAFTS else 'Local citation'} recommendation on {corpus}",
        lead=f"{len(assessment.systems)} systems answer {len(assessment.queries):,} {asked} "
        f"with {assessment.gold:,} papers to find, each as of its own year."
        f"{posed(assessment.facts)}",
        sections=sections(assessment, queries),
        facts=tuple(made(assessment)),
        schema=SCHEMA,
        figures={
            **asdict(assessment),
            "titles": {q: (queries.get(q) or {}).get("title") for q in assessment.queries},
        },
        draw=lambda: {
            name: Picture(svg, DRAWINGS[name][1]) for name, svg in draw(assessment).items()
        },
        assessment=assessment,
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
