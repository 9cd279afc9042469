"""What goes into a paper: figures at the widths of its columns, tables that LaTeX takes, CSV."""

import csv
import io
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.eval.report import evaluation_pictures
from recsys.eval.report.evaluation_pictures import DRAWINGS, WIDTHS, write_figures
from recsys.eval.report.evaluation_report import chosen_table, per_query_csv
from recsys.eval.report.tables import TABLE_FORMATS
from recsys.eval.run_figures import Assessment
from tests.eval.invented_assessment import QUERIES, invented

PAPER = r"""
\documentclass[twocolumn]{article}
\usepackage{booktabs,pgf,graphicx}
\usepackage[textwidth=7in]{geometry}
\begin{document}
%s
\end{document}
"""


@pytest.fixture
def assessment(monkeypatch: pytest.MonkeyPatch) -> Assessment:
    """An assessment one of whose systems has a name that LaTeX would act upon; one drawing."""
    monkeypatch.setattr(evaluation_pictures, "DRAWINGS", {"recall-by-k": DRAWINGS["recall-by-k"]})
    found = invented()
    *others, first = found.systems
    return replace(found, systems=(replace(first, name=r"<R&D>_1% $\a ~#{}^", beats={}), *others))


def test_figures_have_the_widths_of_columns_and_fonts_that_venues_take(
    assessment: Assessment, tmp_path: Path
) -> None:
    paths = write_figures(tmp_path / "figures", assessment, ["pdf"])
    assert [path.name for path in paths] == ["recall-by-k-column.pdf", "recall-by-k-page.pdf"]
    for path, inches in zip(paths, WIDTHS.values(), strict=True):
        raw = path.read_bytes()
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", raw)
        assert box and float(box[1]) == pytest.approx(72 * inches, abs=0.1)
        assert b"/Type3" not in raw and b"/TrueType" in raw.replace(b"CIDFontType2", b"TrueType")
    again = write_figures(tmp_path / "again", assessment, ["pdf"])
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in paths]


def test_an_unknown_format_of_figures_is_said(assessment: Assessment, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format of figures 'png'"):
        write_figures(tmp_path, assessment, ["png"])


def test_a_table_has_the_measures_that_are_chosen_in_their_order(assessment: Assessment) -> None:
    table = chosen_table(assessment, ["mrr", " F1@20", "NDCG@20"])
    assert table.header == ("", "system", "MRR", "F1@20", "nDCG@20")
    assert table.notes.endswith("tested: MRR.") and "query F1@20" not in table.notes
    latex = TABLE_FORMATS["latex"](table)
    assert latex.startswith("% needs \\usepackage{booktabs}\n\\begin{table}\n")
    wide = chosen_table(assessment, ["mrr", "p@20", "r@20", "r@100", "map@100"])
    assert "\\begin{table*}" in TABLE_FORMATS["latex"](wide)
    with pytest.raises(InputError, match=r"no measure 'f1@2'. Did you mean 'f1@20'\?"):
        chosen_table(assessment, ["f1@2"])


def test_each_query_has_a_row_for_each_system(assessment: Assessment) -> None:
    rows = list(csv.DictReader(io.StringIO(per_query_csv(assessment, QUERIES))))
    assert len(rows) == len(assessment.queries) * len(assessment.systems)
    assert {row["system"] for row in rows} == {each.name for each in assessment.systems}
    for system in assessment.systems:
        values = [float(row["query F1@20"]) for row in rows if row["system"] == system.name]
        assert values == pytest.approx(system.per_query["query F1@20"])


@pytest.mark.slow  # LaTeX measures each word of a figure in PGF.
def test_latex_takes_tables_and_figures(assessment: Assessment, tmp_path: Path) -> None:
    figures = write_figures(tmp_path, assessment, ["pdf", "pgf"])
    tables = [TABLE_FORMATS["latex"](chosen_table(assessment, ["mrr", "f1@20"]))]
    shown = [
        rf"\begin{{figure*}}\includegraphics{{{path.name}}}\end{{figure*}}"
        if path.suffix == ".pdf"
        else rf"\begin{{figure*}}\input{{{path.name}}}\end{{figure*}}"
        for path in figures
    ]
    (tmp_path / "paper.tex").write_text(PAPER % "\n".join([*tables, *shown]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
