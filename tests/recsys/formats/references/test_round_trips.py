"""What is written is read back equal: by the own readers, and by those that others use."""

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any

import bibtexparser.entrypoint
import rispy
from bibtexparser.middlewares.names import (
    parse_single_name_into_parts,
    split_multiple_persons_names,
)
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text

from recsys.formats import identifiers
from recsys.formats.references.people import natural
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.formats.references.reference_writers import WRITERS
from recsys.formats.references.shown_facts import names_of, web_address
from recsys.records import Paper, Reference
from tests.recsys.formats.references.invented_papers import RAW_PAPERS, TIDY_PAPERS, tidy
from tests.rows import each_row, few

LATEX = LatexNodes2Text()
READ_BACK = ["bibtex", "ris", "csl-json", "csv", "html"]


@dataclass(frozen=True)
class Facts:
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str
    doi: str
    url: str


def facts_of(paper: Paper) -> Facts:
    return Facts(
        title=paper.title,
        authors=tuple(map(natural, names_of(paper))),
        year=paper.year,
        venue=paper.venue or "",
        doi=(paper.doi or "").lower(),
        url=web_address(paper) or "",
    )


def facts_read(reference: Reference) -> Facts:
    return Facts(
        title=reference.title or "",
        authors=reference.authors,
        year=reference.year,
        venue=reference.venue or "",
        doi=reference.doi or "",
        url=reference.url or "",
    )


def nobody_is_et_al(paper: Paper) -> bool:
    """A name such as "others" stands for people who are not named: no reader keeps it."""
    return not {"others", "et al", "et al."} & {natural(n).casefold() for n in names_of(paper)}


PAPERS = st.lists(TIDY_PAPERS.filter(nobody_is_et_al), min_size=1, max_size=3)


@each_row("name", READ_BACK)
@given(papers=PAPERS)
@few(10)
def test_our_reader_reads_what_we_write(name: str, papers: list[Paper]) -> None:
    found = parse_bibliography(WRITERS[name](papers), "standard input")
    assert [facts_read(each) for each in found.references] == [facts_of(each) for each in papers]
    assert found.problems == ()


@each_row("name", READ_BACK)
@given(papers=st.lists(RAW_PAPERS, min_size=1, max_size=3))
@few(10)
def test_control_characters_and_line_ends_do_no_harm(name: str, papers: list[Paper]) -> None:
    text = WRITERS[name](papers)
    text.encode()  # No half of a surrogate pair is left.
    found = parse_bibliography(text, "standard input")
    assert [tidy(each.title or "") for each in found.references] == [tidy(p.title) for p in papers]


def decoded(latex: str) -> str:
    # pylatexenc has no \textbraceleft, and another circumflex for \textasciicircum.
    latex = latex.replace(r"\textbraceleft{}", r"\{").replace(r"\textbraceright{}", r"\}")
    return str(LATEX.latex_to_text(latex.replace(r"\textasciicircum{}", "^")))


@given(PAPERS)
def test_bibtexparser_reads_our_bibtex(papers: list[Paper]) -> None:
    library = bibtexparser.entrypoint.parse_string(WRITERS["bibtex"](papers))
    assert library.failed_blocks == []
    read = []
    for entry in library.entries:
        fields = {field.key: str(field.value) for field in entry.fields}
        names = split_multiple_persons_names(fields.get("author", ""))
        parts = (parse_single_name_into_parts(name) for name in names)
        venues = (fields.get(key, "") for key in ("journal", "booktitle", "howpublished"))
        read.append(
            Facts(
                title=decoded(fields["title"]),
                authors=tuple(decoded(part.merge_first_name_first) for part in parts),
                year=int(fields["year"]) if "year" in fields else None,
                venue=decoded("".join(venues)),
                doi=fields.get("doi", "").lower(),
                url=fields.get("url", ""),
            )
        )
    assert read == list(map(facts_of, papers))


@given(PAPERS)
def test_rispy_reads_our_ris(papers: list[Paper]) -> None:
    read = [
        Facts(
            title=record["title"],
            authors=tuple(map(natural, record.get("authors", []))),
            year=int(record["year"]) if "year" in record else None,
            venue=record.get("secondary_title", ""),
            doi=record.get("doi", "").lower(),
            url=";".join(record.get("urls", [])),  # It splits addresses at semicolons.
        )
        for record in rispy.loads(WRITERS["ris"](papers))
    ]
    assert read == list(map(facts_of, papers))


def csl_facts(item: dict[str, Any]) -> Facts:
    assert set(item) <= {
        *("id", "type", "title", "author", "issued", "container-title", "DOI", "URL", "abstract")
    }
    assert item["type"] in ("article-journal", "paper-conference", "document")
    people = item.get("author", [])
    assert all(
        set(person) in ({"literal"}, {"family", "given"}, {"family", "given", "suffix"})
        for person in people
    )
    names = (
        (person.get(part, "") for part in ("literal", "given", "family", "suffix"))
        for person in people
    )
    return Facts(
        title=item["title"],
        authors=tuple(" ".join(filter(None, parts)) for parts in names),
        year=item["issued"]["date-parts"][0][0] if "issued" in item else None,
        venue=item.get("container-title", ""),
        doi=item.get("DOI", "").lower(),
        url=item.get("URL", ""),
    )


@given(PAPERS)
def test_our_csl_json_has_the_shape_of_csl(papers: list[Paper]) -> None:
    items = json.loads(WRITERS["csl-json"](papers))
    assert [csl_facts(item) for item in items] == list(map(facts_of, papers))
    assert len({item["id"] for item in items}) == len(papers)


@given(PAPERS)
def test_the_csv_module_reads_our_csv(papers: list[Paper]) -> None:
    rows = list(csv.DictReader(io.StringIO(WRITERS["csv"](papers))))
    assert not any(re.match(r"[=+\-@\t\r]", cell) for row in rows for cell in row.values())
    text = [{key: re.sub("^'(?='*[=+\\-@\uff1d\uff0b\uff0d\uff20])", "", cell)
             for key, cell in row.items()} for row in rows]  # fmt: skip
    for row, paper in zip(text, papers, strict=True):
        facts = facts_of(paper)
        assert (row["id"], row["title"], row["venue"]) == (paper.id, facts.title, facts.venue)
        assert (row["year"] or "None", row["url"]) == (str(facts.year), facts.url)
        assert row["doi"].lower() == facts.doi
        names = re.findall(r"(?:\\.|[^;\\])+", row["authors"])
        assert facts.authors == tuple(
            natural(re.sub(r"\\(.)", r"\1", name).strip()) for name in names
        )


def test_an_identifier_is_read_back_from_wherever_it_stands() -> None:
    paper = Paper("x", "T", url="https://arxiv.org/abs/2004.07180v2", doi="10.18653/v1/P18-1001")
    for name in READ_BACK:
        (found,) = parse_bibliography(WRITERS[name]([paper]), "-").references
        assert (found.arxiv, found.acl) == ("2004.07180", "P18-1001")
        assert found.doi == identifiers.doi(paper.doi)
