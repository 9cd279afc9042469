"""What a paper is, as CSL 1.0.2 names types of works: by its type in the corpus, and its venue.

Nothing is guessed: a paper of a type or venue that is not known here is a DOCUMENT.
"""

import re

from recsys.formats import identifiers
from recsys.formats.references.shown_facts import bare_doi, one_line
from recsys.records import Paper

JOURNAL, MEETING, PREPRINT, OTHER = "article-journal", "paper-conference", "article", "document"
CHAPTER, THESIS, REPORT = "chapter", "thesis", "report"

_KINDS = {
    "article": JOURNAL,
    "review": JOURNAL,
    "conference": MEETING,
    "preprint": PREPRINT,
    "book": "book",
    "chapter": CHAPTER,
    "thesis": THESIS,
    "report": REPORT,
    "dataset": "dataset",
    "software": "software",
}
"""The types of `store.corpus.paper_types` that tell what a paper is."""
_SERIAL = re.compile(
    r"(?i)\b(?:journals?|transactions|trans|letters|lett|reviews?|annals|annales?|archives|acta|"
    r"magazine|quarterly|bulletin|gazette|surveys|zeitschrift|revue|revista|rivista|zhurnal|"
    r"international j|j)\b|^(?:nature|cell|lancet|plos|bmc|frontiers in|trends in|"
    r"current opinion in|communications of the acm|foundations and trends)\b"
)
# Learned societies call their journals so, without a year, a number or a word for a meeting.
_OF_A_SOCIETY = re.compile(
    r"(?i)^proc(?:eedings|\.)? (?:of )?(?:the )?(?:[\w.]+ ){0,5}"
    r"(?:academy|acad|society|soc|r\.? soc|institution|endowment|museum|biol\.? sci|ieee$|acm on)\b"
    r"|^proceedings\W+biological sciences"
)
_MEETING = re.compile(
    r"(?i)\b(?:proceedings|proc|conference|conf|workshop|symposium|congress|meeting|colloquium)\b"
)
_GATHERS = re.compile(r"(?i)\b(?:conference|conf|workshop|symposium|congress|meeting)\b|\d")
_PREPRINT = re.compile(r"(?i)\b(?:arxiv|biorxiv|medrxiv|chemrxiv|psyarxiv|ssrn|corr|preprints?)\b")
_THESIS = re.compile(
    r"(?i)\b(?:ph\.?\s?d\.?|doctoral|master'?s?|diploma) (?:thesis|dissertation)\b"
)
_REPORT = re.compile(r"(?i)\b(?:technical report|tech(?:nical)?\.? rep\.?|working paper)\b")
# Abbreviated as ISO 4 abbreviates titles of serials.
_ABBREVIATED = re.compile(
    r"\b(?:Acad|Agric|Agron|Appl|Astron|Biochem|Biol|Biophys|Biosci|Biotechnol|Bot|Chem|Clin|Ecol|"
    r"Endocrinol|Eng|Entomol|Environ|Evol|Genet|Geol|Geophys|Hortic|Immunol|Math|Med|Microbiol|"
    r"Neurol|Neurosci|Oncol|Pathol|Pharmacol|Philos|Phys|Physiol|Phytol|Psychol|Res|Sci|Sociol|"
    r"Surg|Syst|Technol|Theor|Toxicol|Virol|Zool)\b"
)
# The schemes by which publishers number what they print.
_BY_DOI = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"10\.48550/|10\.1101/20\d\d\.|10\.21203/rs\.|10\.31234/|10\.31219/", PREPRINT),
        (r"10\.1007/s\d{5}-|10\.1186/|10\.1371/journal\.|10\.1038/(?:s\d|nature|nat|n[a-z]{3})|"
         r"10\.1016/(?:j\.|s?\d{4}-\d{3}[\dx])|10\.1111/j\.|10\.1126/sci|10\.1073/pnas|10\.1093/|"
         r"10\.3389/f|10\.7554/elife|10\.3390/|10\.1104/|10\.1105/|10\.1128/|10\.1083/jcb|10\.1242/|"
         r"10\.1523/j|10\.1172/jci|10\.1162/(?:tacl|coli)|10\.1109/t[a-z]{2,4}\.", JOURNAL),
        (r"10\.18653/v1/|10\.1109/[a-z]+\d*\.(?:19|20)\d\d\.", MEETING),
    )
)  # fmt: skip
_WORD = re.compile(r"[\w&+]+")
_JOURNALS = frozenset(
    """TVCG TOIS TOCHI TPAMI PAMI TKDE TKDD TIST TOG TODS TOPLAS TOSEM TACL JMLR TMLR JAIR JACM
    CACM CSUR JASA JASIS JASIST PNAS PVLDB PACMHCI IMWUT IJCV IJHCS IJCAI-J UMUAI CG&A CGF NAR
    JAMA BMJ NEJM IJDL JDIQ TWEB TiiS CHB""".split()
)
_MEETINGS = frozenset(
    """AAAI ACL ACMMM AISTATS ALENEX AMIA ASE ASSETS ASSP BMVC CAV CCS CHI CHIIR CIDR CIKM CLEF
    COLING COLM COLT CoNLL CoRL CRYPTO CSCW CVPR DIS EACL ECAI ECCV ECIR ECML ECOOP EDBT EDM EKAW
    EMNLP ESA ESEC ESWC EUROCRYPT EuroSys EuroVis FAccT FAST FAT FOCS FSE GECCO HCOMP HLT HPDC HRI
    HT ICALP ICAPS ICASSP ICCV ICDAR ICDCS ICDE ICDM ICIP ICLR ICME ICML ICMR ICPR ICRA ICSE ICTIR
    ICWSM IJCAI IJCNLP INFOCOM INTERACT INTERSPEECH IPDPS IROS ISCA ISIT ISMIR ISSTA ISWC ITCS IUI
    IWSLT JCDL KDD KR LAK LREC MICCAI MLSys MobiCom MobiHoc MSR MUC NAACL NDSS NeurIPS NIPS NSDI
    NTCIR OOPSLA OSDI PACIS PAKDD PKDD PLDI PODC PODS POPL PPoPP RANLP RecSys RSS RTSS SciPy SDM
    SEMEVAL SenSys SIGCOMM SIGCSE SIGDIAL SIGGRAPH SIGIR SIGMOD SIGSPATIAL SLT SOCG SODA SOSP SPAA
    SPIRE STACS STOC SuSTaIN TPDL TREC UAI UbiComp UIST UMAP USENIX VLDB VIS VISSOFT VMCAI WINE
    WMT WSDM WWW InfoVis SciVis VAST""".split()
)
_NAMES = {
    "american documentation": JOURNAL,
    "antiquity": JOURNAL,
    "artificial intelligence": JOURNAL,
    "bioinformatics": JOURNAL,
    "biometrika": JOURNAL,
    "brain": JOURNAL,
    "chaos": JOURNAL,
    "circulation": JOURNAL,
    "computational linguistics": JOURNAL,
    "computer graphics forum": JOURNAL,
    "current biology": JOURNAL,
    "development": JOURNAL,
    "ecology": JOURNAL,
    "econometrica": JOURNAL,
    "elife": JOURNAL,
    "evolution": JOURNAL,
    "genes & development": JOURNAL,
    "genetics": JOURNAL,
    "ieee access": JOURNAL,
    "ieee computer": JOURNAL,
    "ieee visualization": MEETING,
    "information fusion": JOURNAL,
    "information processing & management": JOURNAL,
    "information processing and management": JOURNAL,
    "information retrieval": JOURNAL,
    "information sciences": JOURNAL,
    "information systems": JOURNAL,
    "machine learning": JOURNAL,
    "molecular cell": JOURNAL,
    "neural computation": JOURNAL,
    "neural networks": JOURNAL,
    "neurocomputing": JOURNAL,
    "neuroimage": JOURNAL,
    "neuron": JOURNAL,
    "nucleic acids research": JOURNAL,
    "pattern recognition": JOURNAL,
    "psychometrika": JOURNAL,
    "science": JOURNAL,
    "scientometrics": JOURNAL,
    "the web conference": MEETING,
    "advances in neural information processing systems": MEETING,
    "advances in information retrieval": MEETING,
}


