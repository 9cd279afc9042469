"""Read a list of retractions, corrections and concerns, as Retraction Watch publishes it.

After https://gitlab.com/crossref/retraction-watch-data (columns as of 2026): a row per notice, with
`OriginalPaperDOI`, `RetractionNature`, `RetractionDate` and `Reason`.
"""

import csv
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from recsys.checking.verdicts import Notice, Remark
from recsys.errors import InputError
from recsys.formats.identifiers import doi

_DOI, _NATURE = "OriginalPaperDOI", "RetractionNature"
_NATURES = {
    "retraction": Notice.RETRACTED, "expression of concern": Notice.CONCERN,
    "correction": Notice.CORRECTED,
}  # fmt: skip
_TAKEN_BACK = "reinstatement"
"""It tells that a retraction was taken back."""
_MOST_REASONS = 3


def read_retractions(path: Path) -> Mapping[str, tuple[Remark, ...]]:
    """Return the notices of each DOI.

    Raises:
        InputError: it cannot be read, or has other columns.
    """
    found: dict[str, tuple[Remark, ...]] = {}
    reinstated = set[str]()
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            header = file.readline()
            mark = max(",;\t|", key=header.count)
            names = next(csv.reader([header], delimiter=mark), [])
            for name, remark in _rows(csv.DictReader(file, names, delimiter=mark), path):
                if remark is None:
                    reinstated.add(name)
                else:
                    found[name] = (*found.get(name, ()), remark)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.", "Check the path.") from error
    except (OSError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Download it again.") from error
    for name in reinstated & found.keys():
        found[name] = tuple(each for each in found[name] if each.notice is not Notice.RETRACTED)
    return found


def _rows(rows: "csv.DictReader[str]", path: Path) -> Iterator[tuple[str, Remark | None]]:
    """Yield the notices, each with its DOI; None where a retraction was taken back."""
    missing = {_DOI, _NATURE} - set(rows.fieldnames or ())
    if missing:
        what = f"{path} has no column {', '.join(sorted(missing))}."
        raise InputError(what, "Give the CSV file of Retraction Watch, as Crossref publishes it.")
    for row in rows:
        name = doi(row.get(_DOI) or "")
        nature = (row.get(_NATURE) or "").strip().lower()
        if name is not None and nature == _TAKEN_BACK:
            yield name, None
        notice = _NATURES.get(nature)
        if name is None or notice is None:
            continue
        listed = (each.strip().removeprefix("+") for each in (row.get("Reason") or "").split(";"))
        reasons = "; ".join(islice(filter(None, listed), _MOST_REASONS))
        date = (row.get("RetractionDate") or "").split(" ")[0]
        said = " ".join([f"On {date}."] * bool(date) + [f"{reasons}."] * bool(reasons))
        yield name, Remark(notice, said or "According to the list of retractions.")
