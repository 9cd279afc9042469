"""Tables of a report, and how people paste them: aligned text, Markdown, LaTeX with booktabs.

A table is made once, of plain text; each writer escapes what its language would act upon.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from recsys.eval.measures import Interval
from recsys.formats.references.shown_facts import one_line

_WIDTH = 100
_MARKDOWN = re.compile(r"[\\`*_{}\[\]|$~]")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{each: f"\\{each}" for each in "{}$&#_%"},
}
_LATEX = str.maketrans(_LATEX_ESCAPES)


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table.

    low, high: bounds of its figure, written out. marks: letters set high beside it. best: whether
    it is the best of its column.
    """

    text: str
    low: str = ""
    high: str = ""
    marks: str = ""
    best: bool = False

    def bounds(self, dash: str) -> str:
        """Write both bounds, with a dash between them that no sign can be taken for."""
        return f"{self.low}{' to ' if self.low[:1] in ('+', '-') else dash}{self.high}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header; the first `left` columns are words, the others figures.

    name: short, of letters and hyphens. caption: one sentence. notes: how to read it.
    """

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1
    notes: str = ""

    def widest_marks(self, column: int) -> int:
        """Count the letters of a column's longest marks."""
        return max((len(row[column].marks) for row in self.rows), default=0)


def slug(text: str) -> str:
    """Make a name of small letters, digits and hyphens of a text."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def cells(*entries: object) -> tuple[Cell, ...]:
    """Make a row: cells stay, figures get their bounds, all else is plain text; None is empty."""
    row: list[Cell] = []
    for entry in entries:
        if isinstance(entry, Interval):
            entry = interval_cell(entry)
        elif not isinstance(entry, Cell):
            entry = Cell("" if entry is None else str(entry))
        row.append(entry)
    return tuple(row)


def interval_cell(
    found: Interval | None, marks: str = "", *, signed: bool = False, digits: int = 3
) -> Cell:
    """Write a figure with its bounds, to so many decimals; None is an empty entry."""
    if found is None:
        return Cell("")
    form = f"{'+' if signed else ''}.{digits}f"
    value, low, high = (format(each, form) for each in (found.value, found.low, found.high))
    return Cell(value, low, high, marks)


def p_text(p: float) -> str:
    """Write a p to three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def row_values(table: Table) -> list[dict[str, str | float | None]]:
    """Give rows as JSON values: a word, then figures; absent ones are null."""
    first, *columns = table.header
    return [
        {first: name.text}
        | {
            column: float(cell.text) if cell.text else None
            for column, cell in zip(columns, figures, strict=True)
        }
        for name, *figures in table.rows
    ]


def best_marked(
    rows: Sequence[Sequence[Cell]], *, first: int, rivals: Sequence[bool]
) -> tuple[tuple[Cell, ...], ...]:
    """Mark the highest figure of each column from `first` on, all of them if they tie.

    Figures are compared as they are written: all in [0, 1], with equally many digits.

    Args:
        rows: of a table.
        first: column with the first figures.
        rivals: whether each row takes part.
    """
    pairs = list(zip(rows, rivals, strict=True))
    tops = [
        max((row[i].text for row, takes_part in pairs if takes_part), default="")
        for i in range(len(rows[0]))
    ]
    return tuple(
        tuple(
            replace(cell, best=takes_part and i >= first and "" != cell.text == tops[i])
            for i, cell in enumerate(row)
        )
        for row, takes_part in pairs
    )


def text_table(table: Table) -> str:
    """Write aligned columns; marks follow their figure after `^`."""

    def words(cell: Cell) -> str:
        marks = f"^{cell.marks}" if cell.marks else ""
        return one_line(cell.text) + marks + (f" ({cell.bounds('-')})" if cell.low else "")

    grid = [list(table.header), *(list(map(words, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    grid.insert(1, ["-" * width for width in widths])
    lines = []
    for row in grid:
        padded = [
            word.ljust(width) if i < table.left else word.rjust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    notes = textwrap.fill(one_line(table.notes), _WIDTH)
    return _joined(one_line(table.caption), lines, notes)


def markdown_table(table: Table) -> str:
    """Write a pipe table under its caption."""

    def words(cell: Cell) -> str:
        text = f"**{escape_markdown(cell.text)}**" if cell.best else escape_markdown(cell.text)
        marks = f"<sup>{escape_markdown(cell.marks)}</sup>" if cell.marks else ""
        return text + marks + (f" ({cell.bounds('-')})" if cell.low else "")

    rule = ["---"] * table.left + ["---:"] * (len(table.header) - table.left)
    rows = [map(escape_markdown, table.header), rule, *(map(words, row) for row in table.rows)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return _joined(f"**{escape_markdown(table.caption)}**", lines, escape_markdown(table.notes))


def _joined(caption: str, lines: Iterable[str], notes: str) -> str:
    return "\n".join([caption, "", *lines, *(["", notes] if notes else [])]) + "\n"


def latex_table(table: Table, *, wide: bool = True) -> str:
    """Write a floating table over the page's width, or a column's; it needs booktabs."""

    def words(cell: Cell) -> str:
        text = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.best else escape_latex(cell.text)
        return rf"{text}$^{{{escape_latex(cell.marks)}}}$" if cell.marks else text

    columns = "l" * table.left + "r" * (len(table.header) - table.left)
    floating = "table*" if wide else "table"
    lines = [
        rf"\begin{{{floating}}}",
        r"\centering\small\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{escape_latex(f'{table.caption} {table.notes}'.strip())}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        " & ".join(map(escape_latex, table.header)) + r" \\",
        r"\midrule",
    ]
    for row in table.rows:
        lines.append(" & ".join(map(words, row)) + r" \\")
        if any(cell.low for cell in row):  # Below the figures, in smaller type.
            bounds = (rf"{{\scriptsize {c.bounds('--')}}}" if c.low else "" for c in row)
            lines.append(" & ".join(bounds) + r" \\[2pt]")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", rf"\end{{{floating}}}"]) + "\n"


BOOKTABS = "% needs \\usepackage{booktabs}\n"
_MOST_IN_COLUMN = 6
"""Columns of a table that stands within one column of a paper."""
TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "latex": lambda table: BOOKTABS + latex_table(table, wide=len(table.header) > _MOST_IN_COLUMN),
    "markdown": markdown_table,
}
"""How a single table is written that goes into a paper."""

Shown = TypeVar("Shown")


def writers(
    tables: Callable[[Shown], Iterable[Table]], as_json: Callable[[Shown], str]
) -> Mapping[str, Callable[[Shown], str]]:
    """Write what has tables in every format: its name -> what writes it."""

    def joined(write: Callable[[Table], str]) -> Callable[[Shown], str]:
        return lambda shown: "\n".join(map(write, tables(shown)))

    return {
        "table": joined(text_table),
        "json": as_json,
        "markdown": joined(markdown_table),
        "latex": joined(latex_table),
    }


def escape_markdown(text: str) -> str:
    """Escape what Markdown, HTML inside it or mathematics in it would act upon, on one line."""
    return _MARKDOWN.sub(r"\\\g<0>", one_line(text)).translate(_HTML)


def escape_latex(text: str) -> str:
    """Escape what LaTeX would act upon, on one line."""
    return one_line(text).translate(_LATEX)
