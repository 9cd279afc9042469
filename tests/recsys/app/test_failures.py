import json
from collections.abc import Callable

import pytest

from recsys.app.cli.entry import exit_code
from recsys.errors import ArtifactMissing, DraftError, NothingFound, UsageError


def raising(error: BaseException) -> Callable[[], int]:
    def run() -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (DraftError("It is empty.", "Fill it."), 1, "error: It is empty. Fill it."),
        (ArtifactMissing("No index."), 1, "error: No index."),
        (NothingFound("Nothing left.", "Widen it."), 3, "error: Nothing left. Widen it."),
        (
            KeyboardInterrupt(),
            130,
            "interrupted: run the same command again; it continues from what it has kept.",
        ),
        (
            UsageError("No such option: --colour.", "See `recsys --help`."),
            2,
            "error: No such option: --colour. See `recsys --help`.",
        ),
        (
            OSError(28, "No space left on device", "a.npy"),
            1,
            "error: a.npy: No space left on device. Check the path, its permissions and the free "
            "disk space (`recsys doctor`).",
        ),
        (
            ZeroDivisionError("two\nlines"),
            1,
            "error: internal error: ZeroDivisionError: two lines. Set RECSYS_DEBUG=1 for the "
            "traceback, and report it.",
        ),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(raising(error), []) == code
    assert capsys.readouterr() == ("", line + "\n")


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


def test_success_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(lambda: None, []) == 0
    assert capsys.readouterr() == ("", "")


def test_a_line_stays_short_whatever_a_library_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    for error in (ZeroDivisionError("x" * 10**6), OSError(2, "Gone", "x" * 10**6)):
        assert exit_code(raising(error), []) == 1
        said = capsys.readouterr().err
        assert len(said) < 2_500 and said.count("\n") == 1
