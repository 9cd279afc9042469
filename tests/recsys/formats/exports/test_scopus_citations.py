"""Citations as Scopus exports them.

The newer spelling: https://github.com/Goufu-Wang/refparse (README, "Basic Usage") and, for the
older one, https://rdrr.io/cran/bibnets/man/read_scopus.html; the works here are invented.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports.scopus_citations import cited_in
from recsys.records import Reference
from tests.recsys.formats.exports.cited_works import NEWER, OLDER
from tests.rows import each_row

WORDS = st.lists(st.sampled_from(["maps", "of", "Deep", "cells", "x-ray"]), min_size=2, max_size=6)


@given(st.lists(st.tuples(WORDS, st.integers(1900, 2024), st.integers(1, 999)), max_size=5))
def test_what_is_written_is_read(works: list[tuple[list[str], int, int]]) -> None:
    newer = [
        f"Lee A.B., Li C., A {' '.join(words)}, "
        f"Journal of Maps, {volume}, 2, pp. {volume}-1000, ({year})"
        for words, year, volume in works
    ]
    older = [
        f"Lee, A.B., Li, C., A {' '.join(words)} ({year}) "
        f"Journal of Maps, {volume} (2), pp. {volume}-1000"
        for words, year, volume in works
    ]
    expected = [
        Reference(
            title=f"A {' '.join(words)}",
            authors=("A.B. Lee",),
            year=year,
            venue="Journal of Maps",
            volume=str(volume),
            page=str(volume),
        )
        for words, year, volume in works
    ]
    assert list(cited_in("; ".join(newer))) == list(cited_in("; ".join(older))) == expected


def test_any_text_is_read() -> None:
    rng = random.Random(18)
    text = "; ".join([*NEWER, *OLDER])
    for _ in range(150):
        letters = list(text)
        for _ in range(rng.randrange(1, 200)):
            place = rng.randrange(len(letters))
            letters[place] = rng.choice(",;. ()10.A\u2013é\n\0")
        for work in cited_in("".join(letters[rng.randrange(len(letters)) :])):
            assert work.year is None or 1500 <= work.year < 2100


@each_row("part", [",", "; ", "a, ", "A. ", "(2010) ", "10.1234/", "pp. 1, ", "(", "A."])
def test_long_cells_take_little_time(part: str) -> None:
    assert len(cited_in(part * (300_000 // len(part)))) < 300_000


def test_a_meeting_may_begin_with_its_number() -> None:
    (found,) = cited_in("Ross A., Li B., Slow maps, 45th Meeting of Cartographers, pp. 1-9, (2007)")
    assert found.title == "Slow maps"
    assert found.venue == "45th Meeting of Cartographers"
    (found,) = cited_in("Ross A., Slow maps, 3rd ed. of all, pp. 1-9, (2007)")
    assert found.title == "Slow maps, 3rd ed. of all"
