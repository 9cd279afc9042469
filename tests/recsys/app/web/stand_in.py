"""Another process in the place of the one that reads a stranger's files."""

import sys

import pytest

from recsys.app.web import uploads


def stand_in(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process of other code read in place of the real one."""
    monkeypatch.setattr(uploads, "_CHILD", (sys.executable, "-c", code))
