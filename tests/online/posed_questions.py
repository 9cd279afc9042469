"""Questions of OpenAlex, and how many works answer one."""

from recsys.pipelines.online.client import Client, Question

QUESTION = Question("openalex", "/works", (("filter", "doi:10.5555/3"),))
OTHER = Question("openalex", "/works", (("filter", "doi:10.5555/4"),))


def ask(client: Client, question: Question = QUESTION) -> int:
    """Return how many works the answer has."""
    return len(client.ask(question).value["results"])