def kind_of(paper: Paper) -> str:
    """Tell what a paper is, as CSL calls it; OTHER where nothing tells.

    Journals print papers of meetings, and databases call papers of meetings articles: between
    these two, the venue's name decides where it tells.
    """
    seen = _kind_by_venue(one_line(paper.venue or "")[:_LONGEST_VENUE])
    if seen == OTHER:
        doi = (bare_doi(paper) or "").lower()
        seen = next((kind for pattern, kind in _BY_DOI if pattern.match(doi)), OTHER)
        if seen == OTHER and (acl := identifiers.acl(paper.id)):
            seen = JOURNAL if re.match(r"[JQ]\d\d-|\d{4}\.(?:t?a?cl)-", acl) else MEETING
    types: tuple[str, ...] = ()
    if paper.labels:
        # It loads numpy: a process that only reads references does without it.
        from recsys.store.corpus import paper_types

        types = paper_types(paper.labels)
    typed = next((_KINDS[name] for name in types if name in _KINDS), OTHER)
    told = typed in (JOURNAL, MEETING) and seen in (JOURNAL, MEETING, PREPRINT)
    return seen if told or typed == OTHER else typed


_LONGEST_VENUE = 300
"""Characters of a venue's name that are read."""


def _kind_by_venue(venue: str) -> str:
    """Tell what appears in a venue; of a name that is not known, nothing."""
    if named := _NAMES.get(venue.lower()):
        return named
    for pattern, kind in ((_PREPRINT, PREPRINT), (_THESIS, THESIS), (_REPORT, REPORT)):
        if pattern.search(venue):
            return kind
    words = set(_WORD.findall(venue))
    if _OF_A_SOCIETY.search(venue) and not _GATHERS.search(venue):
        return JOURNAL
    if not venue.lower().startswith("proc") and (words & _JOURNALS or _SERIAL.search(venue)):
        return JOURNAL
    if words & _MEETINGS or _MEETING.search(venue):
        return MEETING
    return JOURNAL if _ABBREVIATED.search(venue) else OTHER
