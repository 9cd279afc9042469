"""Drafts in LaTeX with the front matter of many classes."""

from benchmarks.written_drafts.class_fronts import CLASS_FRONTS
from benchmarks.written_drafts.journal_fronts import JOURNAL_FRONTS
from benchmarks.written_drafts.written_draft import WrittenDraft

PART = "front matter"
TITLE = "Bells without ropes"
ABSTRACT = "We ring bells without ropes. It is loud."
AUTHORS = ("Ivy Moss", "Otto van der Fern", "Mia Stränd")
_SHORT_NAMES = {"A&A": ("I. Moss", "O. van der Fern", "M. Stränd")}


def fronted_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft for each class: all have the same title, authors and abstract."""
    return tuple(
        WrittenDraft(
            PART,
            name,
            {"paper.tex": f"{front}\n\\section{{Introduction}}\nBells ring.\n\\end{{document}}\n"},
            title=TITLE,
            abstract=ABSTRACT,
            authors=_SHORT_NAMES.get(name, AUTHORS),
        )
        for name, front in {**CLASS_FRONTS, **JOURNAL_FRONTS}.items()
    )
