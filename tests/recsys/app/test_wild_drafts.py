"""What the command line says of drafts as people have them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

PAPER = r"""\documentclass{article}
\title{Growing trees in rivers}
\begin{document}
\begin{abstract}Trees grow.\end{abstract}
As \cite{a} and \zitat{b} say.
\bibliography{../refs}
\end{document}
"""
BIB = "@misc{a, title={A}}\n@misc{b, title={B}}\n@misc{b, title={B}}\n@misc{c, title={C\n\n" * 2


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose bibliography lies above its draft, as the current folder."""
    (tmp_path / "tex").mkdir()
    (tmp_path / "tex" / "paper.tex").write_text(PAPER, encoding="utf-8")
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_lost_is_said_in_one_line(project: Path, built: "Built", run_cli: "RunCli") -> None:
    done = run_cli("recommend", "tex/paper.tex", "--index", str(built.index))
    assert "allow it with --root DIR" in done.err
    assert "1 citation, none could be looked up: 'a'." in done.err


def test_kinds_of_noise_are_counted_and_named_on_request(
    project: Path, built: "Built", run_cli: "RunCli"
) -> None:
    words = ("recommend", "tex/paper.tex", "--root", ".", "--index", str(built.index))
    done = run_cli(*words)
    assert "2 references:" in done.err
    assert "2 keys occur twice; 2 of them are cited, and the first counts: 'a', 'b'." in done.err
    assert "2 entries are broken and left out (lines 4, 9)." in done.err
    assert "line 4" not in done.err.replace("(lines 4, 9)", "")
    told = run_cli(*words, "-v").err
    assert "line 4: @misc{c" in told
    assert r"keys of the bibliography: \zitat (1)." in told
