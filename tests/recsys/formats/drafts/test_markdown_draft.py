import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts.draft_formats import open_draft
from recsys.formats.drafts.front_matter import LONGEST, split_front_matter
from recsys.formats.drafts.markdown_draft import MarkdownDraft, citation_keys, stripped
from recsys.formats.drafts.typst_draft import parse as parse_typst
from recsys.records import Manuscript, Reference
from tests.rows import each_row

BIBLIOGRAPHIES = Path(__file__).parents[1] / "references" / "files" / "bibliographies.json"
PAPER = Path(__file__).with_name("files").joinpath("paper.md").read_bytes().decode()
REFS = Path(__file__).with_name("files").joinpath("refs.bib").read_bytes().decode()


def read(text: str, folder: Path) -> Manuscript:
    return MarkdownDraft(text, folder / "paper.md").manuscript()


def test_a_paper_with_front_matter_is_read_with_what_it_cites(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    found = read(PAPER, tmp_path)
    assert found.title == "Mapping fine dust: A survey"
    assert found.authors == ("Ada Quill", "Bo van Reed", "Cy Stone")
    assert found.abstract == "We map dust. It works."
    assert found.as_of == 2021
    assert [work.key for work in found.references] == ["one", "two", "three"]
    assert found.notes == (
        "The draft is dated 2021: nothing newer is considered.",
        "1 cited key not found in the bibliography: 'four'.",
    )


@each_row(
    ("text", "keys"),
    [
        ("[@a; see @b, p. 3] and @c [p. 1] or [-@d].", "a b c d"),
        ("@a:b_c-d.e/f+g. @{odd key,x} @{ok;key}", "a:b_c-d.e/f+g ok;key"),
        ("mail a@b.org, \\@no, @@no, a/@no", ""),
        (
            "@doi:10.1000/a(b)c, @https://doi.org/10.1000/x;",
            "doi:10.1000/a(b)c https://doi.org/10.1000/x",
        ),
        ("@*", "*"),
    ],
)
def test_pandocs_citation_keys(text: str, keys: str) -> None:
    assert list(citation_keys(text)) == keys.split()


def test_a_list_of_references_may_stand_in_the_front_matter(tmp_path: Path) -> None:
    text = """---
title: T
references:
- id: quill
  type: article-journal
  title: Mapping *dust*
  author: [{family: Quill, given: Ada}]
  issued: {date-parts: [[2020, 5]]}
  container-title: J. Dust
  DOI: 10.1000/X
- {id: b, title: Two, issued: {year: 2019}}
- {id: c, title: Three, issued: [{year: 2018}]}
- {id: nothing}
---
See @quill.
"""
    works = read(text, tmp_path).references
    assert works[0] == Reference(
        key="quill",
        title="Mapping *dust*",
        authors=("Ada Quill",),
        year=2020,
        venue="J. Dust",
        doi="10.1000/x",
        kind="article-journal",
        labels={"type": "article-journal"},
    )
    assert [work.year for work in works] == [2020, 2019, 2018]


@each_row(
    ("yaml", "said"),
    [
        ("title: [a: b: c", "is not YAML"),
        ("title: t\nauthor: [", "on line 4"),
        ("title: 'open", "is not YAML"),
        ("- a\n- b", "instead of keys and values"),
        ("just text", "instead of keys and values"),
        ("a: " + "[" * 1000, "nested too deeply"),
        ("a: \x01", "is not YAML"),
        ("a: *nowhere", "undefined alias"),
        ("a: " + "b" * LONGEST, "longer than 200,000 characters"),
    ],
)
def test_broken_front_matter_is_an_error_with_its_line(yaml: str, said: str) -> None:
    with pytest.raises(DraftError) as caught:
        split_front_matter(f"---\n{yaml}\n---\n", "paper.md")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_aliases_repeat_nothing(tmp_path: Path) -> None:
    lines = ["a: &a [Ada Quill, Bo Reed]"]
    for one, two in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True):
        lines.append(f"{two}: &{two} [{', '.join([f'*{one}'] * 10)}]")
        lines.append(f"m{two}: &m{two} {{<<: [{', '.join([f'*{one}'] * 10)}]}}")
    text = "\n".join(["---", *lines, "title: T", "author: *u", "references: *u", "---\n"])
    found = read(text, tmp_path)
    assert (found.title, found.authors, found.references) == ("T", (), ())


