"""`recsys corpus` from the outside, and what `build` and `inspect` say of the papers."""

import json
from typing import TYPE_CHECKING

import numpy as np

from recsys.pipelines.corpora.corpus_worth import GAIN_BY_LINKS

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli


def test_a_file_is_described(built: "Built", run_cli: "RunCli") -> None:
    done = run_cli("corpus", "--describe", built.papers, "--quiet")
    assert (done.code, done.err) == (0, "")
    first, *_, last = done.out.splitlines()
    assert first.startswith(
        "50 papers from 1990 to 2011, half of them since 2005; 96 % have an abstract"
    )
    gain, reason = last.split("; ")
    assert reason == "0 train queries are too few to fine-tune the shipped ranker."
    worth = json.loads(run_cli("corpus", "--describe", built.papers, "--format", "json").out)
    links, gains = zip(*GAIN_BY_LINKS, strict=True)
    expected = np.interp(worth["links"] / 50, links, gains)
    assert gain == f"Expect: an F1@20 about {expected:.1f} times that of BM25 or cosine"


def test_an_index_says_what_it_is_worth(built: "Built", run_cli: "RunCli") -> None:
    done = run_cli("inspect", built.index)
    assert "Expect: an F1@20 about" in done.out
