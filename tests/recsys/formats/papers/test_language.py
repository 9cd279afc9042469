from recsys.formats.papers.language import looks_english
from tests.rows import each_row


@each_row(
    "text",
    [
        "Attention is all you need",
        "Graph networks",
        "",
        "Measurement of e+ e- annihilation into π+ π- at 10 GeV",
        "Ludwig van Beethoven and the city of Bonn",
        "A naïve résumé of the café society in São Paulo",
    ],
)
def test_english_is_recognised(text: str) -> None:
    assert looks_english(text)


@each_row(
    "text",
    [
        "Über die Theorie der Elektronen in einem Gitter",
        "Sur la théorie de la relativité",
        "Una introducción a los métodos del aprendizaje",
        "Sulla struttura della materia e delle particelle",
        "引文推荐的图神经网络方法",
        "Теория графов и поиск",
        "استرجاع المعلومات",
        # No function words of any language that the lists know.
        "Lausetason semanttinen vertailu " * 10,
    ],
)
def test_other_languages_are_recognised(text: str) -> None:
    assert not looks_english(text)


def test_only_the_beginning_of_a_text_is_read() -> None:
    assert looks_english("the paper of the year " * 50 + "和" * 100_000)
