"""Write small documents of Word by hand: what python-docx itself cannot write."""

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_NAMESPACES = (
    f'{_W} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def paragraph(text: str = "", *, style: str = "", inside: str = "") -> str:
    """Write a paragraph: text, then whatever else is inside it."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}{run(text) if text else ''}{inside}</w:p>"


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def field(*instruction: str, shown: str = "(1)") -> str:
    """Write a field; its instruction may be cut into several runs, as Word does."""
    parts = "".join(f"<w:r><w:instrText>{escape(part)}</w:instrText></w:r>" for part in instruction)
    return f"{mark('begin')}{parts}{mark('separate')}{run(shown)}{mark('end')}"


def mark(kind: str, inside: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inside}</w:fldChar></w:r>'


def style(identifier: str, name: str, *, base: str = "", level: int | None = None) -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    outline = "" if level is None else f'<w:pPr><w:outlineLvl w:val="{level}"/></w:pPr>'
    return (
        f'<w:style w:type="paragraph" w:styleId="{identifier}"><w:name w:val="{name}"/>'
        f"{based}{outline}</w:style>"
    )


def docx(
    *body: str,
    styles: str = "",
    footnotes: str = "",
    facts: Mapping[str, str] | None = None,
    document: str | None = None,
    macros: bool = False,
) -> bytes:
    """Pack a document. facts: title and creator; document: all of its XML, in place of `body`."""
    whole = f"<w:document {_NAMESPACES}><w:body>{''.join(body)}</w:body></w:document>"
    parts = {"word/document.xml": document or _HEAD + whole}
    related = []
    if styles:
        parts["word/styles.xml"] = f"{_HEAD}<w:styles {_W}>{styles}</w:styles>"
        related.append("styles")
    if footnotes:
        notes = f'<w:footnote w:id="1">{footnotes}</w:footnote>'
        parts["word/footnotes.xml"] = f"{_HEAD}<w:footnotes {_NAMESPACES}>{notes}</w:footnotes>"
        related.append("footnotes")
    parts["word/_rels/document.xml.rels"] = _relations(
        {f"{_OFFICE}/{name}": f"{name}.xml" for name in related}
    )
    main = {f"{_OFFICE}/officeDocument": "word/document.xml"}
    if facts is not None:
        said = "".join(f"<dc:{name}>{escape(value)}</dc:{name}>" for name, value in facts.items())
        parts["docProps/core.xml"] = (
            f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/">{said}</cp:coreProperties>'
        )
        main[f"{_PACKAGE}/relationships/metadata/core-properties"] = "docProps/core.xml"
    parts["_rels/.rels"] = _relations(main)
    parts["[Content_Types].xml"] = _content_types(macros)
    return packed({name: text.encode() for name, text in parts.items()})


def packed(files: Mapping[str, bytes]) -> bytes:
    """Pack files into a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def _relations(targets: Mapping[str, str]) -> str:
    each = "".join(
        f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _content_types(macros: bool) -> str:
    main = (
        "application/vnd.ms-word.document.macroEnabled.main+xml"
        if macros
        else f"{_TYPES}.document.main+xml"
    )
    types = {
        "/word/document.xml": main,
        "/word/styles.xml": f"{_TYPES}.styles+xml",
        "/word/footnotes.xml": f"{_TYPES}.footnotes+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    overrides = "".join(
        f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in types.items()
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
