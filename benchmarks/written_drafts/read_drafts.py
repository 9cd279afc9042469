"""Read written drafts back, and say what of each was found wrong."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.written_drafts.citing_drafts import citing_drafts
from benchmarks.written_drafts.fronted_drafts import fronted_drafts
from benchmarks.written_drafts.listed_drafts import listed_drafts
from benchmarks.written_drafts.odd_drafts import odd_drafts
from benchmarks.written_drafts.packed_drafts import packed_drafts
from benchmarks.written_drafts.whole_drafts import whole_drafts
from benchmarks.written_drafts.worded_drafts import worded_drafts
from benchmarks.written_drafts.written_draft import WrittenDraft
from recsys.errors import RecsysError
from recsys.formats.drafts.draft_formats import read_manuscript
from recsys.records import Manuscript

RIGHT = "right"


def written_drafts() -> tuple[WrittenDraft, ...]:
    """Write all drafts, part by part."""
    return (
        *worded_drafts(),
        *citing_drafts(),
        *fronted_drafts(),
        *whole_drafts(),
        *listed_drafts(),
        *odd_drafts(),
        *packed_drafts(),
    )


def put_down(draft: WrittenDraft, folder: Path) -> Path:
    """Write the files of a draft into a folder; return the path of what is given to a reader."""
    for name, content in draft.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / draft.draft


def verdicts(drafts: Sequence[WrittenDraft]) -> Mapping[str, str]:
    """Read each draft: "part: name" -> what was wrong, or `RIGHT`."""
    return {f"{each.part}: {each.name}": verdict(each) for each in drafts}


def verdict(draft: WrittenDraft) -> str:
    """Read a draft back, and say what of it is wrong, or `RIGHT`."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read_manuscript(put_down(draft, Path(folder)))
        except RecsysError as error:
            return f"error: {error.what.replace(folder, '')[:80]}"
    return ", ".join(_wrong(draft, found)) or RIGHT


def _wrong(draft: WrittenDraft, found: Manuscript) -> Iterator[str]:
    if draft.title is not None and found.title != draft.title:
        yield "title"
    if draft.abstract is not None and found.abstract != draft.abstract:
        yield "abstract"
    if draft.authors is not None and found.authors != draft.authors:
        yield "authors"
    keys = sorted(work.key for work in found.references)
    titles = sorted(work.title or "" for work in found.references)
    expected = draft.keys if draft.keys is not None else draft.cited
    if expected is not None:
        got = keys if draft.keys is not None else titles
        right = sum(each in expected for each in got)
        if sorted(expected) != got:
            yield f"references ({right} of {len(expected)}, {len(got) - right} wrong)"
    if any(all(piece not in note for note in found.notes) for piece in draft.told):
        yield "not said"
