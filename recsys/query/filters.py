"""Which papers somebody does not want to see, whatever speaks for them."""

from dataclasses import dataclass

from recsys.errors import InputError
from recsys.records import PaperId
from recsys.store.words import author_key

MOST_VENUES = 20_000
"""Letters of all patterns of venues: a million would take minutes to compile."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a recommended paper must fulfil; by default, that it is a paper.

    min_year, max_year: both included; papers of unknown year pass neither. venues: patterns with
    `*`, `?` and `[...]`, of which one must match the whole venue, however its letters are cased and
    accented, with or without years and punctuation. types: see `paper_types`; one must be among the
    paper's. exclude_authors: names; a surname alone means all who bear it. exclude_own:
    leave out papers by the draft's authors. library: ids of papers to leave out. exclude_library:
    also leave out the library that is given beside the draft. keep_front_matter: let prefaces,
    indexes, errata and the like through, see `store.front_matter_titles`.

    What is left out remains evidence: it votes for others, and is compared with them; front matter
    alone is not compared.
    """

    min_year: int | None = None
    max_year: int | None = None
    venues: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    exclude_authors: tuple[str, ...] = ()
    exclude_own: bool = False
    library: tuple[PaperId, ...] = ()
    exclude_library: bool = False
    keep_front_matter: bool = False

    def check(self) -> None:
        """Refuse what no paper could fulfil, or no name.

        Raises:
            InputError: naming the first such value.
        """
        if self.min_year is not None and self.max_year is not None:
            if self.min_year > self.max_year:
                raise InputError(
                    f"No year is from {self.min_year} on and up to {self.max_year}.",
                    "Exchange --min-year and --max-year.",
                )
        for option, values in (("--venue", self.venues), ("--type", self.types)):
            if not all(value.strip() for value in values):
                raise InputError(f"The value of {option} is empty.", "Give one, or leave it out.")
        if sum(map(len, self.venues)) > MOST_VENUES:
            raise InputError(
                f"The values of --venue have more than {MOST_VENUES:,} letters.",
                "Give fewer, or shorter patterns.",
            )
        for name in self.exclude_authors:
            if author_key(name) is None:
                raise InputError(
                    f"{name!r} is no author's name.", "Give --exclude-author a surname."
                )
