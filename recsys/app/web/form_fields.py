"""The fields of the page's form: what the question is, in what a browser sends."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlencode

from recsys.errors import InputError
from recsys.formats import identifiers
from recsys.formats.references.bibliography import year_in
from recsys.formats.references.reference_formats import work_of_line
from recsys.formats.references.shown_facts import one_line
from recsys.query.question_schema import EARLIEST, LATEST, QuestionOption, QuestionOptions, options
from recsys.query.resolve_draft import Question
from recsys.records import Bibliography, Manuscript, PaperId, ReadingLists, Reference
from recsys.store.words import cleaned_keyphrases, without_keyphrases

# References as lines of a form: `Authors (year). Title. doi:...`, which people may correct.

_LINE = re.compile(r"(?P<authors>[^()]{0,2000}?)\s*\((?P<year>\d{4})\)[.,:]?\s+(?P<title>.+)")
_SHOWN_AUTHORS = 3


def lines_of(references: Iterable[Reference]) -> str:
    """Write one line per reference."""
    lines = []
    for each in references:
        title = one_line(each.title or "")
        if not title:
            line = one_line(each.doi or each.arxiv or each.acl or each.id or each.url or "")
        elif each.year is None:
            line = title
        else:
            authors = "; ".join(map(one_line, each.authors[:_SHOWN_AUTHORS]))
            doi = f" doi:{each.doi}" if each.doi else ""
            line = f"{authors} ({each.year}). {title}.{doi}".strip()
        lines.append(line)
    return "\n".join(filter(None, lines))


def references_in(lines: str) -> tuple[Reference, ...]:
    """Read one reference per line: an identifier, a title, or what `lines_of` writes.

    None of them is the name of a file.
    """
    stripped = filter(None, (line.strip() for line in lines.splitlines()))
    return tuple(dict.fromkeys(map(_reference, stripped)))


def named_papers(words: str) -> tuple[Reference, ...]:
    """Read papers that are named one per line, or several on a line by identifiers alone."""
    names: list[str] = []
    for line in filter(None, map(str.strip, words.splitlines())):
        parts = [part for part in re.split(r"[\s,;]+", line) if part]
        bare = all(identifiers.doi(part) or identifiers.arxiv(part) for part in parts)
        names += parts if bare else [line]
    return tuple(dict.fromkeys(map(_reference, names)))


def _reference(line: str) -> Reference:
    match = _LINE.fullmatch(line)
    if match is None:
        return replace(work_of_line(line), key="")
    doi = identifiers.doi(match["title"])
    return Reference(
        title=re.sub(r"\.?\s*\bdoi:\S+$", "", match["title"]).rstrip(".") or None,
        authors=tuple(name.strip() for name in match["authors"].split(";") if name.strip()),
        year=year_in(match["year"]),
        doi=doi,
        arxiv=None if doi else identifiers.arxiv(match["title"]),
    )


LONGEST_SHARED = 2000
"""Characters of an address that programs take without cutting it."""
LONGEST_CHOICE = 8000
"""Characters of what an address of an answer says beside its key; servers take 64,000."""
LONGEST, LONGEST_LIST = 200_000, 4 * 2**20
"""Letters of a field; and of one that holds a work on each line, or the ids of a library."""
_LISTS = ("cites", "more", "less")
_LONG = ("references", "more_like", "less_like", "library", "text", "pasted")
_DRAFT_OPTIONS = ("as_of",)
"""Options that belong to the draft; all others choose among the papers of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFields:
    """A question as the form holds it; every value as it was typed.

    cites, more, less: ids of papers that are cited, liked and disliked. references, more_like,
    less_like: lines that name further ones. library: a JSON list of ids. The other fields with
    several values have one on each line, `keyphrases` commas or semicolons between them. options:
    of the question, by their names in the form, those left empty not. page: of the answer, from 1.
    passage: the place that is asked about is marked in it. text: the sentences of a draft, as
    `uploads.pack` writes them. pasted: a draft as text, not read yet. doi, paper_id: of the draft.
    """

    index: str = ""
    title: str = ""
    abstract: str = ""
    keyphrases: str = ""
    authors: str = ""
    venue: str = ""
    cites: tuple[PaperId, ...] = ()
    references: str = ""
    more: tuple[PaperId, ...] = ()
    more_like: str = ""
    less: tuple[PaperId, ...] = ()
    less_like: str = ""
    library: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    page: str = ""
    passage: str = ""
    text: str = ""
    pasted: str = ""
    doi: str = ""
    paper_id: str = ""

    @classmethod
    def read(cls, pairs: Iterable[tuple[str, str]]) -> "FormFields":
        """Read what a form or an address says; names that are no fields are passed over.

        Raises:
            InputError: a field is too long.
        """
        own = {each.name for each in fields(cls)} - {"options"}
        offered = [each for each in options() if each.spec.label]
        usual = {
            each.field: each.spec.choices[0][0] if each.spec.choices else "" for each in offered
        }
        several: dict[str, list[str]] = {each.field: [] for each in offered if each.several}
        chosen: dict[str, str] = {}
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name in _LISTS:
                values[name] = (*values.get(name, ()), *((value,) if value.strip() else ()))
            elif name in several:  # Each box of a filter says one of its values.
                several[name].append(value.replace("\r\n", "\n").strip())
            elif name in own | usual.keys() and name not in values | chosen:
                most = LONGEST_LIST if name in _LONG else LONGEST
                if len(value) > most:
                    what = f"The field {name} has {len(value):,} letters."
                    raise InputError(what, f"Give at most {most:,}, or a file.")
                text = value.replace("\r\n", "\n").strip()
                (chosen if name in usual else values)[name] = text
        values |= {name: tuple(dict.fromkeys(values.get(name, ()))) for name in _LISTS}
        chosen |= {name: "\n".join(filter(None, texts)) for name, texts in several.items()}
        chosen = {name: text for name, text in chosen.items() if text not in ("", usual[name])}
        return cls(**values, options=chosen)

    def empty(self) -> bool:
        """Tell whether nothing is asked."""
        asked = (self.title, self.abstract, self.references, self.more_like, self.pasted)
        return not any((*asked, self.cites, self.more))

    def manuscript(self) -> Manuscript:
        """Put the draft as the library takes it."""
        return Manuscript(
            title=" ".join(self.title.split()),
            abstract=self.abstract or None,
            keyphrases=cleaned_keyphrases(re.split("[,;\n]", self.keyphrases)),
            authors=_lines(self.authors),
            venue=self.venue or None,
            references=(*_by_id(self.cites), *references_in(self.references)),
            doi=self.doi or None,
            paper_id=self.paper_id or None,
        )

    def lists(self) -> ReadingLists:
        """Put the lists as the library takes them.

        Raises:
            InputError: the library is no list of ids.
        """
        return ReadingLists(
            liked=Bibliography((*_by_id(self.more), *named_papers(self.more_like))),
            disliked=Bibliography((*_by_id(self.less), *named_papers(self.less_like))),
            library=Bibliography(_by_id(self.library_ids())),
        )

    def library_ids(self) -> tuple[PaperId, ...]:
        """Read the ids of the user's own papers.

        Raises:
            InputError: they are no JSON list of strings.
        """
        if not self.library:
            return ()
        try:
            ids = json.loads(self.library)
        except (ValueError, RecursionError) as error:
            raise InputError("The field library is not JSON.", "Give a list of ids.") from error
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise InputError("The field library is no list of ids.", 'Give one such as ["a", "b"].')
        return tuple(ids)

    def asked(self) -> QuestionOptions:
        """Read the options as the library takes them.

        Raises:
            InputError: a value makes no sense.
        """
        values = {each.name: _value(each, self.options.get(each.field, "")) for each in options()}
        first, last = values["min_year"], values["max_year"]
        if first is not None and last is not None:  # Whichever is written first.
            values |= {"min_year": min(first, last), "max_year": max(first, last)}
        asked = QuestionOptions(**values)
        asked.filters.check()
        return asked

    def understood_as(self, question: Question) -> "FormFields":
        """Say the same in the terms of the corpus: ids where papers were found."""
        draft, chosen = question.draft, {**self.options}
        diversity = self.asked().diversity
        chosen["as_of"] = "" if draft.as_of is None else str(draft.as_of)
        chosen["mmr"] = f"{diversity:g}" if diversity else ""
        return replace(
            self,
            title=draft.title,
            abstract=without_keyphrases(draft.abstract, draft.keyphrases) or "",
            keyphrases=", ".join(cleaned_keyphrases(draft.keyphrases)),
            authors="\n".join(draft.authors),
            venue=draft.venue or "",
            cites=question.cited,
            references=lines_of(question.unfound),
            more=question.liked,
            more_like="",
            less=draft.disliked,
            less_like="",
            library=json.dumps(question.library, ensure_ascii=False) if question.library else "",
            options={name: text for name, text in sorted(chosen.items()) if text},
            page="",
            pasted="",
            paper_id=draft.paper_id or "",
        )

    def split(self) -> tuple["FormFields", "FormFields"]:
        """Part what is asked from what is chosen among its papers, which an address can say."""
        of_draft = {name: self.options[name] for name in _DRAFT_OPTIONS if name in self.options}
        chosen = {name: text for name, text in self.options.items() if name not in of_draft}
        choice = FormFields(more=self.more, less=self.less, options=chosen, page=self.page)
        if len(choice.query()) > LONGEST_CHOICE:
            return self, FormFields()
        return replace(self, more=(), less=(), options=of_draft, page=""), choice

    def choosing(self, choice: "FormFields") -> "FormFields":
        """Return the question together with what is chosen among its papers."""
        return replace(
            self,
            more=tuple(dict.fromkeys((*self.more, *choice.more))),
            less=tuple(dict.fromkeys((*self.less, *choice.less))),
            options={**self.options, **choice.options},
            page=choice.page,
        )

    def query(self) -> str:
        """Write what is chosen among the papers of an answer as the query of an address."""
        several = {each.field for each in options() if each.several}
        said: dict[str, object] = {
            name: text.split("\n") if name in several else text
            for name, text in self.options.items()
        }
        said |= {"more": self.more, "less": self.less, "page": (self.page,) if self.page else ()}
        return urlencode(said, doseq=True)

    def address(self, path: str = "/answer") -> str:
        """Write the question into an address, but no text of a draft; "" when it is too long."""
        values = asdict(replace(self, page="", text="", pasted=""))
        options = values.pop("options")
        said = {name: value for name, value in (values | options).items() if value}
        address = f"{path}?{urlencode(said, doseq=True)}"
        return address if len(address) <= LONGEST_SHARED else ""


def _by_id(ids: Iterable[PaperId]) -> tuple[Reference, ...]:
    return tuple(Reference(id=each) for each in ids)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, re.split(r"[\n;]", text)))))


def _value(option: QuestionOption, text: str) -> Any:  # noqa: ANN401  # As the option is.
    """Read what was typed for an option.

    Raises:
        InputError: it is no year, or no number.
    """
    if not text:
        return option.default
    if option.spec.metavar == "YEAR":
        is_year = text.isascii() and text.isdigit() and len(text) == 4
        if is_year and EARLIEST <= int(text) <= LATEST:
            return int(text)
        name = option.spec.label.lower()
        raise InputError(f"The year {name!r} is {text[:40]!r}.", "Give four digits, such as 2019.")
    if option.several:
        return _lines(text)
    if option.type is bool:
        return True
    try:
        return option.type(text)
    except ValueError as error:
        raise InputError(f"The field {option.field} is {text[:40]!r}.", "Give a number.") from error
