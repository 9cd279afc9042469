from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError
from recsys.formats.drafts.markdown_draft import (
    LONGEST,
    MarkdownDraft,
    citation_keys,
    split_front_matter,
    stripped,
)
from recsys.records import Manuscript, Reference
from tests.rows import each_row

PAPER = Path(__file__).with_name("files").joinpath("paper.md").read_bytes().decode()
REFS = Path(__file__).with_name("files").joinpath("refs.bib").read_bytes().decode()


def read(text: str, folder: Path) -> Manuscript:
    return MarkdownDraft(text, folder / "paper.md").manuscript()


def test_a_paper_with_front_matter_is_read_with_what_it_cites(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    found = read(PAPER, tmp_path)
    assert found.title == "Mapping fine dust: A survey"
    assert found.authors == ("Ada Quill", "Bo Reed")
    assert found.abstract == "We map dust. It works."
    assert found.as_of == 2021
    assert [work.key for work in found.references] == ["one", "two", "three"]
    assert found.notes == (
        "The draft is dated 2021: nothing newer is considered.",
        "1 cited key not found in the bibliography: 'four'.",
    )


@each_row(
    ("yaml", "authors"),
    [
        ("author: Ada Quill", ["Ada Quill"]),
        ("author: Ada Quill, Bo Reed and Cy Stone", ["Ada Quill", "Bo Reed", "Cy Stone"]),
        ("author: Ada Quill; Bo Reed", ["Ada Quill", "Bo Reed"]),
        ("authors: [Ada Quill, Bo Reed]", ["Ada Quill", "Bo Reed"]),
        ("author:\n  name: {given: Ada, family: Quill}", ["Ada Quill"]),
        (
            "author:\n- {given: Ada, family: Quill}\n- literal: The Group",
            ["Ada Quill", "The Group"],
        ),
        ("author:\n- Ada Quill:\n    institute: x\n- Bo Reed", ["Ada Quill", "Bo Reed"]),
        ("author: Quill", ["Quill"]),
        ("author: Quill, Ada", ["Quill, Ada"]),
        ("author:", []),
        ("author: [[1], {}, ~]", []),
    ],
)
def test_authors_in_pandocs_forms(yaml: str, authors: list[str], tmp_path: Path) -> None:
    assert list(read(f"---\n{yaml}\n---\n# T\n", tmp_path).authors) == authors


@each_row(
    ("yaml", "year"),
    [
        ("year: 2020", 2020),
        ("date: March 5, 2020", 2020),
        ("date: 2020-13-45", 2020),
        ("as_of: 2019\nyear: 2020", 2019),
        ("date: today", None),
        ("year: 99999", None),
        ("date: [2020]", None),
    ],
)
def test_years_and_dates(yaml: str, year: int | None, tmp_path: Path) -> None:
    assert read(f"---\n{yaml}\n---\n# T\n", tmp_path).as_of == year


@each_row(
    ("text", "title", "abstract"),
    [
        ("# T\n\n## Abstract\n\nOne *two* three.\n\n## Next\n\nFour.", "T", "One two three."),
        ("T\n=\n\nT\n===\n\nAbstract\n---\n\nOne.\n", "T", "One."),
        ("Intro text.\n\n## A\n\n# Real title #\n", "Real title", None),
        ("# Title {#id .class}\n\n**Abstract.** One *two*.\n\nThree.", "Title", "One two."),
        ("# T\n\n::: {.abstract}\nOne.\n:::\n\nTwo.", "T", "One."),
        (
            "# C# and *more*\n\nWords that go on for a while.",
            "C# and more",
            "Words that go on for a while.",
        ),
        (
            "# T\n\n```\n# no title\n```\n\n<!-- # no -->\nA first paragraph of words.",
            "T",
            "A first paragraph of words.",
        ),
        ("# Abstract\n\nOne.", "", "One."),
        (
            "Just text.\n\nAnd a second paragraph of words.",
            "Just text.",
            "And a second paragraph of words.",
        ),
    ],
)
def test_headings_and_paragraphs_stand_in_for_front_matter(
    text: str, title: str, abstract: str | None, tmp_path: Path
) -> None:
    found = read(text, tmp_path)
    assert (found.title, found.abstract) == (title, abstract)


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
    )
    assert [work.year for work in works] == [2020, 2019, 2018]


def test_keys_that_are_identifiers_need_no_bibliography(tmp_path: Path) -> None:
    found = read("# T\n\nSee [@doi:10.1000/ABC] by @somebody and @arxiv:2004.07180.", tmp_path)
    assert [(work.doi, work.arxiv) for work in found.references] == [
        ("10.1000/abc", None),
        (None, "2004.07180"),
    ]
    assert not any("not found" in note for note in found.notes)


def test_everything_may_be_cited(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    found = read("---\ntitle: T\nbibliography: [refs]\nnocite: '@*'\n---\n", tmp_path)
    assert [work.key for work in found.references] == ["one", "two", "three", "unused"]


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


def test_a_line_of_dashes_alone_is_no_front_matter() -> None:
    for text in ("---\nno end", "text\n---\na: b\n---\n", "--- a\n---\n"):
        assert split_front_matter(text, "x")[1] == text


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


@each_row(
    ("yaml", "title", "note"),
    [
        ("title: Walls: a study", "Walls: a study", "no YAML in line 2: read as text"),
        ("title: Walls\nx: `r 1`\ny: @z", "Walls", "no YAML in lines 3, 4: read as text"),
        ("title:\tWalls\nauthor:\n\t- Ivy Moss", "Walls", ""),
        ("title: Moss\ntitle: Walls", "Walls", "'title' occurs twice in the front matter"),
        ("title: It's: a wall", "It's: a wall", "no YAML in line 2"),
    ],
)
def test_front_matter_that_is_no_yaml_is_read_as_it_is_meant(
    yaml: str, title: str, note: str, tmp_path: Path
) -> None:
    found = read(f"---\n{yaml}\n---\n", tmp_path)
    assert found.title == title
    assert note in " ".join(found.notes)
    assert bool(found.notes) == bool(note)


def test_a_key_in_myst_s_role_is_cited(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    text = "---\ntitle: T\nbibliography: refs.bib\n---\nAs {cite:t}`one,two` say."
    found = read(text, tmp_path)
    assert [work.key for work in found.references] == ["one", "two"]
    assert found.abstract is None or "cite" not in found.abstract


def test_what_latex_cites_in_markdown_is_cited(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    front = (
        "---\ntitle: T\nbibliography: refs.bib\nabstract: We grow `r n` trees \\citep{two}.\n---\n"
    )
    found = read(f"{front}As \\citet[p. 3]{{one}} says.", tmp_path)
    assert [work.key for work in found.references] == ["two", "one"]
    assert found.abstract == "We grow trees."
