"""A draft is answered with one reading of its file and one look-up of its references."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from recsys.formats.drafts.draft_files import Folder
from recsys.formats.drafts.included import Source
from recsys.formats.latex import latex_draft
from recsys.formats.latex.latex_source import gather
from recsys.local.cite import LocalQuestion, cite
from recsys.query.matching import Match, match
from recsys.records import Reference
from recsys.store.collection import Collection
from tests.local_worlds import random_local_world, recommender_of


def test_a_draft_is_parsed_and_its_references_are_matched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = random_local_world(3)
    paper = world.world.papers[0]
    bib = f"@article{{a, title={{{paper.title}}}}}"
    (tmp_path / "refs.bib").write_text(bib)
    source = r"\title{On moss}\begin{document}Moss is old \cite{a,?}.\bibliography{refs}"
    (tmp_path / "paper.tex").write_text(source)
    matched, gathered = list[Reference](), list[Path]()

    def counted(collection: Collection, works: Sequence[Reference]) -> tuple[Match, ...]:
        matched.extend(works)
        return match(collection, works)

    def noted(raw: bytes, path: Path, folder: Folder) -> Source:
        gathered.append(path)
        return gather(raw, path, folder)

    monkeypatch.setattr("recsys.query.resolve_draft.match", counted)
    monkeypatch.setattr("recsys.local.cite.match", counted)
    monkeypatch.setattr(latex_draft, "gather", noted)
    recommender = recommender_of(world.collection)
    answer = cite(recommender, tmp_path / "paper.tex", LocalQuestion(k=99))
    assert [work.key for work in matched] == ["a"]
    assert gathered == [tmp_path / "paper.tex"]
    (gap,) = answer.gaps
    assert gap.sentence.cited == ("a",)
    # What the sentence cites already is not recommended for it.
    assert paper.id not in {item.paper.id for item in gap.recommendations}
    assert gap.recommendations
