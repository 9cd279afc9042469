from recsys.checking.venues import is_preprint, same_venue
from tests.rows import each_row

TVCG = "IEEE Transactions on Visualization and Computer Graphics"
PAIRS = [
    ("Nat. Rev. Genet.", "Nature Reviews Genetics", True),
    ("IEEE Trans. Vis. Comput. Graph.", TVCG, True),
    ("TVCG", TVCG, True),
    ("Proc Natl Acad Sci U S A", "Proceedings of the National Academy of Sciences", True),
    ("PNAS", "Proc. of the National Academy of Sciences of the United States of America", True),
    ("Science (New York, N.Y.)", "Science", True),
    ("The Plant Cell", "Plant Cell", True),
    ("Annu. Rev. Plant Biol.", "Annual Review of Plant Biology", True),
    ("PLoS ONE", "PLOS One", True),
    ("NIPS", "Advances in Neural Information Processing Systems 33", True),
    ("NeurIPS", "NIPS", True),
    ("Proc. of the 38th ICML 2021", "International Conference on Machine Learning", True),
    ("ACL", "57th Annual Meeting of the Association for Computational Linguistics", True),
    ("WWW", "Proceedings of the 26th International Conference on World Wide Web", True),
    ("EMNLP-IJCNLP", "EMNLP", True),
    ("CHI", "Proceedings of the 2019 CHI Conference on Human Factors in Computing Systems", True),
    ("arXiv preprint arXiv:2004.07180", "CoRR", True),
    ("NAACL-HLT (1)", "North American Chapter of the ACL: Human Language Technologies", None),
    ("ACL/IJCNLP", "Annual Meeting of the Association for Computational Linguistics", True),
    ("WMT@ACL", "Workshop on Statistical Machine Translation", None),
    ("SIGKDD", "KDD", True),
    ("CHI", "Proc. of the SIGCHI Conference on Human Factors in Computing Systems", True),
    ("Int'l Conf. on Machine Learning", "ICML", True),
    ("IEEE CG&A", "IEEE Computer Graphics and Applications", True),
    ("T-PAMI", "IEEE Trans. on Pattern Analysis and Machine Intelligence", True),
    ("Acta Crystallogr D Biol Crystallogr", "Acta Crystallographica Section D", None),
    ("Nucleic Acids Rsearch", "Nucleic Acids Research", True),
    ("ACM", "Proceedings of the SIGCHI Conference on Human Factors in Computing Systems", None),
    ("Curran Associates, Inc.", "Advances in Neural Information Processing Systems", None),
    ("Taylor & Francis", "World Archaeology", None),
    ("\u751f\u7269\u5de5\u7a0b\u5b66\u62a5", "Chinese Journal of Biotechnology", None),
    ("ICML", "AAAI", False),
    ("Symposium on Barn Scaling Laws", "ICML", False),
    ("ECCV", "ICCV", False),
    ("Nature Communications", "Nature Genetics", False),
    ("PLoS Biol", "PLoS Genetics", False),
    ("Plant Journal", "Plant Cell", False),
    ("Springer", "Machine Learning", None),
    ("Nature", "Nature Communications", None),
    ("Mach. Learn.", "ICML", None),
    ("Computer Graphics Forum", "EuroVis", None),
    ("arXiv", "ICML", None),
    ("Journal of Archaeological Science: Reports", "Journal of Archaeological Science", None),
    ("2019", "12", None),
]  # fmt: skip


@each_row(("one", "other", "same"), PAIRS)
def test_two_names_are_told_apart_only_where_they_can(
    one: str, other: str, same: bool | None
) -> None:
    assert same_venue(one, other) is same
    assert same_venue(other, one) is same


def test_every_name_is_its_own() -> None:
    names = [name for row in PAIRS[:-1] for name in row[:2] if name not in ("Springer", "ACM")]
    assert [name for name in names if same_venue(name, name) is not True] == []


@each_row(
    ("venue", "is_one"),
    [("CoRR", True), ("bioRxiv", True), ("Research Square", True),
     ("SSRN Electronic Journal", True),
     ("Correlations", False), ("Nature", False), (None, False), ("", False)],
)  # fmt: skip
def test_servers_of_preprints_are_known(venue: str | None, is_one: bool) -> None:
    assert is_preprint(venue) is is_one
