"""Commands that check: `inspect` an artifact, `doctor` the installation."""

import sys
from typing import Annotated

from typer import Option

from recsys.app.cli.options import Index, ReportFormat
from recsys.app.terminal import columns_of, emit


def inspect(
    index: Index,
    verify: bool = False,
    output: Annotated[ReportFormat, Option("--format")] = "table",
) -> None:
    """Show what an index holds and check its files.

    Args:
        verify: Also compare the checksum of every file.
        output: Format of the report.
    """
    from recsys.app.inspection import inspect_artifact, inspection_json, inspection_table

    found = inspect_artifact(index, hashes=verify)
    columns = columns_of(sys.stdout)
    emit(inspection_json(found) if output == "json" else inspection_table(found, columns))


def doctor(
    online: bool = False,
) -> int:
    """Check the installation and this machine.

    Each problem comes with what to do about it. The exit code is 1 if there is a problem.

    Args:
        online: Also send one small request to each web source to check that it answers, that your
            key works, and what is left of the daily budget. Otherwise nothing is sent.
    """
    from recsys.app.doctor import examine
    from recsys.errors import need

    if online:
        need("httpx2", "Asking sources on the web")
    checks = []
    for check in examine(online=online):
        checks.append(check)
        emit(f"{check.text(columns_of(sys.stdout))}\n")
    return 0 if all(check.ok for check in checks) else 1
