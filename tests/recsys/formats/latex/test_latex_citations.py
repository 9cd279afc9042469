from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_cited import bibliographies, cited_keys, without_citations
from tests.rows import each_row

KEY = st.text("abcXYZ019:-_./+", min_size=1, max_size=12)


@each_row(
    ("source", "keys"),
    [
        (r"\cite{a}", "a"),
        (r"\cite{a,b , c}", "a b c"),
        ("\\cite{a,\n  b}", "a b"),
        (r"\citep[see][p.~2]{a}", "a"),
        (r"\citep[see [sic]{]}][]{a}", ""),
        (r"\cite[{[1]}]{a}", "a"),
        (r"\citet*{a}\Citet{b}\citealp{c}\citeauthor{d}\citeyearpar{e}\citenum{f}", "a b c d e f"),
        (r"\autocite{a}\textcite{b}\parencite*{c}\footcite[1]{d}\smartcite{e}", "a b c d e"),
        (r"\supercite{a}\fullcite{b}\footfullcite{c}\nocite{d}\bibentry{e}", "a b c d e"),
        (r"\citeA{a}\shortcite{b}\onlinecite{c}\mycite{d}\citenp{e}", "a b c d e"),
        (r"\cites(pre)(post)[1][2]{a}[3]{b}{c}", "a b c"),
        (r"\autocites{a}{b} {c}", "a b c"),
        (r"\textcites(see)()[1]{a}", "a"),
        (r"\cite {a} {not}", "a"),
        (r"\nocite{*}", "*"),
        (r"\cite{b}\cite{a,b}", "b a"),
        (r"\citetext{see \citealp{a}}", "a"),
        (r"\newcommand{\mycite}[1]{\citep{#1}} \mycite{a}", "a"),
        (r"\setcitestyle{round}\citestyle{acm}\renewcommand{\citename}{x}", ""),
        (r"\AtEveryCite{x}\DeclareCiteCommand{\foo}\citereset", ""),
        (r"\excited{a} cite{b} \recite", ""),
        (r"\cite{} \cite{,a,} \cite{a b} \cite", "a"),
        (r"\cite{unclosed", ""),
        (r"\cite{DBLP:conf/acl/CohanFBDW20,10.1145/1.2}", "DBLP:conf/acl/CohanFBDW20 10.1145/1.2"),
    ],
)
def test_keys_of_every_citation_command(source: str, keys: str) -> None:
    assert list(cited_keys(source)) == keys.split()


@given(st.lists(KEY, min_size=1, max_size=5), st.sampled_from(["cite", "citep*", "Textcite"]))
def test_keys_are_found_in_their_order_wherever_they_stand(keys: list[str], command: str) -> None:
    source = "Text {\\em and \\" + command + "[see][]{" + ",\n".join(keys) + "}} more."
    assert list(cited_keys(source)) == list(dict.fromkeys(keys))


@given(st.text("\\cite{}[]()as,*# \n", max_size=60))
def test_what_is_left_without_citations_cites_nothing(source: str) -> None:
    left = without_citations(source)
    assert len(left) <= len(source)
    assert all(key in source for key in cited_keys(source))


@each_row(
    ("source", "names"),
    [
        (r"\bibliography{a, b,c.bib}", "a b c.bib"),
        (r"\addbibresource{a.bib}\addbibresource[datatype=bibtex]{dir/b.bib}", "a.bib dir/b.bib"),
        (r"\nobibliography{a}\addglobalbib{b.bib}", "a b.bib"),
        (r"\bibliographystyle{plain}\printbibliography\bibliography{}", ""),
        (r"\bibliography{a}\bibliography{a}", "a"),
        (r"\newcommand{\bib}[1]{\bibliography{#1}}", ""),
    ],
)
def test_names_of_bibliographies(source: str, names: str) -> None:
    assert list(bibliographies(source)) == names.split()
