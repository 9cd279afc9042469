from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.csv_rows import LONGEST_ROW, Row, rows
from recsys.formats.references.bibliography import Problem


def read(text: str, delimiter: str = ",", *, quoted: bool = True) -> list[Row | Problem]:
    return list(rows(iter(text.splitlines(keepends=True)), delimiter, quoted=quoted))


def cells_of(found: list[Row | Problem]) -> list[list[str]]:
    return [each.cells for each in found if isinstance(each, Row)]


def problems_of(found: list[Row | Problem]) -> list[Problem]:
    return [each for each in found if isinstance(each, Problem)]


def test_line_ends_and_delimiters_within_quotes_belong_to_the_cell() -> None:
    assert read('a,b\n"x\ny, ""z""",2\n\nlast,3') == [
        Row(1, ["a", "b"]),
        Row(2, ['x\ny, "z"', "2"]),
        Row(5, ["last", "3"]),
    ]


def test_without_quoting_quotation_marks_are_words() -> None:
    found = read('a\tb\n"Big" data\t"open\nc\td\n', "\t", quoted=False)
    assert cells_of(found) == [["a", "b"], ['"Big" data', '"open'], ["c", "d"]]


def test_a_quotation_mark_without_end_costs_one_row() -> None:
    text = "a,b\n" + '"open,1\n' + "".join(f"{n:060},{n}\n" for n in range(20_000))
    found = read(text)
    (problem,) = problems_of(found)
    assert (problem.line, problem.reason) == (2, "row too long")
    assert len(cells_of(found)) == 20_001
    (problem,) = problems_of(found := read('a,b\n"open,1\nx,2\ny,3\n'))
    assert (problem.line, problem.reason) == (2, "quotation mark without end")
    assert cells_of(found) == [["a", "b"], ["x", "2"], ["y", "3"]]


def test_a_table_cut_within_its_last_cell_gives_what_is_there() -> None:
    found = read('a,b,c\n1,2,"an abstract\nof two lines')
    assert cells_of(found)[1] == ["1", "2", "an abstract\nof two lines"]
    assert [problem.line for problem in problems_of(found)] == [2]


def test_long_cells_are_read_and_endless_rows_are_left_out() -> None:
    long = "x" * (LONGEST_ROW - 100)
    found = read(f"a,b\n{long},1\n{long}{long},2\nlast,3\n")
    assert [len(cells[0]) for cells in cells_of(found)] == [1, len(long), 4]
    assert [problem.line for problem in problems_of(found)] == [3]


def test_many_quotation_marks_without_end_take_no_quadratic_time() -> None:
    opened = '"' + "x" * 20_000 + "\n"
    found = read("a,b\n" + (opened + ("y" * 400 + "\n") * 2_500) * 3)
    assert [problem.reason for problem in problems_of(found)] == ["row too long"] * 3
    assert len(cells_of(found)) == 1 + 3 * 2_500


@given(st.lists(st.lists(st.text("ab\",;\n'\t ", max_size=8), min_size=2, max_size=4), max_size=6))
def test_no_cell_is_lost(table: list[list[str]]) -> None:
    text = "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n" for cells in table
    )
    assert cells_of(read(text)) == table


@given(st.text('a",\n', max_size=60))
def test_each_letter_of_any_text_is_in_a_row_or_a_problem_is_told(text: str) -> None:
    found = read(text)
    letters = sum(cell.count("a") for cells in cells_of(found) for cell in cells)
    assert letters == text.count("a") or problems_of(found)
