"""Write the page of figures on the judge of sentences."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recsys.errors import InputError
from recsys.pipelines.studies.needs.needs_figures import VIEWS

BEGIN, END = "<!-- needs -->", "<!-- /needs -->"


def write_page(path: Path, figures: Mapping[str, Any]) -> None:
    """Replace what stands between the page's two marks.

    Raises:
        InputError: the page is missing or has no marks.
    """
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(
            f"{path} has no place for the figures.", f"Write {BEGIN} and {END} on lines of it."
        )
    table = "\n".join(page_lines(figures))
    path.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def page_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield (
        f"{figures['texts']} texts, {figures['sentences']} sentences; {figures['examples']} are "
        f"examples, {figures['citing']} of them cite. {figures['test_texts']} texts are kept for "
        f"the test; there, {figures['test_share']:.0%} of the examples cite."
    )
    yield "\n**Texts not seen in training.**\n"
    yield (
        "| of the draft is known | AUC | marks at the end only | with what the rules refuse "
        "| P@5 | P@10 |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for view, row in figures["views"].items():
        five, ten = row["precision"]
        yield (
            f"| {VIEWS[view]} | {row['shown']} | {row['at_end']:.3f} | {row['with_refused']:.3f} "
            f"| {five:.2f} | {ten:.2f} |"
        )
    yield f"\nExpected calibration error there: {figures['ece']:.3f}."
    yield "\n**Fields not seen in training.**\n"
    yield "| field | texts | examples | citing | " + " | ".join(VIEWS.values()) + " |"
    yield "| --- " + "| ---: " * 6 + "|"
    for row in figures["fields"]:
        areas = " | ".join(f"{row[view]:.3f}" for view in VIEWS)
        yield (
            f"| {row['field']} | {row['texts']} | {row['sentences']} | {row['citing']} | {areas} |"
        )
    yield "\n**Controls**, trained and asked on the same sentences.\n"
    yield "| sees only | AUC |\n| --- | ---: |"
    yield from (f"| {name} | {area:.3f} |" for name, area in figures["controls"].items())
    verdict = "ships" if figures["ships"] else "does not ship"
    yield (
        f"\nThe least area, on unseen texts and on each large unseen field, is "
        f"{figures['reached']:.3f}; {figures['gate']:.2f} is asked for: the judge {verdict}."
    )
