"""What is put in place of a mark."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.local_answers.filled_drafts import TYPST, cites_by, citing_command, filled
from recsys.records import Mark
from tests.rows import each_row

KEY = "Ash2004Trees"


def put(printed: str, *keys: str, before: str = "grow ", command: str | None = "cite") -> str:
    """Return what the text up to the end of the mark becomes."""
    back, text = filled(Mark(0, keys, True, printed), KEY, before, command)
    return before[: len(before) - back] + text


@each_row(
    ("printed", "keys", "now"),
    [
        (r"\cite{?}", (), r"\cite{KEY}"),
        (r"\cite{}", (), r"\cite{KEY}"),
        (r"\cite{ }", (), r"\cite{KEY}"),
        (r"\citep{???}", (), r"\citep{KEY}"),
        (r"\citep*[see][p.~3]{TODO}", (), r"\citep*[see][p.~3]{KEY}"),
        (r"\textcite[cf. {x}]{xxx}", (), r"\textcite[cf. {x}]{KEY}"),
        (r"\cite{citation needed}", (), r"\cite{KEY}"),
        (r"\cite{SmithWhatWasIt}", (), r"\cite{KEY}"),
        (r"\cite{a,?}", ("a",), r"\cite{a,KEY}"),
        (r"\cite{a, ?, b}", ("a", "b"), r"\cite{a, KEY, b}"),
        ("\\cite{a,\n  ?}", ("a",), "\\cite{a,\n  KEY}"),
        (r"\cite{?,?}", (), r"\cite{KEY,?}"),
        (r"\cite{,a}", ("a",), r"\cite{KEY,a}"),
        (r"\cite{todo,b}", ("b",), r"\cite{KEY,b}"),
        (r"\cites{a}[9]{?}", ("a",), r"\cites{a}[9]{KEY}"),
        (r"\cite{a}", ("a",), r"\cite{a,KEY}"),
        (r"\cite{Ash04,?}", ("ash04",), r"\cite{Ash04,KEY}"),
        (r"\cite{ash,fir,?}", ("ash",), r"\cite{ash,fir,KEY}"),
    ],
)
def test_a_list_of_keys_is_filled(printed: str, keys: tuple[str, ...], now: str) -> None:
    assert put(printed, *keys, before="grow~") == "grow~" + now.replace("KEY", KEY)


@each_row(
    ("before", "printed", "now"),
    [
        ("grow ", "[CITE]", r"grow~\cite{KEY}"),
        ("grow", "[CITE]", r"grow~\cite{KEY}"),
        ("grow~", "(REF)", r"grow~\cite{KEY}"),
        ("grow ~ ", "[?]", r"grow~\cite{KEY}"),
        ("grow\n", "[CITE]", "grow\n\\cite{KEY}"),
        ("grow\r\n\t", "[CITE]", "grow\r\n\t\\cite{KEY}"),
        ("", "[CITE]", r"\cite{KEY}"),
        ("(", "[CITE]", r"(\cite{KEY}"),
        ("grow\\ ", "[CITE]", r"grow\ \cite{KEY}"),
        ("grow ", r"\citationneeded{}", r"grow~\cite{KEY}"),
        ("grow ", r"\todo[inline]{add citation}", r"grow~\cite{KEY}"),
        ("grow ", r"\citep", r"grow~\cite{KEY}"),
        ("grow ", r"\todo{cite somebody!}", r"grow~\cite{KEY}"),
        ("grow ", "@@CITE@@", r"grow~\cite{KEY}"),
        ("grow ", "(XX et al., 20XX)", r"grow~\cite{KEY}"),
        ("grow ", "{{citation needed}}", r"grow~\cite{KEY}"),
        ("grow ", r"\todo{cite Fir, check 3.4}", r"grow~\cite{KEY} \todo{cite Fir, check 3.4}"),
    ],
)
def test_other_marks_become_a_command(before: str, printed: str, now: str) -> None:
    assert put(printed, before=before) == now.replace("KEY", KEY)


@each_row(
    ("before", "printed", "keys", "now"),
    [
        ("grow ", "[@?]", (), "grow [@KEY]"),
        ("grow ", "[@]", (), "grow [@KEY]"),
        ("grow ", "@?", (), "grow @KEY"),
        ("grow ", "[-@TODO, p. 3]", (), "grow [-@KEY, p. 3]"),
        ("grow ", "[see @a; @?]", ("a",), "grow [see @a; @KEY]"),
        ("grow ", "[@a; CITE]", ("a",), "grow [@a; CITE; @KEY]"),
        ("grow ", "@{?}", (), "grow @{KEY}"),
        ("grow ", "{cite:p}`a,?`", ("a",), "grow {cite:p}`a,KEY`"),
        ("grow ", "[CITE]", (), "grow [@KEY]"),
        ("grow", "[CITE]", (), "grow [@KEY]"),
        ("grow\n", "(REF)", (), "grow\n[@KEY]"),
        ("grow ", "@@CITE@@", (), "grow [@KEY]"),
        ("grow ", "[CITE Fir 2004]", (), "grow [@KEY] [CITE Fir 2004]"),
    ],
)
def test_plain_text_cites_as_pandoc_does(
    before: str, printed: str, keys: tuple[str, ...], now: str
) -> None:
    assert put(printed, *keys, before=before, command=None) == now.replace("KEY", KEY)


@each_row(
    ("before", "printed", "now"),
    [
        ("grow ", "[CITE]", "grow @KEY"),
        ("grow", "[CITE]", "grow @KEY"),
        ("grow ", "@?", "grow @KEY"),
        ("grow ", "@TODO", "grow @KEY"),
        ("grow ", "#cite(<todo>)", "grow #cite(<KEY>)"),
        ("grow ", '#cite(<tba>, form: "prose")', 'grow #cite(<KEY>, form: "prose")'),
        ("grow", "", "grow @KEY"),
    ],
)
def test_typst_cites_by_a_label(before: str, printed: str, now: str) -> None:
    assert put(printed, before=before, command=TYPST) == now.replace("KEY", KEY)


@each_row(("file", "cites"), [("a.tex", "cite"), ("a.typ", TYPST), ("a.md", None), ("", None)])
def test_a_file_cites_as_its_format_does(file: str, cites: str | None) -> None:
    assert cites_by(file, "cite") == cites


@each_row(
    ("sources", "command"),
    [
        (["no command"], "cite"),
        ([r"\citep{a} \citep[p. 3]{b} \cite{c} \citet{d} \citet{e} \citet{f}"], "citep"),
        ([r"\cite{a}", r"\autocite{b}", r"\autocite{c}"], "autocite"),
        ([r"\usepackage[round]{natbib} \citet{a}"], "citep"),
        ([r"\usepackage{csquotes,biblatex}"], "parencite"),
        ([r"\citeauthor{a} \citetext{b}"], "cite"),
        ([], "cite"),
    ],
)
def test_the_command_is_the_one_in_use(sources: list[str], command: str) -> None:
    assert citing_command(sources) == command


MARK = st.text(alphabet="\\cite{}[]()@?,; aTODOx~`'\n", max_size=30)


@given(
    MARK,
    st.lists(st.sampled_from("abx"), max_size=2),
    MARK,
    st.sampled_from(["citep", TYPST, None]),
)
def test_true_keys_stay_and_the_new_one_comes(
    printed: str, keys: list[str], before: str, command: str | None
) -> None:
    back, text = filled(Mark(0, tuple(keys), True, printed), KEY, before, command)
    assert KEY in text
    assert 0 <= back <= len(before)
    assert set(before[len(before) - back :]) <= set(" ~\t")


@each_row("piece", ["citation ", "xx", "{", "[", "@", r"\cite{?}", "a,", "`"])
def test_a_long_mark_costs_little(piece: str) -> None:
    long = piece * 20_000 + "!z"
    for command in ("cite", None):
        filled(Mark(0, (), True, long), KEY, " ", command)
        filled(Mark(0, (), True, rf"\cite{{{long}"), KEY, " ", command)
