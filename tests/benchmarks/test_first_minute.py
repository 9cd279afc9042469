"""The first minute: what is installed is what is counted."""

from pathlib import Path
from zipfile import ZipFile

from benchmarks import first_minute

ABOUT = "Metadata-Version: 2.4\nName: tiny\nVersion: 1\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SCRIPT = "[console_scripts]\nrecsys = tiny:main\n"


def test_an_installation_and_two_answers_are_measured(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    files = {"tiny.py": "def main():\n    print('An answer')\n"}
    files["ballast.bin"] = "x" * 3_000_000
    about = {"METADATA": ABOUT, "WHEEL": WHEEL, "entry_points.txt": SCRIPT}
    files |= {f"tiny-1.dist-info/{name}": text for name, text in about.items()}
    names = "".join(f"{name},,\n" for name in [*files, "tiny-1.dist-info/RECORD"])
    with ZipFile(wheel, "w") as archive:
        for name, text in {**files, "tiny-1.dist-info/RECORD": names}.items():
            archive.writestr(name, text)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "platform.md").write_text("<!-- platform -->\n<!-- /platform -->\n", encoding="utf-8")
    words = ["--wheels", str(tmp_path), "--docs", str(docs), "--requirements", "tiny"]
    assert first_minute.main(words) == 0
    row = (docs / "platform.md").read_text(encoding="utf-8").splitlines()[3]
    assert row.strip("| ").split(" | ")[:4] == ["`tiny`", "1", "3", "3"]
