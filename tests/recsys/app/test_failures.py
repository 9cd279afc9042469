import errno
import json
import shutil
from collections.abc import Callable

import pytest

from recsys.app.cli.entry import exit_code
from recsys.errors import ArtifactMissing, DraftError, NothingFound, UsageError
from tests.rows import each_row


def raising(error: BaseException) -> Callable[[], int]:
    def run() -> int:
        raise error

    return run


NO_MEMORY = (
    "There is not enough memory. Free some, raise the limit (`ulimit -v`), or process less at once."
)
CHECK = "Check the path, its permissions and the free disk space (`recsys doctor`)."
REPORT = "Set RECSYS_DEBUG=1 to see the traceback, and please report it."
NESTED = "The input is nested too deeply. Use fewer levels of brackets, braces or "
FULL = "[Errno 28] No space left on device: 'b'"
NO_NAME = UnicodeEncodeError("utf-8", "caf\udce9.index", 3, 4, "surrogates not allowed")
NAME = r"'caf\udce9.index' is not UTF-8. Rename the file or the folder in UTF-8."


@each_row(
    ("error", "code", "line"),
    [
        (DraftError("It is empty.", "Fill it."), 1, "It is empty. Fill it."),
        (ArtifactMissing("No index."), 1, "No index."),
        (NothingFound("Nothing left.", "Widen it."), 3, "Nothing left. Widen it."),
        (
            UsageError("No such option: --x.", "See `--help`."),
            2,
            "No such option: --x. See `--help`.",
        ),
        (OSError(28, "No space left", "a.npy"), 1, f"a.npy: No space left. {CHECK}"),
        (shutil.Error([("a", "b", FULL)]), 1, f"{FULL}. {CHECK}"),
        (ZeroDivisionError("2\nlines"), 1, f"internal error: ZeroDivisionError: 2 lines. {REPORT}"),
        (MemoryError(), 1, NO_MEMORY),
        (RuntimeError("Load model failed:std::bad_alloc"), 1, NO_MEMORY),
        (ImportError("a.so: failed to map segment from shared object"), 1, NO_MEMORY),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 1, NO_MEMORY),
        (RuntimeError("can't start new thread"), 1, NO_MEMORY),
        (NO_NAME, 1, NAME),
        (RecursionError("maximum recursion depth exceeded"), 1, f"{NESTED}quotes."),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: Exception, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(raising(error), []) == code
    assert capsys.readouterr() == ("", f"error: {line}\n")


def test_json_errors_are_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(NothingFound("None.", "Widen.")), ["x", "--json-errors"]) == 3
    assert json.loads(capsys.readouterr().err) == {
        "error": {"kind": "NothingFound", "what": "None.", "hint": "Widen."}
    }


def test_debugging_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECSYS_DEBUG", "1")
    assert exit_code(raising(ZeroDivisionError()), []) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_line_stays_short_whatever_a_library_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    for error in (ZeroDivisionError("x" * 10**6), OSError(2, "Gone", "x" * 10**6)):
        assert exit_code(raising(error), []) == 1
        said = capsys.readouterr().err
        assert len(said) < 2_500 and said.count("\n") == 1
