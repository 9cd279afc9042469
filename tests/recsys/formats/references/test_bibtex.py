from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.records import Reference


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
    first, second = found.problems
    assert first.startswith("line 3: @article{broken")
    assert second.startswith("line 6: @misc{no comma")


def test_what_occurs_twice_is_kept_and_reported() -> None:
    found = read("@misc{a, title={A}}\n@misc{a, title={B}, title={C}}\n", "refs.bib")
    assert [each.title for each in found.references] == ["A", "B"]
    assert found.problems == ("line 2: title occurs twice in one entry; the first counts.",)
    again = read("@misc{a, title={A}}\n@misc{a, title={B}}\n", "refs.bib")
    assert [each.title for each in again.references] == ["A", "B"]
    assert again.problems == ("line 2: the key a occurs twice.",)


def test_comments_and_preambles_are_no_references() -> None:
    text = 'Exported.\n@comment{jabref-meta: x}\n@preamble{"\\newcommand"}\n@misc{a, title={A}}'
    assert [each.key for each in references(text)] == ["a"]


def test_a_file_without_entries_says_so() -> None:
    assert read("% nothing yet\n", "refs.bib").problems == ("refs.bib holds no references.",)
