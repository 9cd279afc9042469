"""What a check says of a reference, and the values that it says it with."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from recsys.records import PaperId, Recommendation, Reference

if TYPE_CHECKING:
    from recsys.checking.fields import Comparison

SURE = 0.5
"""What has this chance is taken to be so: a record is the work meant, a work is absent."""


class Verdict(StrEnum):
    """What became of a reference.

    CONFIRMED: a record agrees with it. DIFFERS: there is such a work, but it is described wrongly,
    or the DOI is another work's. NOT_FOUND: it was looked for where it should be. NOT_CHECKABLE:
    the sources rarely hold such works. NOT_CHECKED: a source could not be asked.
    """

    CONFIRMED = "confirmed"
    DIFFERS = "differs"
    NOT_FOUND = "not found"
    NOT_CHECKABLE = "not checkable here"
    NOT_CHECKED = "could not check"


class Notice(StrEnum):
    """What is worth knowing of a reference beside its verdict."""

    RETRACTED = "retracted"
    CORRECTED = "corrected"
    CONCERN = "expression of concern"
    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    INCOMPLETE = "incomplete"
    NEVER_CITED = "never cited"


@dataclass(frozen=True, slots=True)
class Record:
    """A work that a source holds.

    source: the name of the index, or of the service. id: its name there. chance: that it is the
    work that is meant.
    """

    source: str
    id: PaperId
    work: Reference
    chance: float

    @property
    def is_meant(self) -> bool:
        """Whether it is taken for the work that is meant."""
        return self.chance >= SURE


@dataclass(frozen=True, slots=True)
class Remark:
    """A notice, and what it is about in a sentence."""

    notice: Notice
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A reference and what was found out about it.

    why: the verdict's reason in a sentence. record: the work that is meant, or whose DOI it has.
    comparisons: field by field, with that record. absent: the chance that the work does not exist,
    where it was not found. published: the published version of a preprint that is cited.
    """

    reference: Reference
    verdict: Verdict
    why: str
    record: Record | None = None
    comparisons: "tuple[Comparison, ...]" = ()
    absent: float | None = None
    remarks: tuple[Remark, ...] = ()
    published: Record | None = None

    @property
    def differences(self) -> "tuple[Comparison, ...]":
        """The fields that are not those of the record."""
        return tuple(each for each in self.comparisons if each.agrees is False)

    @property
    def is_wrong(self) -> bool:
        """Whether the reference needs its author's eyes: it differs, or likely does not exist."""
        grave = {Notice.RETRACTED, Notice.CONCERN}.intersection(
            each.notice for each in self.remarks
        )
        return self.verdict is Verdict.DIFFERS or bool(grave) or (self.absent or 0.0) >= SURE


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All references of a file, checked.

    asked: the sources, each with what is to be known of it. unlisted: keys that the draft cites and
    its list does not have. notes: what was wrong with the file. file: its name. lines: where the
    entry of a key begins, from 1, in files that have lines. suggested: what the draft should cite,
    too.
    """

    items: tuple[Checked, ...]
    asked: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    file: str = "references"
    lines: Mapping[str, int] = field(default_factory=dict)
    suggested: tuple[Recommendation, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """How many references have each verdict and each notice."""
        found = Counter[str](str(item.verdict) for item in self.items)
        found.update(str(remark.notice) for item in self.items for remark in item.remarks)
        return found

    @property
    def summary(self) -> str:
        """Say it in one sentence: `47 references: 41 confirmed, 2 differ, 4 not found.`"""
        counts, total = self.counts, len(self.items)
        words = {  # Of one, and of several; the others are called as they are.
            Verdict.DIFFERS: ("differs", "differ"),
            Verdict.NOT_CHECKED: ("could not be checked", "could not be checked"),
            Notice.CONCERN: ("with an expression of concern", "with expressions of concern"),
            Notice.DUPLICATE: ("duplicate", "duplicates"),
            Notice.INCOMPLETE: ("without its DOI", "without their DOIs"),
        }
        told = [
            f"{counts[kind]} {words.get(kind, (kind, kind))[counts[kind] != 1]}"
            for kind in (*Verdict, *Notice)
            if counts[kind]
        ]
        listed = f"{total} reference{'' if total == 1 else 's'}: {', '.join(told)}."
        return listed if told else "There are no references."
