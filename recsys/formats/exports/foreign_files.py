"""Name what a file is that no reader understands, and say how to get one that they do."""

import re

Said = tuple[str, str]
"""What a file is, to stand after "is"; and what to do."""

_EXPORT = "Export RIS or BibTeX from the program or catalogue that it comes from."
_UNPACK = "Unpack it first."
_ENDNOTE = "In EndNote, choose File > Export and the output style RefMan (RIS), or XML."
_AS_TEXT = "Save it as CSV, or export the references as RIS or BibTeX."
_LOG_IN = "Log in with the browser, download the file again, and look at it before it is read."
_LOOKED_AT = 100_000
_TAR_NAME = 257

# Bytes that such files begin with.
_BEGINNINGS: tuple[tuple[bytes, Said], ...] = (
    (b"BZh", ("a bzip2 file", "Unpack it first, or pack it with gzip.")),
    (b"\xfd7zXZ", ("an xz file", "Unpack it first, or pack it with gzip.")),
    (b"\x28\xb5\x2f\xfd", ("a zstandard file", "Unpack it first, or pack it with gzip.")),
    (b"\x04\x22\x4d\x18", ("an lz4 file", "Unpack it first, or pack it with gzip.")),
    (b"\x1f\x9d", ("a file packed with compress", _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", ("a 7z archive", _UNPACK)),
    (b"Rar!\x1a\x07", ("a rar archive", _UNPACK)),
    (b"PAR1", ("a Parquet file", "Write it as JSON lines or CSV first.")),
    (b"ARROW1", ("an Arrow file", "Write it as JSON lines or CSV first.")),
    (b"FEA1", ("a Feather file", "Write it as JSON lines or CSV first.")),
    (b"\x89HDF\r\n", ("an HDF5 file", "Write it as JSON lines or CSV first.")),
    (b"RDX", ("data of R", "Write it as CSV first.")),
    (b"\x80\x04\x95", ("a pickle of Python", "Write it as JSON lines first.")),
    (b"{\\rtf", ("a document in RTF", "Export the references themselves as RIS or BibTeX.")),
    (b"\x89PNG", ("a picture", "Give a file of references, or PDFs with text.")),
    (b"\xff\xd8\xff", ("a picture", "Give a file of references, or PDFs with text.")),
    (b"\x32\x20\xbe\xff\xe4", ("an EndNote library", _ENDNOTE)),
    (
        b"version https://git-lfs.github.com/spec/",
        ("a pointer to a file in Git LFS", "Fetch the file itself with `git lfs pull`."),
    ),
)
# What a zip archive holds, by how the names in it begin or end.
_IN_ZIP: tuple[tuple[str, Said], ...] = (
    (r"word/", ("a Word document", "Export the references from the program that made them.")),
    (r"xl/", ("an Excel workbook", "Save it as CSV.")),
    (r"ppt/", ("a PowerPoint presentation", _EXPORT)),
    (r"\[Content_Types\]\.xml", ("an Office document", _AS_TEXT)),
    (r"META-INF/container\.xml", ("an EPUB book", _EXPORT)),
    (r"sdb/|.*\.enl\Z", ("a compressed EndNote library", _ENDNOTE)),
    (r"content\.xml|styles\.xml", ("an OpenDocument file", _AS_TEXT)),
)
_ZIP = b"PK\x03\x04"
_NAME_LENGTH, _NAME = 26, 30
"""Where in the header of a file in a zip archive its name is."""
_IN_SQLITE: tuple[tuple[bytes, Said], ...] = (
    (b"DocumentCanonicalIds", ("a database of Mendeley", "In Mendeley, export BibTeX or RIS.")),
    (b"DocumentContributors", ("a database of Mendeley", "In Mendeley, export BibTeX or RIS.")),
    (b"enl_refs", ("an EndNote library", _ENDNOTE)),
    (b"trash_state", ("an EndNote library", _ENDNOTE)),
)
_IN_OLE: tuple[tuple[str, Said], ...] = (
    ("WordDocument", ("an old Word document", _EXPORT)),
    ("Workbook", ("an old Excel workbook", "Save it as CSV.")),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_MARC = re.compile(r"\s{0,9}\d{5}[a-z ][a-z][a-z ][a-z# ][a-z# ]\d\d\d{5}[\w #|]{3}4[5 ]\d?\d?")
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)([^<>]{0,4000})")
_LEFT_OUT = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_REFERENCES = "Z3988"
"""What marks a reference in a web page (COinS), which there is a reader for."""
_FORM = re.compile(
    r"type=[\"']?password|openathens"
    r"|<title>[^<]{0,99}(?:log ?in|sign ?in|authenticat|access denied)",
    re.IGNORECASE,
)
# The roots of XML files, or parts of what stands within their tags.
_IN_ROOT: tuple[tuple[str, Said], ...] = (
    ("loc.gov/marc21/slim", ("MARC XML", _EXPORT)),
    ("loc.gov/mods", ("a MODS record", _EXPORT)),
    ("modscollection", ("a MODS record", _EXPORT)),
    ("oai-pmh", ("an answer of OAI-PMH", _EXPORT)),
    ("openarchives.org/oai", ("a Dublin Core record", _EXPORT)),
    ("purl.org/dc/", ("a Dublin Core record", _EXPORT)),
    ("searchretrieveresponse", ("an answer of a catalogue (SRU)", _EXPORT)),
    (
        "tei-c.org/ns",
        ("TEI XML, as GROBID writes it", "Give the PDFs themselves, or JATS XML, BibTeX or RIS."),
    ),
    ("2005/atom", ("an Atom feed", _EXPORT)),
    ("rss", ("a news feed", _EXPORT)),
    ("officedocument/2006/bibliography", ("Word's list of sources", _EXPORT)),
    ("22-rdf-syntax-ns", ("RDF", "Export RIS, BibTeX or JSON instead.")),
)
# Plain text that other programs write: how it begins, what it is, and what to do.
_TEXTS = (
    (r"\s*=LDR  \d{5}", "a MARC record as text", _EXPORT),
    (
        r"\s*1[.:] [^\n]{1,2000}(?:\n(?!\n\n)[^\n]*){0,200}?\bPMID: ?\d",
        "PubMed's summary or abstracts as text",
        "In PubMed, choose Save and the format PubMed, or Send to and Citation manager.",
    ),
    (
        r"\s*RT [A-Z][^\n]{0,60}\n(?:[A-Z][A-Z0-9] [^\n]*\n){0,3}[A-Z][A-Z0-9] ",
        "a RefWorks tagged file",
        "Export RIS instead.",
    ),
    (r"\s*\{Reference Type\}:", "a NoteExpress file", "Export RIS or EndNote instead."),
    (
        r"\s*Scopus\s+EXPORT DATE",
        "Scopus' plain text",
        "In Scopus, export CSV with the references, RIS or BibTeX.",
    ),
    (
        r"\s*(?:%!PS|\\documentclass|\\begin\{document\})",
        "a paper's text, not its references",
        "Give the .bib file, or the PDF.",
    ),
)


def foreign(head: bytes) -> Said | None:
    """Say what a file is and what to do, by its first bytes; None when that is not known.

    None as well for what may be read after all: a web page with references in its mark-up, an
    unknown database of SQLite, which may be a Zotero library.
    """
    head = head[:_LOOKED_AT]
    if begun := next((said for begins, said in _BEGINNINGS if head.startswith(begins)), None):
        return begun
    if head.startswith(b"SQLite format 3\0"):
        return next((said for mark, said in _IN_SQLITE if mark in head), None)
    if head[_TAR_NAME:].startswith(b"ustar"):
        return "a tar archive", _UNPACK
    if head.startswith(_ZIP):
        names = []
        for header in head.split(_ZIP)[1:]:
            at = _NAME - len(_ZIP)
            length = header[_NAME_LENGTH - len(_ZIP) :][:2]
            names.append(header[at : at + int.from_bytes(length, "little")].decode("cp437"))
        kinds = (said for mark, said in _IN_ZIP if any(re.match(mark, name) for name in names))
        return next(kinds, ("a zip archive", _UNPACK))
    if head.startswith(_OLE):
        streams = (said for name, said in _IN_OLE if name.encode("utf-16-le") in head)
        return next(streams, ("an old Office document", _AS_TEXT))
    if head.startswith(b"%PDF-") and b"/Collection" in head:
        return "a PDF portfolio", "Save the files in it one by one."
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = head[: len(head) // 2 * 2].decode("utf-16", errors="replace")
    else:
        text = head.decode("utf-8", errors="replace")
    if _MARC.match(text):
        return "a MARC record", _EXPORT
    plain = text.lstrip("\ufeff \t\r\n")
    if plain.startswith("<"):
        return _marked_up(plain)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return next(((what, hint) for sign, what, hint in _TEXTS if re.match(sign, text)), None)


def _marked_up(text: str) -> Said | None:
    begun = _LEFT_OUT.sub("", text).lstrip()
    if begun[:9].lower() == "<!doctype" and begun[9:].lstrip()[:4].lower() != "html":
        begun = begun[begun.find(">") + 1 :]
    if re.match(r"<(?:!doctype\s+html|html|head|body)\b", begun, re.IGNORECASE):
        if _REFERENCES in text:
            return None
        form = _FORM.search(text)
        return ("a log-in page saved as a file", _LOG_IN) if form else ("a web page", _EXPORT)
    root = _ROOT.search(begun)
    tag = root[0].lower() if root else ""
    for mark, said in _IN_ROOT:
        in_address = "/" in mark or "-" in mark
        if mark in tag if in_address else re.match(rf"<(?:\w+:)?{mark}\b", tag):
            return said
    return None
