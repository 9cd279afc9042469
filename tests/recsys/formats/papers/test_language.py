from recsys.formats.papers.language import looks_english
from tests.rows import each_row


@each_row(
    ("text", "english"),
    [
        ("Attention is all you need", True),
        ("Graph networks", True),
        ("", True),
        ("Measurement of e+ e- annihilation into π+ π- at 10 GeV", True),
        ("Ludwig van Beethoven and the city of Bonn", True),
        ("A naïve résumé of the café society in São Paulo", True),
        ("Über die Theorie der Elektronen in einem Gitter", False),
        ("Sur la théorie de la relativité", False),
        ("Una introducción a los métodos del aprendizaje", False),
        ("Sulla struttura della materia e delle particelle", False),
        ("引文推荐的图神经网络方法", False),
        ("Теория графов и поиск", False),
        ("استرجاع المعلومات", False),
        # No function words of any language that the lists know.
        ("Lausetason semanttinen vertailu " * 10, False),
    ],
)
def test_english_is_told_from_other_languages(text: str, english: bool) -> None:
    assert looks_english(text) == english


def test_only_the_beginning_of_a_text_is_read() -> None:
    assert looks_english("the paper of the year " * 50 + "和" * 100_000)
