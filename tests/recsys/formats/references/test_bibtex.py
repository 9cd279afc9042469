"""BibTeX after https://bib-it.sourceforge.net/help/fieldsAndEntryTypes.php; for biblatex, see

http://tug.ctan.org/info/biblatex-cheatsheet/biblatex-cheatsheet.pdf.
"""

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references import bibtex, bibtex_entries
from recsys.formats.references.bibliography import Problem
from recsys.formats.references.bibtex import looks_so
from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Paper, Reference
from tests.rows import each_row


def references(text: str) -> tuple[Reference, ...]:
    found = read(text, "refs.bib")
    assert found.problems == ()
    return found.references


def reference(text: str) -> Reference:
    (found,) = references(text)
    return found


@each_row(
    ("fields", "told"),
    [
        # As biblatex calls them.
        ("subtitle={S}, journaltitle={J}", {"title": "T: S", "venue": "J"}),
        ("date={2019-05-01/2020}, url={https://a.org/b\\\\_c}", {"year": 2019, "url": "https://a.org/b_c"}),
        ("eprint={2004.07180v2}, eprinttype={arxiv}", {"arxiv": "2004.07180"}),
        ("eprint={2004.07180}, eprinttype={hal}", {"arxiv": None}),
        ("eprint={0309136}, primaryclass={math.GT}", {"arxiv": "math/0309136"}),
        ("eprint={0309136}, archiveprefix={math}", {"arxiv": None}),
        ("eprint={30000001}, eprinttype={pubmed}", {"arxiv": None, "pmid": "30000001"}),
        # Identifiers in notes and addresses.
        ("journal={arXiv preprint arXiv:2004.07180}", {"arxiv": "2004.07180"}),
        ("note={doi: 10.1234/AB}", {"doi": "10.1234/ab"}),
        ("howpublished={\\url{https://aclanthology.org/P18-1001}}", {"acl": "P18-1001"}),
        ("pmid={31}, pmcid={PMC60}", {"pmid": "31", "ids": ("pmc:PMC60",)}),
        ("volume={12}, file={:home/a.pdf:PDF}", {"volume": "12"}),
        ("keywords={hedges; {E}cology}", {"keyphrases": ("hedges", "Ecology")}),
        ("pages={101--119}", {"page": "101"}),
        ("pages={S-12--S-19}", {"page": "S-12"}),
        ("pages={e1042}", {"page": "e1042"}),
        ("eid={e-1042}", {"page": "e-1042"}),
        ("pages={1:1--1:20}", {"page": "1:1"}),
        ("articleno={17}", {"page": "17"}),
        ("pages={}", {"page": None}),
        ("type={Master's Thesis}", {"kind": "thesis"}),
    ],
)  # fmt: skip
def test_facts_stand_in_many_fields(fields: str, told: dict[str, object]) -> None:
    found = reference(f"@comment{{none}} @misc{{x, title={{T}}, {fields}}}")
    assert {name: getattr(found, name) for name in told} == told


def test_strings_are_put_in_and_joined() -> None:
    text = """@string{J = "Journal of "} @STRING(jt = j # {Things})
    @article{a, title = {A} # " and " # {B}, journal = JT, month = "1~" # jan}
    @article{b, title = {B}, journal = undefined}"""
    assert [(each.title, each.venue) for each in references(text)] == [
        ("A and B", "Journal of Things"),
        ("B", "undefined"),
    ]


def test_a_chapter_inherits_from_its_volume() -> None:
    child, volume = references(
        """@inproceedings{c, title={Child}, author={Ann Lee}, crossref={V}}
        @proceedings{v, title={Proc. of X}, year=2019, editor={Bo Li}, doi={10.1234/volume}}"""
    )
    assert (child.title, child.venue, child.year, child.doi) == ("Child", "Proc. of X", 2019, None)
    assert (volume.title, volume.doi) == ("Proc. of X", "10.1234/volume")


def test_an_entry_without_a_key_is_nobodys_parent_and_never_twice() -> None:
    found = list(
        bibtex.read(
            "@article{, title={Keyless}, journal={Other Journal}, year=1914, volume=7}\n"
            "@misc{a, title={Without}}\n"
            "@misc{b, title={Empty}, crossref={}, xdata={}}\n"
            "@misc{ , title={Keyless as well}, year=1915}\n".splitlines(keepends=True)
        )
    )
    told = [(work.title, work.year, work.venue) for work in found if isinstance(work, Reference)]
    assert told == [
        ("Keyless", 1914, "Other Journal"),
        ("Without", None, None),
        ("Empty", None, None),
        ("Keyless as well", 1915, None),
    ]
    assert len(found) == 4


def test_entries_that_inherit_from_each_other_end() -> None:
    text = "@book{a, title={A}, crossref={b}} @book{b, year=2000, crossref={a}, title={B}}"
    assert [each.year for each in references(text)] == [2000, 2000]


