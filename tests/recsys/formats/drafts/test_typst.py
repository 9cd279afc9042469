from pathlib import Path

from recsys.formats.drafts.draft_files import bundle_of
from recsys.formats.drafts.org_typst import read_typst, typst_text, value_at
from recsys.records import Manuscript
from tests.rows import each_row

BIB = b"@misc{a, title={A}}\n@misc{b-2, title={B}}\n@misc{c, title={C}}"


def typst(text: str) -> Manuscript:
    files = {"paper.typ": text.encode(), "refs.bib": BIB}
    return read_typst(files["paper.typ"], Path("paper.typ"), bundle_of("paper.typ", files))


@each_row(
    ("text", "title"),
    [
        ('#set document(title: "Walls and moss")', "Walls and moss"),
        ("#show: ieee.with(title: [Walls *and* _moss_])", "Walls and moss"),
        ('#let title = "Walls and moss"', "Walls and moss"),
        ("#title[Walls and #emph[moss]]", "Walls and moss"),
        ("#conf(\n  paper-title: [Walls \\\n and moss],\n)", "Walls and moss"),
        ('#show: x.with(title: [Walls], subtitle: "and moss")', "Walls: and moss"),
        ("= Walls and moss <intro>\nText.", "Walls and moss"),
        ("// title: [No]\n/* title: [No] */\n#let title = [Walls and moss]", "Walls and moss"),
    ],
)
def test_titles_stand_in_many_places(text: str, title: str) -> None:
    assert typst(text).title == title


@each_row(
    ("text", "authors"),
    [
        ('author: "Ivy Moss"', ("Ivy Moss",)),
        ('author: ("Ivy Moss", "Otto Fern")', ("Ivy Moss", "Otto Fern")),
        ("authors: [Ivy Moss, Otto Fern and Mia Strand]", ("Ivy Moss", "Otto Fern", "Mia Strand")),
        (
            'authors: ((name: "Ivy Moss", org: [X]), (name: [Otto Fern]),)',
            ("Ivy Moss", "Otto Fern"),
        ),
        ('authors: ("Ivy Moss": (affil: "X"), "Otto Fern": ())', ("Ivy Moss", "Otto Fern")),
        ('authors: ((given: "Ivy", family: "Moss"),)', ("Ivy Moss",)),
        ("authors: [", ()),
    ],
)
def test_authors_are_written_in_many_ways(text: str, authors: tuple[str, ...]) -> None:
    assert typst(f"#show: x.with({text})\n#title[Walls]").authors == authors


def test_keys_are_cited_and_labels_are_not() -> None:
    found = typst(
        '#title[Walls]\n= One <one>\nMoss @a[p. 7], @b-2. #cite(<c>, form: "prose") @one\n'
        '`@gone` me@example.org // @gone\n#bibliography(("refs.bib", "more.bib"))'
    )
    assert [work.key for work in found.references] == ["a", "b-2", "c"]
    assert (
        found.notes == ("'more.bib' was not read: there is no such file in the draft's folder.",)
        or "was not read" in found.notes[-1]
    )


def test_an_abstract_is_an_argument_or_a_section() -> None:
    assert typst("#title[T]\n#abstract[Moss @a grows.]").abstract == "Moss grows."
    assert typst("= Walls\n== Abstract\nMoss grows.\n== One\nNo.").abstract == "Moss grows."
    found = typst("= Walls\nMoss grows on many walls.")
    assert found.abstract == "Moss grows on many walls."
    assert "stand in for it" in found.notes[0]


@each_row(
    ("text", "shown"),
    [
        ('See #link("https://a.example")[a link] and #footnote[no] more', "See a link and more"),
        ("2*3 snake_case \\# \\$5 a~b", "2*3 snake_case # $5 a b"),
        ("#text(red)[Words] stay, #smallcaps[all] of them", "Words stay, all of them"),
    ],
)
def test_markup_goes_and_words_stay(text: str, shown: str) -> None:
    assert typst_text(text) == shown


def test_brackets_in_strings_and_escapes_do_not_count() -> None:
    assert value_at('["]" \\] (x)] y', 0) == '"]" \\] (x)'
    assert value_at('"a \\" b" c', 0) == 'a \\" b'
    assert value_at("[[", 0) is None
    assert value_at("[" * 1_000 + "]" * 1_000, 0) is None


def test_strings_that_are_joined_are_one() -> None:
    assert typst('#set document(title: "Walls " + "and"\n + " moss")').title == "Walls and moss"
