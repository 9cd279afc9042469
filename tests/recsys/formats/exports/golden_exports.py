"""Exports of invented works, written as the programs named below write theirs.

Web of Science: https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html (tags),
https://github.com/massimoaria/bibliometrix/pull/644 (two ways to write a cited author).
PubMed: https://www.nlm.nih.gov/bsd/mms/medlineelements.html. EndNote: "Creating a Tagged EndNote
Import File" in its user guide, https://kb.howsci.com/importing-references/. RIS:
https://gris.readthedocs.io/en/latest/specification.html,
https://refdb.sourceforge.net/manual-0.9.6/sect1-ris-format.html; as Scopus writes it: the tests of
https://github.com/coreofscience/python-bibx; as EndNote reads it: http://www.adeptscience.co.uk/kb/article/A626.
"""

from pathlib import Path

_FILES = ("web_of_science.txt", "pubmed.nbib", "endnote.enw", "scopus.ris")
WOS, NBIB, ENW, RIS = ALL = tuple(
    (Path(__file__).with_name("golden") / name).read_text(encoding="utf-8") for name in _FILES
)
