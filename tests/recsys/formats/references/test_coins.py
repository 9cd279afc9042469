import io

from recsys.formats.references import web_page as coins
from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.formats.references.web_page import span
from recsys.records import Paper, Reference


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
