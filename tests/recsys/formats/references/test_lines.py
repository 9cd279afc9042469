from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.formats.references.reference_formats import work_of_line
from recsys.records import Reference
from tests.rows import each_row


@each_row(
    ("line", "reference"),
    [
        ("p1", Reference(key="p1", id="p1")),
        ("10.1234/AB", Reference(key="10.1234/AB", id="10.1234/AB", doi="10.1234/ab")),
        ("P18-1001", Reference(key="P18-1001", id="P18-1001", acl="P18-1001")),
        (
            "arXiv:2004.07180v2",
            Reference(key="arXiv:2004.07180v2", id="arXiv:2004.07180v2", arxiv="2004.07180"),
        ),
        (
            "- https://doi.org/10.1234/x",
            Reference(
                key="https://doi.org/10.1234/x",
                id="https://doi.org/10.1234/x",
                doi="10.1234/x",
                url="https://doi.org/10.1234/x",
            ),
        ),
        ("A model of things", Reference(key="A model of things", title="A model of things")),
        ("see doi: 10.1234/x", Reference(key="see doi: 10.1234/x", doi="10.1234/x")),
    ],
)
def test_a_line_is_an_identifier_an_address_or_a_title(line: str, reference: Reference) -> None:
    assert work_of_line(line) == reference


def test_comments_and_empty_lines_are_passed_over() -> None:
    found = read("# mine\n\n p1 \n#p2\np3", "x.txt")
    assert [each.id for each in found.references] == ["p1", "p3"]
    assert found.problems == ()
