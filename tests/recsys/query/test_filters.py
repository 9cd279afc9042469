import subprocess
import sys

import pytest

import recsys
from recsys.errors import InputError
from recsys.query.filters import Filters
from tests.rows import each_row


def test_no_filter_is_on_by_default() -> None:
    Filters().check()
    assert recsys.Filters is Filters


def test_one_year_is_a_range() -> None:
    Filters(min_year=2015, max_year=2015).check()


@each_row(
    ("filters", "message"),
    [
        (Filters(min_year=2016, max_year=2015), "from 2016 on and up to 2015.*--min-year"),
        (Filters(venues=("*TVCG*", " ")), "--venue is empty"),
        (Filters(venues=("*a" * 6_000, "*b" * 6_000)), "--venue have more than 20,000 letters"),
        (Filters(types=("",)), "--type is empty"),
        (Filters(exclude_authors=("Munzner", "-.-")), "'-.-' is no author's name"),
    ],
)
def test_what_makes_no_sense_is_refused(filters: Filters, message: str) -> None:
    with pytest.raises(InputError, match=message):
        filters.check()


def test_the_package_opens_without_numpy() -> None:
    code = "import recsys, sys; recsys.Filters(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
