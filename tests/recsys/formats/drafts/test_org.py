from pathlib import Path

from recsys.formats.drafts.draft_files import bundle_of
from recsys.formats.drafts.org_typst import org_keys, org_text, read_org
from recsys.records import Manuscript
from tests.rows import each_row

BIB = b"@misc{a, title={A}}\n@misc{b, title={B}}\n@misc{c, title={C}}"


def org(text: str) -> Manuscript:
    files = {"paper.org": text.encode(), "refs.bib": BIB}
    return read_org(files["paper.org"], Path("paper.org"), bundle_of("paper.org", files))


@each_row(
    ("text", "keys"),
    [
        ("[cite:@a]", ("a",)),
        ("[cite/t:see @a p. 3; also @b; and others]", ("a", "b")),
        ("[cite/text/b:@a;@b]", ("a", "b")),
        ("cite:a,b and citep:c.", ("a", "b", "c")),
        ("[[cite:&a;&b]] nocite:c", ("a", "b", "c")),
        ("[[citet:a][p. 3]] parencite:b", ("a", "b")),
        ("someone@example.org cites:x recite:y [fn:1]", ()),
    ],
)
def test_keys_are_cited_as_org_cite_and_org_ref_have_it(text: str, keys: tuple[str, ...]) -> None:
    assert org_keys(text) == keys


@each_row(
    ("text", "shown"),
    [
        ("a *bold* /slanted/ _line_ =code= ~verb~ +gone+", "a bold slanted line code verb gone"),
        ("snake_case 2*3*4 and/or a=b=c", "snake_case 2*3*4 and/or a=b=c"),
        ("[[https://a.example][a link]] and [[file.org]]", "a link and file.org"),
        ("Walls [cite:@a], moss citep:b.", "Walls, moss."),
        ("A note[fn:1] and [fn:: another] one\\\\", "A note and one"),
    ],
)
def test_markup_goes_and_words_stay(text: str, shown: str) -> None:
    assert org_text(text) == shown


def test_what_is_no_text_is_passed_over() -> None:
    found = org(
        "* Walls :x:\n:PROPERTIES:\n:ID: 7\n:END:\n#+begin_src R\n[cite:@c]\n#+end_src\n"
        "# [cite:@c]\n| a | table |\nMoss grows on walls [cite:@a].\n#+bibliography: refs.bib\n"
    )
    assert found.title == "Walls"
    assert found.abstract == "Moss grows on walls."
    assert [work.key for work in found.references] == ["a"]
    assert "stand in for it" in found.notes[0]


def test_a_subtitle_follows_its_title() -> None:
    assert org("#+title: Walls\n#+SUBTITLE: and /moss/").title == "Walls: and moss"


def test_a_lost_bibliography_is_told() -> None:
    found = org("#+title: Walls\n[cite:@a;@b]\nbibliography:gone.bib")
    assert found.notes[-1] == "2 citations, none could be looked up: 'a', 'b'."


def test_what_latex_cites_in_org_is_cited() -> None:
    found = org(
        "#+title: T\n#+latex_header: \\addbibresource{refs.bib}\nMoss \\cite{b} grows on walls."
    )
    assert [work.key for work in found.references] == ["b"]
    assert found.abstract == "Moss grows on walls."
