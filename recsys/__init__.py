"""Recommend which papers of a corpus a draft should cite.

Without an index, `load` opens the starter corpus of some hundred landmark papers:

>>> import recsys
>>> recommender = recsys.load()

A draft is a file (LaTeX, Markdown, PDF, text, JSON) or its text; what it cites is looked up:

>>> text = "Citation recommendation\\n\\nWe rerank the neighbours of a draft's embedding."
>>> answer = recommender.recommend(text, k=3)
>>> answer.understood
'Understood: title, abstract (8 words).'
>>> [item.rank for item in answer.recommendations]
[1, 2, 3]
>>> best = answer.recommendations[0]
>>> 0 < best.probability < 1, len(best.reasons) > 0
(True, True)

What its author likes, dislikes or has already comes in lists; filters say what papers must be:

>>> lists = recsys.ReadingLists(
...     liked=recsys.read_references("10.18653/v1/2020.acl-main.207"),
...     library=recsys.read_references("10.18653/v1/N19-1423"),
... )
>>> filters = recsys.Filters(min_year=2015, exclude_library=True)
>>> answer = recommender.recommend(text, k=5, lists=lists, filters=filters, as_of=2021)
>>> answer.understood.partition("words), ")[2]
'1 liked paper: 1 matched, 1 library paper: 1 matched, as of 2021.'
>>> {item.paper.year >= 2015 for item in answer.recommendations}
{True}

A single filter may stand by its name, and papers have their abstracts and references:

>>> best = recommender.recommend(text, k=1, min_year=2020).recommendations[0].paper
>>> best.year >= 2020, len(best.references) > 0, best.abstract_note[:18]
(True, True, 'Summary written by')
>>> recommender.paper("10.18653/v1/2020.acl-main.207") == recommender.search("SPECTER", k=1)[0]
True

An answer is written in every format of the command line, as text or into a file:

>>> answer.write("bibtex").count("@")
5
>>> answer.write("markdwon")
Traceback (most recent call last):
    ...
recsys.errors.InputError: There is no format 'markdwon'. Did you mean 'markdown'? ...

Several drafts are answered one by one; one that fails loses no other one's answer:

>>> for outcome in recommender.recommend_many([text, "no-such-file.tex"], k=1):
...     print(outcome.error or outcome.answer.recommendations[0].rank)
1
There is no file no-such-file.tex. Check the path.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recsys.errors import RecsysError
    from recsys.public import Recommender, build, check, load
    from recsys.query.question_schema import Filters, read_draft, read_references
    from recsys.records import (
        Answer,
        Bibliography,
        Draft,
        LocalAnswer,
        Manuscript,
        Paper,
        ReadingLists,
        Reason,
        Recommendation,
        Reference,
    )

__all__ = [
    "Answer",
    "Bibliography",
    "Draft",
    "Filters",
    "LocalAnswer",
    "Manuscript",
    "Paper",
    "ReadingLists",
    "Reason",
    "Recommendation",
    "Recommender",
    "RecsysError",
    "Reference",
    "build",
    "check",
    "load",
    "read_draft",
    "read_references",
]


def __getattr__(name: str) -> object:
    # Nothing is imported before it is asked for: the program shall hear Ctrl-C at once.
    if name == "__version__":
        from recsys.store.artifacts import VERSION

        return VERSION
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in ("records", "errors", "query.question_schema", "public"):
        if hasattr(found := import_module(f"recsys.{module}"), name):
            break
    return getattr(found, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