def test_broken_entries_are_reported_with_their_line_and_good_ones_kept() -> None:
    found = read(
        "@article{good, title={Good}}\n\n@article{broken, title={Never closed\n\n"
        "@article{fine, title={Fine}}\n@misc{no comma title={x}}\n@article{last, title={Last}}\n",
        "refs.bib",
    )
    assert [each.key for each in found.references] == ["good", "fine", "last"]
    assert found.problems == ("2 entries are broken and left out (lines 3, 6).",)
    first, second = found.details
    assert first.startswith("line 3: @article{broken")
    assert second.startswith("line 6: @misc{no comma")


def test_what_occurs_twice_is_kept_and_reported() -> None:
    found = read("@misc{a, title={A}}\n@misc{a, title={B}, title={C}}\n", "refs.bib")
    assert [each.title for each in found.references] == ["A", "B"]
    assert found.problems == ("line 2: title occurs twice in one entry; the first counts.",)
    again = read("@misc{a, title={A}}\n@misc{a, title={B}}\n", "refs.bib")
    assert [each.title for each in again.references] == ["A", "B"]
    assert again.problems == ("1 key occurs twice: a.",)
    assert again.details == ("line 2: the key a occurs twice.",)
    assert again.repeated == ("a",)


def streamed(text: str) -> list[Reference | Problem]:
    return list(bibtex.read(io.StringIO(text)))


IN_PARTS = """@string{j = "Journal"}

@inproceedings{late, title={Late}, crossref={v}}
@article{first, title={First}, journal=j}
@proceedings{v, title={Proc. of X}, year=2019}
@inproceedings{child, title={Child}, crossref={V}}
@inproceedings{orphan, title={Orphan}, crossref={nobody}}
@article{first, title={First again}}
@article{broken, title={
"""


def test_strings_parents_and_lines_are_carried_from_part_to_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bibtex_entries, "_PART", 1)  # Which ends before each entry.
    found = streamed(IN_PARTS)
    works = [item for item in found if isinstance(item, Reference)]
    assert [(work.title, work.venue, work.year) for work in works] == [
        ("First", "Journal", None),
        ("Late", "Proc. of X", 2019),
        ("Proc. of X", None, 2019),
        ("Child", "Proc. of X", 2019),
        ("First again", None, None),
        ("Orphan", None, None),
    ]
    problems = [item for item in found if isinstance(item, Problem)]
    assert [(problem.reason, problem.line) for problem in problems] == [
        ("key twice", 8),
        ("broken entry", 9),
    ]


def test_a_library_without_end_is_read_as_it_comes() -> None:
    def endless() -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"@article{{k{number},\n  title = {{T {number}}},\n}}\n"

    found = bibtex.read(endless())
    first = [next(found) for _ in range(3)]
    assert [each.title for each in first if isinstance(each, Reference)] == ["T 1", "T 2", "T 3"]


def test_an_entry_that_never_closes_ends_with_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_PART", "_LARGE_PART", "_LARGEST_PART"):
        monkeypatch.setattr(bibtex_entries, name, 1000)
    text = "@misc{a, title={A\n" + "  more\n" * 1000 + "@misc{b, title={B}}\n"
    problem, found = streamed(text)
    assert isinstance(problem, Problem)
    assert (problem.reason, problem.line) == ("broken entry", 1)
    assert isinstance(found, Reference)
    assert found.title == "B"


@each_row(
    ("text", "so"),
    [
        ("@article{a2020,\n title={T}}", True),
        ("% exported\n\n  @Book ( key , title = 1 )", True),
        ("@string{jt = {J}}", True),
        ("@comment{x}", True),
        ("", False),
        ("p1\n10.1234/x\n", False),
        ("@media print { a {} }", False),
        ("mail me @ home{a, b}", False),
        ("TY  - JOUR\nAU  - @lee\nER  - ", False),
        ('{"a": "@article{b,"}', False),
        ("PT J\nAU Lee, A\nEM a@b.org\nER\n", False),
    ],
)
def test_bibtex_is_known_by_its_entries(text: str, so: bool) -> None:
    assert looks_so(text) is so


WORDS = st.lists(st.from_regex(r"[A-Za-z]{2,8}", fullmatch=True), min_size=1, max_size=6)


@given(titles=st.lists(WORDS, min_size=1, max_size=8), part=st.integers(1, 400))
def test_no_word_of_a_title_is_lost_wherever_parts_end(titles: list[list[str]], part: int) -> None:
    papers = [Paper(f"p{n}", " ".join(words), year=2000) for n, words in enumerate(titles)]
    text = WRITERS["bibtex"](papers)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bibtex_entries, "_PART", part)
        found = streamed(text)
    assert [item.title for item in found if isinstance(item, Reference)] == [
        paper.title for paper in papers
    ]
