"""Show answers and papers in notebooks, and put answers into tables for data analysis.

What is shown takes the colours of the notebook: it must be read on a light and on a dark page.
"""

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from recsys.errors import MissingExtraError
from recsys.formats.answers import percent, recommendation_record
from recsys.formats.references.people import natural
from recsys.formats.references.shown_facts import names_of, one_line, paper_link
from recsys.formats.references.web_page import html_text
from recsys.records import Answer, Paper

if TYPE_CHECKING:
    import pandas
    import pyarrow

_CELL = "padding:.3em .8em .3em 0;text-align:left;vertical-align:top"
_MOST_AUTHORS = 3
_LONGEST_ABSTRACT = 600


def paper_html(paper: Paper) -> str:
    """Show a paper: title, who, when, where, the beginning of its abstract, and who wrote that."""
    abstract = one_line(paper.abstract or "")
    if len(abstract) > _LONGEST_ABSTRACT:
        abstract = abstract[:_LONGEST_ABSTRACT].rsplit(" ", 1)[0] + " ..."
    lines = [f"<div>{_title(paper)}</div>"]
    lines += map(_soft, filter(None, (_facts(paper), abstract, paper.abstract_note)))
    return '<div style="max-width:46em">\n' + "\n".join(lines) + "\n</div>"


def answer_html(answer: Answer) -> str:
    """Show an answer as a table: rank, chance, the paper, and the first reason for it."""
    lines = [_soft(text) for text in (answer.understood, *answer.notes) if text] + ["<table>"]
    for item in answer.recommendations:
        below = " \u00b7 ".join(filter(None, (_facts(item.paper), item.why)))
        shown = (str(item.rank), percent(item.probability).replace(" ", "\u00a0"))
        cells = (*map(escape, shown), _title(item.paper) + _soft(below))
        row = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
        lines.append(f"<tr>{row}</tr>")
    return "\n".join([*lines, "</table>"])


def _title(paper: Paper) -> str:
    title, link = html_text(paper.title) or "Untitled", paper_link(paper)
    return f'<a href="{escape(link)}" style="color:inherit">{title}</a>' if link else title


def _facts(paper: Paper) -> str:
    authors = [natural(name) for name in names_of(paper)]
    shown = ", ".join(authors[:_MOST_AUTHORS]) + (" et al." if authors[_MOST_AUTHORS:] else "")
    year = None if paper.year is None else str(paper.year)
    return " \u00b7 ".join(filter(None, (shown, year, paper.venue)))


def _soft(text: str) -> str:
    return f'<div style="opacity:.7;font-size:.9em">{html_text(text)}</div>'


def answer_table(answer: Answer) -> "pyarrow.Table":
    """Put an answer into Arrow, a row for each paper, in the columns of `--format jsonl`.

    Reasons are their texts, one list a paper; other versions are left out.
    """
    import pyarrow as pa

    texts = pa.list_(pa.string())
    schema = pa.schema(
        [
            ("rank", pa.int32()),
            ("probability", pa.float64()),
            ("score", pa.float64()),
            *((name, pa.string()) for name in ("id", "title")),
            ("authors", texts),
            ("year", pa.int32()),
            *((name, pa.string()) for name in ("venue", "doi", "url")),
            ("reasons", texts),
            ("sources", texts),
        ]
    )
    rows: list[dict[str, Any]] = []
    for item in answer.recommendations:
        record = recommendation_record(item)
        rows.append(record | {"reasons": [reason.text for reason in item.reasons]})
    return pa.Table.from_pylist(rows, schema=schema)


def answer_frame(answer: Answer) -> "pandas.DataFrame":
    """Put an answer into a data frame; see `answer_table`.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    try:
        import_module("pandas")
    except ImportError as error:
        raise MissingExtraError(
            "A data frame needs pandas, which is not installed.",
            "pip install pandas; or take `answer.to_arrow()`.",
        ) from error
    return answer_table(answer).to_pandas()
