"""Words that tell whether a capitalised word before a year can be a surname."""

from recsys.store.name_keys import fold

PARTICLES = frozenset(
    "af al bin da dal dalla das de degli dei del della den der des di dos du el ibn la las le los "
    "mac op st ten ter van vande vander ver vom von y zu zum zur".split()
)
"""Words that belong to the surname after them: "van der Maaten"."""

NAME_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})

_MONTHS = (
    "apr april aug august autumn dec december fall feb february friday jan january jul july jun "
    "june mar march may monday nov november oct october saturday sep sept september spring "
    "summer sunday thursday tuesday wednesday winter"
)
_PARTS = (
    "algorithm appendix chapter chapters definition edition eq eqn equation equations example "
    "examples experiment experiments fig figs figure figures footnote formula lemma line lines "
    "listing model no number page pages paragraph part phase proposition release row sec sect "
    "section sections stage step tab table tables task tasks theorem track version vol volume"
)
_OPENERS = (
    "a about above according additionally after all also although an and another any approaches "
    "are around as at based because before both but by cf compare compared consider contrary "
    "despite different do does due during e.g each earlier early eg either even every finally "
    "first firstly follow following for from further furthermore given he hence her here his "
    "how however i i.e ie if in indeed inspired instead introduced is it its last lastly late "
    "later like likewise many methods mid more moreover most motivated much my neither next no "
    "nor not note of often on one only or other others our previous previously prior proposed "
    "rather recent recently related results second secondly see she similar similarly since so "
    "some specifically still studies such surveys system systems than that the their then there "
    "therefore these they third this those though through thus till to today two under "
    "unfortunately unlike until up upon using via was we well were what when where whereas "
    "whether which while who why with within without work works yet you your"
)
_RESOURCES = (
    "academy algorithm annotation archive association bank benchmark cambridge challenge chart "
    "committee competition conference congress consortium corpora corpus data database dataset "
    "dictionary discourse editor encyclopedia european evaluation framenet grammar group "
    "guidelines handbook institute international journal language languages lexicon library "
    "linguistics machine manual meeting national net network online ontology parser press "
    "proceedings project projects propbank report repository research resource review school "
    "science sciences society symposium system tagger technology test thesaurus tool toolkit "
    "track translation treebank university verbnet web wiki wordnet workshop workshops world"
)
_PEOPLES = (
    "africa african america american arabic asia australia basque bengali brazilian british "
    "bulgarian catalan china chinese croatian czech danish dutch english estonian europe "
    "european finnish france french german germanic germany greek hebrew hindi hungarian "
    "icelandic india indian indonesian internet irish italian italy japan japanese korea korean "
    "latin london mandarin norwegian paris persian polish portuguese romanian russian sanskrit "
    "semitic slavic slovak slovene spanish swedish tamil thai turkish ukrainian urdu vietnamese "
    "welsh"
)
_MEETINGS = (
    "aaai ace acl aclweb acm biocreative bionlp chi cikm clef coling conll cvpr duc eacl emnlp "
    "europarl eurospeech gigaword icassp iccv iclr icml icslp ieee ijcai ijcnlp interspeech "
    "iwslt lncs lrec mit muc naacl neurips nips nist ntcir semeval senseval siggraph sighan "
    "sigir tac tempeval trec uai vis wmt www"
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
