from pathlib import Path

import pytest

from recsys.formats.exports.zotero_database import stored_pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "home" / "Zotero"
    for place in ("storage/ABCD2345/A paper.pdf", "based/b.pdf", "../Papers/c.pdf", "../d.pdf"):
        path = data / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-1.4")
    return data


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("storage:A paper.pdf", "storage/ABCD2345/A paper.pdf"),
        ("storage:missing.pdf", None),
        ("storage:../../../d.pdf", None),
        ("storage:", None),
        ("attachments:based/b.pdf", "based/b.pdf"),
        ("attachments:Papers/c.pdf", "../Papers/c.pdf"),
        ("attachments:../d.pdf", None),
        ("C:\\Users\\ada\\a.pdf", None),
        ("relative.pdf", None),
        ("storage:a\0b.pdf", None),
        ("storage:" + "a" * 5_000 + ".pdf", None),
        ("", None),
    ],
)
def test_paths_as_zotero_writes_them(folder: Path, path: str, found: str | None) -> None:
    pdf = stored_pdf(folder, "ABCD2345", path)
    assert pdf is None if found is None else pdf is not None and pdf.samefile(folder / found)


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_files_anywhere_are_found_by_their_whole_path(folder: Path, form: str) -> None:
    place = folder / "based" / "b.pdf"
    assert stored_pdf(folder, "ABCD2345", form.format(place)) == place
