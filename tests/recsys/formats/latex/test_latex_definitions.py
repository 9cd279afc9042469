from recsys.formats.latex.latex_draft import spelt_out, terms
from recsys.formats.latex.latex_source import (
    after_definition,
    definitions,
    expand,
)
from tests.rows import each_row


@each_row(
    ("source", "text", "expanded"),
    [
        (r"\newcommand{\a}[2][x]{#1#2}", r"\a{y} \a[z]{y} \a [z]{y}", r"{xy} {zy} {zy}"),
        (r"\NewDocumentCommand{\a}{s O{d} m}{#2#3}", r"\a{y} \a*[z]{y}", "{dy} {zy}"),
        (r"\NewDocumentCommand\a{o m}{#1#2}", r"\a{y} \a[z]{y}", "{y} {zy}"),
        (r"\RenewDocumentCommand{\a}{}{x}", r"\a.", "{x}."),
        (r"\def\a/{x}", r"\a/ \a", r"{x} \a"),
        (r"\def\a#1{x#1}", r"\a{y}", "{xy}"),
        (r"\let\a\textbf", r"\a{y}", r"\textbf{y}"),
        (r"\newcommand{\b}{x}\let\a=\b\renewcommand{\b}{y}", r"\a\b", "{x}{y}"),
        (r"\newcommand{\a}{x}\providecommand{\a}{y}", r"\a", "{x}"),
        (r"\providecommand{\a}{y}", r"\a", "{y}"),
        (r"\newrobustcmd*{\a}[1]{x#1}", r"\a{y}", "{xy}"),
        (r"\DeclareMathOperator*{\a}{argmax}", r"$\a_x$", "${argmax}_x$"),
        (r"\renewcommand*\a[2]{#1#2}", r"\a{y}{z}", "{yz}"),
        (r"\providecommand {\a} {{3}}\DeclareRobustCommand{\b}{5}", r"\a\b", "{{3}}{5}"),
        (r"\newcommand{\a}{x}\newcommand{\a}{", r"\a", "{x}"),
        (r"\newcommand\a{\emph}", r"\a{y}", r"\emph{y}"),
    ],
)
def test_a_macro_is_expanded_however_it_is_defined(source: str, text: str, expanded: str) -> None:
    assert expand(text, definitions(source)) == expanded


@each_row(
    "source",
    [r"\let\a\b", r"\newcommand{\a}[1][x]{y}", r"\def\a/{y}", r"\NewDocumentCommand\a{m}{y}"],
)
def test_a_definition_is_passed_over_whole(source: str) -> None:
    assert after_definition(f"{source} rest", 0) == len(source)
    assert after_definition(" rest", 0) is None
    assert after_definition(r"\newcommand{\a}{", 0) is None


def test_acronyms_are_spelt_out_by_the_commands_of_many_packages() -> None:
    source = (
        r"\newacronym[plural=x]{one}{ONE}{The One}\DeclareAcronym{two}{short=TWO, long={The Two}}"
        r"\acrodef{three}[THR]{The Three}\newglossaryentry{four}{name={Four}, description={x}}"
        r"\newabbreviation{five}{FIVE}{The Five}\acro{SIX}{The Six}\newacronym{open}{"
    )
    known = terms(source)
    assert known["one"] == ("ONE", "The One")
    assert known["four"] == ("Four", "Four")
    text = r"\gls{one} \acl{two} \ac{three} \Glspl{four} \acrlong{five} \acs{SIX} \gls{none}"
    assert spelt_out(text, known) == r"{ONE} {The Two} {THR} {Four} {The Five} {SIX} \gls{none}"
    assert spelt_out(r"\gls{one}", {}) == r"\gls{one}"
