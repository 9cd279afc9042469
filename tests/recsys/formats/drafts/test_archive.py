import io
import zipfile

import pytest

from recsys.errors import DraftError
from recsys.formats.drafts import draft_files
from recsys.formats.drafts.draft_files import MOST_ENTRIES, Archive
from tests.recsys.formats.drafts.small_docx import packed
from tests.rows import each_row


def test_files_are_unpacked_by_their_normalised_names() -> None:
    opened = Archive(
        packed({"a/./b.tex": b"one", "c\\d.tex": b"two", "e/": b"", "x/../f.tex": b"three"}), "z"
    )
    assert opened.names == {"a/b.tex", "c/d.tex", "f.tex"}
    assert [opened.read(name) for name in sorted(opened.names)] == [b"one", b"two", b"three"]


@each_row(
    "name", ["/etc/passwd", "../x.tex", "a/../../x.tex", "..\\x.tex", "__MACOSX/a.tex", ".git/x"]
)
def test_what_leads_out_or_is_of_no_concern_is_not_there(name: str) -> None:
    assert Archive(packed({name: b"x", "kept": b"y"}), "z").names == {"kept"}


def test_of_two_entries_with_one_name_the_first_counts() -> None:
    opened = Archive(packed({"a.tex": b"one", "./a.tex": b"two"}), "z")
    assert opened.read("a.tex") == b"one"


def test_what_unpacks_beyond_all_measure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_files, "LARGEST_ENTRY", 100)
    monkeypatch.setattr(draft_files, "MOST_BYTES", 200)
    opened = Archive(packed({"large": bytes(101), **{f"{n}": bytes(100) for n in range(3)}}), "z")
    with pytest.raises(DraftError, match=r"'large' in z is too large"):
        opened.read("large")
    assert len(opened.read("0")) == len(opened.read("1")) == 100
    with pytest.raises(DraftError, match="too large"):
        opened.read("2")
    assert len(opened.read("0")) == 100  # It is unpacked already.


def test_a_size_that_is_claimed_too_small_is_damage() -> None:
    raw = packed({"a": bytes(10_000)})
    size = (10_000).to_bytes(4, "little")
    lying = raw.replace(size, (10).to_bytes(4, "little"))
    assert lying != raw
    with pytest.raises(DraftError, match="is damaged"):
        Archive(lying, "z").read("a")


def test_too_many_entries_are_refused() -> None:
    raw = packed({f"{number}.tex": b"" for number in range(MOST_ENTRIES + 1)})
    with pytest.raises(DraftError, match=r"z has more than 5,000 entries\."):
        Archive(raw, "z")
    with pytest.raises(DraftError, match="entries"):
        Archive(b"PK\1\2" * (4 * MOST_ENTRIES + 1), "z")


def test_what_is_encrypted_or_packed_in_another_way_says_so() -> None:
    raw = bytearray(packed({"a.tex": b"x"}))
    for header, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        raw[raw.index(header) + offset] |= 1
    with pytest.raises(DraftError, match="is encrypted"):
        Archive(bytes(raw), "z").read("a.tex")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as other:
        other.writestr("a.tex", b"x")
    with pytest.raises(DraftError, match="packed in a way that is not known"):
        Archive(out.getvalue(), "z").read("a.tex")
    with pytest.raises(DraftError, match="packed in a way"):
        Archive(out.getvalue(), "z").check_whole()


def test_only_what_is_read_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Archive(packed({"a": b"1", "b": b"2"}), "z")
    unpacked: list[str] = []
    whole = zipfile.ZipFile.open

    def counted(self: zipfile.ZipFile, name: zipfile.ZipInfo) -> object:
        unpacked.append(name.filename)
        return whole(self, name)

    monkeypatch.setattr(zipfile.ZipFile, "open", counted)
    opened.read("b")
    opened.read("b")
    assert unpacked == ["b"]
