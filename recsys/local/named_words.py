"""Words that tell whether a capitalised word before a year can be a surname."""

from recsys.store.name_keys import fold

PARTICLES = frozenset(
    "af al bin da dal dalla das de degli dei del della den der des di dos du el ibn la las le los "
    "mac op st ten ter van vande vander ver vom von y zu zum zur".split()
)
"""Words that belong to the surname after them: "van der Maaten"."""

NAME_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})

_MONTHS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter monday "
    "tuesday wednesday thursday friday saturday sunday"
)
_PARTS = (
    "appendix algorithm chapter chapters definition eq equation equations eqn example examples fig "
    "figs figure figures footnote formula lemma line lines listing page pages paragraph part "
    "proposition row sec sect section sections step table tables tab theorem version vol volume "
    "edition release no number phase stage experiment experiments model task tasks track"
)
_OPENERS = (
    "a about above according additionally after all also although an and another any approaches "
    "are as at based because before both but by cf compare compared consider contrary despite "
    "different do does due during e.g each earlier eg either even every finally first firstly "
    "follow following for from further furthermore given hence he her here his how however i i.e "
    "ie if in indeed inspired instead introduced is it its last lastly later like likewise many "
    "methods more moreover most motivated much my neither next no nor not note of often on one "
    "only or other others our previous previously prior proposed rather recent recently related "
    "results second secondly see she similar similarly since so some specifically still studies "
    "such surveys system systems than that the their then there therefore these they third this "
    "those though through thus to today two under unlike until unfortunately up upon using via "
    "was we well were what when where whereas whether which while who why with within without "
    "work works yet you your"
)
_RESOURCES = (
    "academy algorithm annotation archive association bank benchmark cambridge challenge chart "
    "committee competition conference congress consortium corpora corpus data database dataset "
    "dictionary discourse editor encyclopedia european evaluation grammar group guidelines "
    "handbook institute international journal language languages lexicon library linguistics "
    "machine manual meeting national net network online ontology parser press proceedings project "
    "projects report repository research resource review school science sciences society "
    "symposium system tagger technology test thesaurus tool toolkit track translation treebank "
    "university web wiki wordnet framenet verbnet propbank workshop workshops world"
)
_PEOPLES = (
    "african american arabic basque bengali brazilian british bulgarian catalan chinese croatian "
    "czech danish dutch english estonian european finnish french german germanic greek hebrew "
    "hindi hungarian icelandic indian indonesian irish italian japanese korean latin mandarin "
    "norwegian persian polish portuguese romanian russian sanskrit semitic slavic slovak "
    "slovene spanish swedish tamil thai turkish ukrainian urdu vietnamese welsh america "
    "africa asia australia china europe france germany india italy japan korea london paris "
    "internet"
)
_MEETINGS = (
    "aaai acl acm ace aclweb bionlp chi cikm coling conll cvpr duc eacl emnlp iccv iclr icml ieee "
    "ijcai ijcnlp interspeech lncs lrec mit muc naacl neurips nips nist semeval senseval sigir "
    "sighan siggraph tac trec uai vis wmt www tempeval biocreative iwslt clef ntcir"
)
NO_SURNAMES = frozenset(
    " ".join((_MONTHS, _PARTS, _OPENERS, _RESOURCES, _PEOPLES, _MEETINGS)).split()
)
"""Folded words that stand before a year, or before a surname, and are none."""


BOTH = frozenset("an do he her may see so such will you".split())
"""Words that are surnames, too, where others or a year are named with them."""


def is_surname(word: str) -> bool:
    """Tell whether a capitalised word may be a surname: no opener, month, resource or camel case.

    >>> is_surname("McCallum"), is_surname("SMITH"), is_surname("Treebank"), is_surname("WordNet")
    (True, True, False, False)
    """
    return word[:1].isupper() and fold(word) not in NO_SURNAMES and not _camel(word)


_INSIDE_CAPITALS = frozenset(
    "Mc Mac De Del Della Di Da Du La Le Lo Fitz Van Von Vander Ver O D L Ten Ter El Al St".split()
)


def _camel(word: str) -> bool:
    """Find capitals behind small letters, unless what precedes them begins surnames (MacKay)."""
    for part in word.replace("'", "-").split("-"):
        for at in range(1, len(part)):
            if part[at].isupper() and part[at - 1].islower():
                if part[:at] not in _INSIDE_CAPITALS:
                    return True
                break
        else:  # "BLEUs" and "NPs" are no names, either.
            if len(part) > 2 and part[0].isupper() and part[1].isupper() and part[-1].islower():
                return True
    return False
