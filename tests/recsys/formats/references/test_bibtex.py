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


def test_an_entry_becomes_a_reference() -> None:
    assert reference(
        r"""@InProceedings{cohan2020,
          Title = {{SPECTER}: Document-level {R}epresentation \& Learning},
          AUTHOR = "Arman Cohan and Feldman, Sergey and Jos{\'e} de la Cruz and others",
          year = 2020, month = jul,
          booktitle = {Proc.\ of {ACL}},
          doi = {https://doi.org/10.18653/v1/2020.ACL-main.207},
          abstract = {We   present
             SPECTER.},
        }"""
    ) == Reference(
        key="cohan2020",
        title="SPECTER: Document-level Representation & Learning",
        authors=("Arman Cohan", "Sergey Feldman", "José de la Cruz"),
        year=2020,
        venue="Proc. of ACL",
        abstract="We present SPECTER.",
        doi="10.18653/v1/2020.acl-main.207",
        acl="2020.acl-main.207",
        kind="paper-conference",
    )


def test_biblatex_calls_fields_otherwise() -> None:
    found = reference(
        "@online{x, title={T}, subtitle={S}, journaltitle={J}, date={2019-05-01/2020},"
        " eprint={2004.07180v2}, eprinttype={arxiv}, url={https://a.org/b\\_c}}"
    )
    assert (found.title, found.venue, found.year) == ("T: S", "J", 2019)
    assert (found.arxiv, found.url, found.kind) == ("2004.07180", "https://a.org/b_c", "webpage")


def test_an_eprint_of_another_archive_is_no_arxiv_id() -> None:
    assert reference("@misc{x, title={T}, eprint={2004.07180}, eprinttype={hal}}").arxiv is None


def test_identifiers_are_found_in_notes_and_addresses() -> None:
    found = reference(
        "@misc{x, title={T}, journal={arXiv preprint arXiv:2004.07180}, note={doi: 10.1234/AB},"
        " howpublished={\\url{https://aclanthology.org/P18-1001}}}"
    )
    assert (found.arxiv, found.doi, found.acl) == ("2004.07180", "10.1234/ab", "P18-1001")
    assert found.url == "https://aclanthology.org/P18-1001"


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


def test_entries_that_inherit_from_each_other_end() -> None:
    text = "@book{a, title={A}, crossref={b}} @book{b, year=2000, crossref={a}, title={B}}"
    assert [each.year for each in references(text)] == [2000, 2000]


def test_names_keep_their_parts() -> None:
    found = reference(
        r"""@misc{x, title={T}, author={King, Jr., Martin and {Simon and Schuster, Inc.} and
        {\'E}mile Zola and \'Emile Zola and {van der Maaten}, Laurens AND Plato and
        {\"O}. {\"O}}}"""
    )
    assert found.authors == (
        "Martin King Jr.",
        "Simon and Schuster, Inc.",
        "Émile Zola",
        "Émile Zola",
        "Laurens van der Maaten",
        "Plato",
        "Ö. Ö",
    )


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


def test_comments_and_preambles_are_no_references() -> None:
    text = 'Exported.\n@comment{jabref-meta: x}\n@preamble{"\\newcommand"}\n@misc{a, title={A}}'
    assert [each.key for each in references(text)] == ["a"]


def test_a_file_without_entries_says_so() -> None:
    assert read("% nothing yet\n", "refs.bib").problems == ("refs.bib holds no references.",)


def streamed(text: str) -> list[Reference | Problem]:
    return list(bibtex.read(io.StringIO(text)))


def test_what_places_a_work_in_its_volume_is_read() -> None:
    found = reference(
        "@article{x, title={T}, volume={12}, pages={101--119}, keywords={hedges; {E}cology},"
        " pmid={30000001}, pmcid={PMC6000001}, file={:home/a.pdf:PDF}, langid={english}}"
    )
    assert (found.volume, found.page, found.pmid) == ("12", "101", "30000001")
    assert found.keyphrases == ("hedges", "Ecology")
    assert found.ids == ("pmc:PMC6000001",)


@each_row(
    ("fields", "page"),
    [
        ("pages={S-12--S-19}", "S-12"),
        ("pages={e1042}", "e1042"),
        ("eid={e-1042}", "e-1042"),
        ("pages={1:1--1:20}", "1:1"),
        ("articleno={17}", "17"),
        ("pages={}", None),
    ],
)
def test_the_first_page_or_the_number_of_the_article(fields: str, page: str | None) -> None:
    assert reference(f"@article{{x, title={{T}}, {fields}}}").page == page


def test_eprints_of_old_and_of_other_archives() -> None:
    old = "@misc{x, title={T}, archiveprefix={arXiv}, eprint={0309136}, primaryclass={math.GT}}"
    assert reference(old).arxiv == "math/0309136"
    pubmed = reference("@misc{x, title={T}, eprint={30000001}, eprinttype={pubmed}}")
    assert (pubmed.arxiv, pubmed.pmid) == (None, "30000001")


def test_the_type_tells_what_misc_does_not() -> None:
    assert reference("@misc{x, title={T}, type={Master's Thesis}}").kind == "thesis"
    assert reference("@article{x, title={T}, type={Technical report}}").kind == "article-journal"


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a part end before each entry."""
    monkeypatch.setattr(bibtex_entries, "_PART", 1)


IN_PARTS = """@string{j = "Journal"}

@inproceedings{late, title={Late}, crossref={v}}
@article{first, title={First}, journal=j}
@proceedings{v, title={Proc. of X}, year=2019}
@inproceedings{child, title={Child}, crossref={V}}
@inproceedings{orphan, title={Orphan}, crossref={nobody}}
@article{first, title={First again}}
@article{broken, title={
"""


@pytest.mark.usefixtures("small_parts")
def test_strings_parents_and_lines_are_carried_from_part_to_part() -> None:
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


def test_parts_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {item.title for item in streamed(IN_PARTS) if isinstance(item, Reference)}
    monkeypatch.setattr(bibtex_entries, "_PART", 60)
    assert {item.title for item in streamed(IN_PARTS) if isinstance(item, Reference)} == whole


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


@given(data=st.data())
def test_damage_never_stops_the_reading(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(IN_PARTS)))
    cut = data.draw(st.integers(0, 12))
    put = data.draw(st.sampled_from(["", "{", "}", '"', "@", "@misc{z,", "#", "=", "\\", "\x00"]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bibtex_entries, "_PART", data.draw(st.sampled_from([1, 50, 10_000])))
        streamed(IN_PARTS[:at] + put + IN_PARTS[at + cut :])
