"""Recognise what is printed beside papers, and is none: prefaces, indexes, errata, announcements.

A title is such a heading when nothing follows it but a place: of an issue, a volume, a meeting.
One that begins likewise and goes on, such as "Index of refraction" or "A preface to logic", is that
of a paper.
"""

import re
from collections.abc import Collection
from itertools import product

_LONGEST = 150
"""Characters of a heading at most."""
_TYPES = frozenset(
    """erratum corrigendum correction corrections published-erratum retraction retraction-notice
    retraction-of-publication expression-of-concern paratext front-matter back-matter frontmatter
    backmatter masthead issue-information announcement calendar advertisement
    table-of-contents""".split()
)
"""Types of `paper_types` that are no papers. An editorial is not among them: some are cited."""


def _each(text: str) -> frozenset[str]:
    """Write out headings, each on a line or before a comma, where (a|b) is one of several."""
    found = set()
    for heading in re.split(r"\s*[\n,]\s*", re.sub(r"\|\s*\n\s*", "|", text.strip())):
        parts = re.split(r"\(([^)]*)\)", heading)
        choices = [part.split("|") for part in parts]
        found |= {" ".join("".join(one).split()) for one in product(*choices)}
    return frozenset(found)


_HEADINGS = _each("""
    (|guest |invited |special )(editorial|editorials|editorial introduction|editorial preface)
    (|guest |associate |special issue )(editor|editors)( note| notes| page| comment| comments|
        message| foreword| preface| introduction| column| corner| letter| choice| remarks| choices)
    editorial (note|notes|comment|comments|announcement|foreword|message)
    editorial (information|policy|team|staff|office)
    (|international |scientific |editorial )(advisory|editorial|review) (board|boards|committee)
    editorial (and advisory|advisory|review) board, associate editors, guest editors
    editorial board (page|and contents|publication information)
    (preface|foreword|prologue|epilogue|afterword|prefatory note|forewords|prefaces)
    (preface|foreword) and (acknowledgments|acknowledgements|contents)
    (acknowledgments|acknowledgements|acknowledgment|acknowledgement)( of reviewers| of referees|
        to reviewers| to referees|)
    (our |)(reviewers|referees|contributors)( list|), list of participants, participants
    thanks to (|our )(reviewers|referees), thank you to (|our )reviewers
    (list|index) of (contributors|reviewers|referees|authors|figures|tables|abbreviations|
        symbols|subjects|keywords|advertisers|speakers|illustrations|plates|attendees|abstracts)
    (author|authors|subject|keyword|name|cumulative|annual|title|contributor|combined|advertisers|
        keywords|cumulative author|cumulative subject|author and subject|author subject|
        subject and author|title and author|author and title|author and keyword|reviewer) (index|
        indexes|indices), index, indexes
    (table of |)contents( page| pages| list| and abstracts|), contents continued, table of content
    (front|back) (matter|cover|pages|covers|page)( image|), (inside|outside) (front|back) cover
    (cover|title|half title|copyright|sponsors|front cover|masthead|committee|committees) page
    cover (art|image|picture|pages), (cover|covers|masthead|imprint|copyright|frontispiece)
    copyright (notice|information), frontmatter, backmatter, colophon, dedication
    (issue|publication|subscription|society|publishers|journal|author|authors) information
    (instructions|information|guidelines|notes|guide|notice|note) (for|to) (|our |the )(authors|
        author|contributors|subscribers|readers)
    call for (papers|proposals|participation|manuscripts|
        nominations|submissions|reviewers|contributions|abstracts), calls for papers
    (|conference |meeting |society )(announcement|announcements|calendar), calendar of events
    (upcoming|forthcoming|future) (events|meetings|conferences|papers|articles|issues)
    in this issue, about (|this |the )(issue|authors|author|editors|cover|contributors)
    on the cover
    (book review|book reviews|books received|publications received|advertisement|advertisements)
    (advertiser index|back issues|obituary|obituaries|notices|sponsors|organizers|news and notes)
    (conference|workshop|symposium|program|programme|technical program|international program|
        organizing|organising|steering|technical|conference organizing|reviewing|
        paper) (committee|committees|organization|organizers|program|programme|schedule)
    (conference|meeting|technical) (program|programme|schedule), committees, program, programme
    list of (committees|sponsors), reviewers and committees, committees and reviewers
    message, welcome
    vorwort, geleitwort, nachwort, zum geleit, inhalt, inhaltsverzeichnis, sachverzeichnis
    autorenverzeichnis, sachregister, personenregister, namenregister, buchbesprechung, redaktion
    buchbesprechungen, impressum, titelei, redaktionelles, mitteilungen, rezensionen
    avant propos, éditorial, préface, sommaire, table des matières, index des auteurs, remerciements
    compte rendu, comptes rendus, liminaire, présentation
    prólogo, prefacio, presentación, índice, índice de autores, sumario, fe de erratas
    reseña, reseñas, agradecimientos, (comité|consejo|equipo) editorial, portada
    carta (al|del) editor
    prefácio, apresentação, sumário, expediente, editoriale, prefazione, premessa, sommario, indice
    indice degli autori, presentazione, voorwoord, inhoud, inhoudsopgave, redactioneel, förord
    innehåll, forord, предисловие, содержание, от редакции, от редактора, редакционная коллегия
    前言, 序言, 目录, 目次, 卷首语, 編集後記, 巻頭言, はじめに, 编者按, 勘误, 勘誤, 正誤表
    머리말, 목차, 정오표
""")
"""In lower case, words alone."""
_PLACES = frozenset(
    """of to for in from on the this our and a an vol vols volume volumes no nr nos issue issues
    number numbers part parts pp pages page p supplement suppl special section proceedings ieee acm
    annual transactions journal conference workshop symposium congress international
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter continued cont
    band heft jahrgang année tome numéro numero número volumen tomo de del des la le zum zur der die
    i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx 1st 2nd 3rd th nd rd st
    issn isbn online print edition ed том выпуск номер 第 期 卷 号""".split()
)
_FIRST = frozenset(heading.split()[0] for heading in _HEADINGS) | frozenset(
    "welcome message foreword preface letter note greetings introduction".split()
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*['\u2019]?")
_APOSTROPHE = re.compile(r"['\u2019]")
_ROLES = r"""(?:co[- ]?)?(?:chair(?:s|man|men|persons?|woman)?|editors?(?:[- ]in[- ]chief)?
    |president|organi[sz](?:ers?|ing[ ]committee)|committees?|directors?|publishers?)"""
_MESSAGE = re.compile(
    rf"""(?:welcome[ ])?(?:messages?|welcome|foreword|preface|letter|note|greetings|introduction)
    (?:[ ]message)?[ ](?:from|by)[ ](?:\w+[-&, ]+){{0,8}}?{_ROLES}\W*(?:of[ ].*|[0-9]{{4}}\W*)?""",
    re.IGNORECASE | re.VERBOSE,
)
# What it corrects follows in quotation marks, after a colon, or after "to"; so do others without.
_NOTICE = re.compile(
    r"""\W*(?:(?:author|publisher)['\u2019]?s?[ ])?(?:
    (?:errat(?:um|a)|corrigend(?:um|a)|retract(?:ion|ed)|retraction[ ]no(?:te|tice)
        |retracted[ ]article|corrections?|addend(?:um|a)|withdrawn
        |(?:editorial[ ])?expression[ ]of[ ]concern
        |notice[ ]of[ ](?:retraction|withdrawal|correction|removal)
        |(?:errat|corrigend)(?:um|a)[ ](?:and|&)[ ]\w+)
    [])]?(?:[ ](?:to|for|of|on))?[ ]*
    (?:$|[:;.(\["'\u201c\u201d\u201e«\u2018\u2019`]|[-\u2013\u2014][ ])
    |(?:errat(?:um|a)|corrigend(?:um|a)|retraction[ ]no(?:te|tice)|expression[ ]of[ ]concern
        |notice[ ]of[ ](?:retraction|withdrawal|correction)
        |(?:publisher|author)['\u2019]?s?[ ]correction|addendum[ ]and[ ]erratum)
    [ ](?:to|for|on|regarding|concerning)[ ]
    |berichtigung|rectificatif|corrección[ ]a|исправлени[ея][ ]к|errata[ ]corrige
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# As the Web of Science calls corrections, and others retracted papers.
_APPENDED = re.compile(
    r"\(vol\.? ?[\w-]+,? (?:pp?g?|art)\.? .{1,60}\)\W*$|"
    r"[(\[](?:erratum|corrigendum|correction|retracted(?: article)?|retraction)[)\]]\W*$|"
    r": (?:an )?(?:erratum|corrigendum)\W*$|\(retracted article\. see vol\.? ",
    re.IGNORECASE,
)
_HINTS = tuple(
    "errat corrig correct retract withdr concern notice (vol berichtig rectif correcc addend"
    " исправ".split()
)


def is_front_matter(title: str, types: Collection[str] = ()) -> bool:
    """Tell whether a title, or one of the types of `paper_types`, is that of no paper.

    >>> is_front_matter("Author Index, Vol. 12"), is_front_matter("Index of refraction of ice")
    (True, False)
    >>> is_front_matter('Erratum to "On ice"'), is_front_matter("Correction of speckle in SAR")
    (True, False)
    """
    if not _TYPES.isdisjoint(types):
        return True
    lower = title.lower()
    if any(hint in lower for hint in _HINTS) and (_NOTICE.match(title) or _APPENDED.search(title)):
        return True
    first = _WORD.search(title)
    if len(title) > _LONGEST or first is None or _bare(first[0]) not in _FIRST:
        return False
    if _MESSAGE.match(title.strip()):
        return True
    words = [_bare(word) for word in _WORD.findall(title)]
    while words:
        if " ".join(words) in _HEADINGS:
            return True
        last = words.pop()
        if not (last in _PLACES or last.rstrip("thsndr").isdecimal()):
            return False
    return False


def _bare(word: str) -> str:
    return _APOSTROPHE.sub("", word).casefold()
