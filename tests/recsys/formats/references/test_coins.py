import io

from recsys.formats.references import web_page as coins
from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.formats.references.web_page import span
from recsys.records import Paper, Reference


def test_a_span_names_format_title_people_and_identifiers(specter: Paper) -> None:
    assert span(specter).startswith(
        '<span class="Z3988" title="ctx_ver=Z39.88-2004&amp;'
        "rft_val_fmt=info%3Aofi%2Ffmt%3Akev%3Amtx%3Abook&amp;rft.genre=proceeding&amp;"
        "rft.atitle=SPECTER%3A%20Document-level%20"
    )
    assert "&amp;rft.au=Cohan%2C%20Arman&amp;rft.au=Feldman%2C%20Sergey&amp;" in span(specter)
    assert "rft_id=info%3Adoi%2F10.18653%2Fv1%2F2020.acl-main.207" in span(specter)


def test_pages_of_others_are_read() -> None:
    page = """<p>Text <span>other</span>
    <SPAN title='rft_val_fmt=info%3Aofi%2Ffmt%3Akev%3Amtx%3Ajournal&amp;rft.genre=article
&amp;rft.atitle=A+%26+B&amp;rft.jtitle=J&amp;rft.aulast=Lee&amp;rft.aufirst=Ann
&amp;rft.date=2020-05&amp;rft_id=info:doi/10.1234/X' class='Z3988'></SPAN>"""
    assert read(page.replace("\n&", "&"), "x.html").references == (
        Reference(
            title="A & B",
            authors=("Ann Lee",),
            year=2020,
            venue="J",
            doi="10.1234/x",
            kind="article-journal",
        ),
    )


def test_a_book_has_its_own_title() -> None:
    page = '<span class="Z3988" title="rft_val_fmt=info:ofi/fmt:kev:mtx:book&rft.btitle=B">'
    (found,) = read(page, "x.html").references
    assert (found.title, found.venue, found.kind) == ("B", None, "book")


def test_a_reference_of_too_many_fields_is_reported() -> None:
    found = read(f'<span class="Z3988" title="{"a=b&" * 20_000}">', "x.html")
    assert found.problems[0].startswith("reference 1 cannot be read")


def test_tags_over_many_lines_are_read_line_by_line(specter: Paper) -> None:
    page = f"<p>a < b\n{span(specter)}".replace(" title", "\n\ntitle")
    (found,) = coins.read(io.StringIO(page))
    assert isinstance(found, Reference)
    assert found.title == specter.title


def test_a_tag_without_end_costs_no_memory() -> None:
    lines = iter(["<span class='Z3988' title='a=b\n", *["x" * 999 + "\n"] * 3000])
    assert list(coins.read(lines)) == []
