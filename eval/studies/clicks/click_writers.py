"""Write click logs in the formats that `read_clicks` knows, each file replaced as a whole.

The same log gives the same bytes; a path that ends in `.gz` is packed with gzip.
"""

import csv
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.formats.replacing import replacing

HEADER = ("query_id", "clicked_id", "shown_ids")


def write_clicks(path: Path, log: ClickLog) -> None:
    """Write JSON lines, one impression each; what is unknown is left out.

    Raises:
        InputError: the log has no impression, or a name that cannot be read back.
    """
    if not len(log):
        raise InputError("The click log has no impression to write.", "Give one that has some.")
    with _written(path) as file:
        for each in log.impressions():
            file.write(json.dumps(_record(each)) + "\n")


def write_scidocs_clicks(path: Path, log: ClickLog) -> None:
    """Write SciDocs' CSV, one click a line.

    An impression with several clicks becomes as many lines, one without any is left out; so are
    times, users, rankers and swapped positions, which the format cannot hold.

    Raises:
        InputError: the log has no click, or a name that cannot be read back.
    """
    if not log.clicked.any():
        raise InputError("The click log has no click to write.", "Give one that has some.")
    with _written(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADER)
        for each in log.impressions():
            for paper in each.shown:
                if "," in paper:
                    what = f"The id {paper!r} has a comma, which separates ids in SciDocs' CSV."
                    raise InputError(what, "Write JSON lines instead.")
            rows.writerows((each.query, clicked, ",".join(each.shown)) for clicked in each.clicked)


def _record(each: Impression) -> dict[str, object]:
    record = {
        "query": each.query,
        "shown": each.shown,
        "clicked": each.clicked,
        "time": each.time and each.time.isoformat(),
        "user": each.user,
        "ranker": each.ranker,
        "swapped": each.swapped,
    }
    return {key: value for key, value in record.items() if value is not None}


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    """Open a new file to write to; it takes the place of the old one at the end."""
    with replacing(path) as temporary, temporary.open("wb") as raw:
        # Without a name and a time, the same text is packed into the same bytes.
        packed = gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.suffix == ".gz" else raw
        with TextIOWrapper(packed, encoding="utf-8", newline="\n") as file:
            yield file