@each_row(
    ("text", "plain"),
    [
        ("**bold** _it_ `code` ~~no~~", "bold it code no"),
        ("[text](http://x.y) ![image](a.png) [ref][1] <b>tag</b>", "text ref tag"),
        ("snake_case and 2 * 3 $x_1$", "snake_case and 2 3 x_1"),
        ("a[^1] b^[note] c [@x, p. 2] d", "a b c d"),
        (r"5 \* 3 \[x\]", "5 * 3 [x]"),
        ("- one\n- two\n> three", "one two three"),
        ("[span]{.smallcaps}", "span"),
    ],
)
def test_markup_is_removed(text: str, plain: str) -> None:
    assert stripped(text) == plain


@given(st.text("abc:[]{}&*!|>'\"#-,?%@`\n 1~<", max_size=100))
def test_any_front_matter_is_read_or_a_draft_error(yaml: str) -> None:
    try:
        split_front_matter(f"---\n{yaml}\n---\n", "x")
    except DraftError as error:
        assert error.hint


BOOK = "@article{ash, title={Bark}}\n@article{sec-two, title={A key like a section}}\n"
REFERRING = """---
bibliography: book.bib
---
# Intro {#intro}

See @fig-one, [@tbl-two], [see @eq-three; @Sec-four], @lst:five, @thm-six, @nte-seven, @intro, and
@chunk, as (@good) says. But @ash and [@fig-one; @sec-two] cite, and @gone is missing.

(@good) An example.

```{r}
#| label: chunk
```
"""


def test_cross_references_are_no_citations_unless_the_bibliography_has_their_key(
    tmp_path: Path,
) -> None:
    (tmp_path / "book.bib").write_text(BOOK, encoding="utf-8")
    found = read(REFERRING, tmp_path)
    assert [work.key for work in found.references] == ["ash", "sec-two"]
    assert found.notes[-1] == "1 cited key not found in the bibliography: 'gone'."
    body = MarkdownDraft(REFERRING, tmp_path / "paper.md").body(found.references)
    marks = [mark.keys for sentence in body.sentences for mark in sentence.marks]
    assert marks == [("ash",), ("sec-two",), ("gone",)]


@each_row("name", ["refs.yaml", "hayagriva.yml"])
def test_a_bibliography_may_be_yaml(name: str, tmp_path: Path) -> None:
    rows = json.loads(BIBLIOGRAPHIES.read_bytes())
    (text,) = (row["text"] for row in rows if row["name"] == name)
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read(f"---\nbibliography: {name}\n---\nDust [@quill2020].\n", tmp_path)
    assert [work.doi for work in found.references] == ["10.5555/dust.1"]
    typst = f'#import "@preview/ieee:0.1.0": ieee\n#bibliography("{name}")\nDust @quill2020.\n'
    found = parse_typst(typst.encode(), tmp_path / "paper.typ").manuscript()
    assert [work.doi for work in found.references] == ["10.5555/dust.1"]
    assert "preview" not in "".join(found.notes)
    listed = open_draft(tmp_path / name).manuscript
    assert (listed.title, listed.references[0].doi) == ("", "10.5555/dust.1")


def test_works_are_read_in_footnotes_and_front_matter_in_toml(tmp_path: Path) -> None:
    found = read(
        '+++\ntitle = "Dust"\nauthors = ["Ada Quill"]\ndate = 2020-01-01\n+++\n\n'
        "Dust[^1] flies.[^a]\n\n"
        "[^1]: Reed, B. (2010). *Dust of towns*. J. Dust, 3, 1-9.\n[^a]: It did so in 2010.\n",
        tmp_path,
    )
    assert (found.title, found.authors, found.as_of) == ("Dust", ("Ada Quill",), 2020)
    told = [(work.title, work.authors, work.year) for work in found.references]
    assert told == [("Dust of towns", ("B. Reed",), 2010)]


def test_a_title_may_be_a_line_block(tmp_path: Path) -> None:
    found = read("---\ntitle: |\n  | Dust\n  | of towns\n---\n\nText.\n", tmp_path)
    assert found.title == "Dust of towns"
