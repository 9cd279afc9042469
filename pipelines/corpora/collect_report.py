"""What became of files that were made into one corpus, in numbers and in words."""

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recsys.formats.papers.json_records import tally, unread_fields
from recsys.formats.work_stream import Remark
from recsys.pipelines.corpora.identity import Join
from recsys.pipelines.corpora.link_citations import RULE_NAMES, Rule

_MOST_FILES = 12
"""Files that are told one by one; more are counted by format."""
_MOST_SKIPPED = 5
JOINS = ("joined", "unsure")
"""What the manifest of an index tells of the records that its build has joined."""
LOSSES = "losses"
"""What it tells of all that was left out, or read in another way."""
_WORTH_READING = 0.05
"""Share of papers with keyphrases from which on it is told that they can be read."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, the name of its format, and how many works it gave."""

    name: str
    format: str
    works: int


@dataclass(frozen=True, slots=True)
class CollectReport:
    """What became of the records of some files.

    skipped: files of a folder that hold no works, and why. papers: what the works came to.
    rejected: records that gave none, by reason. oddities: lines that were read in another way.
    unread: records by the fields that say something of which nothing was read. remarks: works by
    what was odd. languages: works that are not in English. joined: works that were one with
    another, by what told so; kept_apart: pairs that something spoke against. conflicts: fields in
    which works of one paper differ. untitled: works without title whose paper
    is not there. cited: works that reference lists describe, by what became of them. titles_only:
    abstracts that were read are left out. led_by: where the keyphrases were read that stand before
    abstracts; empty: none do. keyphrases: papers that have some, by where; of `led_by` alone if
    that is told. unclear: works that fit several which contradict each other. placeholders: what
    stood in the place of identifiers, by works. powerless: identifiers that stand in several works;
    shared: the works that have the most frequent of them. unsure: the joins that are least sure.
    """

    files: tuple[FileRead, ...]
    skipped: tuple[str, ...]
    papers: int
    rejected: Mapping[str, int]
    oddities: Mapping[str, int]
    unread: Mapping[str, int]
    without_abstract: int
    without_year: int
    remarks: Mapping[str, int]
    languages: Mapping[str, int]
    joined: Mapping[str, int]
    kept_apart: int
    conflicts: Mapping[str, int]
    untitled: int
    cited: Mapping[Rule, int]
    titles_only: bool = False
    led_by: str = ""
    keyphrases: Mapping[str, int] = field(default_factory=dict)
    unclear: int = 0
    placeholders: Mapping[str, int] = field(default_factory=dict)
    powerless: int = 0
    shared: Mapping[str, int] = field(default_factory=dict)
    unsure: tuple[Join, ...] = ()

    def joins(self) -> dict[str, Any]:
        """Say what joined works, and the least sure joins; nothing where there was none."""
        joined = {name: count for name, count in self.joined.items() if count}
        told = joined, [join.line() for join in self.unsure]
        return {name: value for name, value in zip(JOINS, told, strict=True) if value}

    @property
    def format(self) -> str:
        """The formats that were read."""
        return ", ".join(dict.fromkeys(file.format for file in self.files))

    def lines(self) -> list[str]:
        """Write the report for people; what did not occur is left out."""
        parts = {
            "without abstract": self.without_abstract,
            "without year": self.without_year,
            "with an impossible year": self.remarks.get(Remark.IMPOSSIBLE_YEAR, 0),
            "not in English": self.remarks.get(Remark.NOT_ENGLISH, 0),
            "with a truncated abstract": self.remarks.get(Remark.CUT_ABSTRACT, 0),
            "with broken UTF-8": self.remarks.get(Remark.BROKEN_UTF8, 0),
        }
        lines = self._file_lines() if len(self.files) > 1 else []
        lines.append(f"{self.papers:,} papers read as {self.format}{counted(parts)}")
        if self.languages:
            lines.append(f"other languages (guessed): {tally(self.languages)}")
        joined = self.joins().get("joined", {})
        cited = {RULE_NAMES[rule]: count for rule, count in self.cited.items() if count}
        if joined:
            lines.append(f"{sum(joined.values()):,} records merged with others ({tally(joined)})")
        if self.conflicts:
            lines.append(f"merged records disagree on {tally(self.conflicts)}")
        if self.kept_apart:
            lines.append(
                f"{self.kept_apart:,} pairs look alike but have different ids or DOIs: kept"
            )
        if self.unclear:
            lines.append(f"{self.unclear:,} records match several different papers: kept")
        if cited:
            lines.append(f"{sum(cited.values()):,} references looked up: {tally(cited)}")
        return lines

    def loss_lines(self) -> list[str]:
        """Say what was left out, or read in another way."""
        lines = []
        if self.titles_only:
            lines.append(f"{self.papers - self.without_abstract:,} abstracts ignored")
        lines += self._keyphrase_lines()
        if self.placeholders:
            lines.append(f"placeholder identifiers ignored: {tally(self.placeholders)}")
        if self.powerless:
            told = tally(self.shared) + (", ..." if self.powerless > len(self.shared) else "")
            lines.append(
                f"{self.powerless:,} identifiers of several titles not used to merge ({told})"
            )
        if self.untitled:
            lines.append(
                f"{self.untitled:,} untitled records skipped: their paper is not in the files"
            )
        if self.oddities:
            lines.append(f"read with corrections: {tally(self.oddities)}")
        if self.unread:
            lines.append(unread_fields(self.unread))
        lines += [f"no papers found in {each}" for each in self.skipped[:_MOST_SKIPPED]]
        if (more := len(self.skipped) - _MOST_SKIPPED) > 0:
            lines.append(f"and in {more:,} more files")
        if rejected := sum(self.rejected.values()):
            plural = "s" * (rejected != 1)
            lines.append(f"{rejected:,} line{plural} rejected ({tally(self.rejected)})")
        return lines

    def _keyphrase_lines(self) -> list[str]:
        source = self.led_by or max(self.keyphrases, key=self.keyphrases.__getitem__, default="")
        papers = self.keyphrases.get(source, 0)
        if self.led_by:
            return [f"{papers:,} abstracts are preceded by keyphrases, from {source}"]
        if papers and papers >= _WORTH_READING * self.papers:
            return [
                f"{papers:,} papers have keyphrases: --keyphrases {shlex.quote(source)} uses them"
            ]
        return []

    def _file_lines(self) -> list[str]:
        if len(self.files) <= _MOST_FILES:
            return [f"{file.name}: {file.works:,} papers ({file.format})" for file in self.files]
        works: Counter[str] = Counter()
        files: Counter[str] = Counter()
        for file in self.files:
            works[file.format] += file.works
            files[file.format] += 1
        return [f"{files[form]:,} files: {works[form]:,} papers ({form})" for form in files]


def counted(parts: Mapping[str, int], what: str = "") -> str:
    """Say how many there are of each, after a semicolon and what they are; "" of none."""
    told = ", ".join(f"{count:,} {name}" for name, count in parts.items() if count)
    return f"; {what}{told}" if told else ""
