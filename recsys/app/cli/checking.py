"""Commands that check: `inspect` an artifact, `doctor` the installation."""

from typing import Annotated

from typer import Option

from recsys.app.cli.options import Index, ReportFormat
from recsys.app.terminal import emit


def inspect(
    index: Index,
    verify: bool = False,
    output: Annotated[ReportFormat, Option("--format")] = "table",
) -> None:
    """Show what an index holds and how it was built, and check that its files are whole.

    Args:
        verify: Compare the checksum of every file, too.
        output: How the report is written.
    """
    from recsys.app.inspection import inspect_artifact, inspection_json, inspection_table

    found = inspect_artifact(index, hashes=verify)
    write = inspection_json if output == "json" else inspection_table
    emit(write(found))


def doctor(
    online: bool = False,
) -> int:
    """Check the installation and the machine; each problem comes with its next step.

    The exit code is 1 when there is a problem.

    Args:
        online: Send one small request to each source on the web, too: does it answer, is the key
            good, what is left of the day's budget? Without, nothing is sent.
    """
    from recsys.app.doctor import examine
    from recsys.errors import need

    if online:
        need("httpx2", "Asking sources on the web")
    checks = []
    for check in examine(online=online):
        checks.append(check)
        emit(f"{check}\n")
    return 0 if all(check.ok for check in checks) else 1
