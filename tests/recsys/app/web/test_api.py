"""The API, as a program sees it."""

import json

import pytest
from starlette.testclient import TestClient

from tests.built_index import Built
from tests.conftest import RunCli
from tests.recsys.app.web.served import DRAFT, serving, settings_of
from tests.rows import each_row

ASK = "/v1/recommendations"


def test_an_answer_holds_the_records_of_the_command_line(
    client: TestClient, built: Built, run_cli: RunCli
) -> None:
    told = run_cli("recommend", "-", "--index", built.index, "-k", 5, "--format", "json",
                   stdin=json.dumps(DRAFT).encode())  # fmt: skip
    answer = client.post(ASK, json={"draft": DRAFT, "k": 5}).json()
    expected = json.loads(told.out)
    assert {name: answer[name] for name in expected} == expected
    assert answer["index"] == "small"


def test_pages_follow_one_another(client: TestClient) -> None:
    whole = client.post(ASK, json={"draft": DRAFT, "k": 15}).json()["recommendations"]
    seen, token = [], ""
    for _ in range(3):
        answer = client.post(ASK, json={"draft": DRAFT, "k": 5, "next": token}).json()
        seen += answer["recommendations"]
        token = answer["next"]
    assert seen == whole
    asked = {"draft": DRAFT | {"title": "Deserts"}, "k": 5, "next": token}
    assert client.post(ASK, json=asked).status_code == 400


def test_the_last_page_has_no_next(client: TestClient) -> None:
    answer = client.post(ASK, json={"draft": DRAFT, "k": 100}).json()
    assert answer["next"] is None
    assert answer["recommendations"]


def test_seeds_dislikes_filters_and_the_library_count(client: TestClient) -> None:
    asked = {
        "seeds": ["rivers-05"],
        "not_like": ["deserts-05"],
        "library": ["rivers-06"],
        "filters": {"min_year": 2003},
        "as_of": 2020,
        "diversity": 0.3,
    }
    items = client.post(ASK, json=asked).json()["recommendations"]
    ids = [item["id"] for item in items]
    assert "rivers-05" not in ids
    assert "deserts-05" not in ids
    assert all(item["year"] >= 2003 for item in items)
    (owned,) = [item for item in items if item["id"] == "rivers-06"]
    assert owned["reasons"][-1]["kind"] == "library"
    left = client.post(ASK, json=asked | {"filters": {"exclude_library": True}}).json()
    assert "rivers-06" not in [item["id"] for item in left["recommendations"]]


def test_a_draft_is_a_file_or_several_parts(client: TestClient) -> None:
    files = [("file", ("draft.md", b"# Rivers, again\n\n## Abstract\n\nWe measure rivers.\n"))]
    answer = client.post(ASK, files=files, data={"request": '{"k": 3}'})
    assert len(answer.json()["recommendations"]) == 3
    assert "title, abstract" in answer.json()["understood"]


@each_row(
    ("body", "status", "said"),
    [
        (b"", 422, "JSON"),
        (b"{", 422, "JSON"),
        (b"\xff\xfe", 422, "JSON"),
        (b"[" * 10_000, 422, "JSON"),
        (b'{"draft": ' * 10_000, 422, "JSON"),
        (b"[]", 422, "object"),
        (b"{}", 422, "Give"),
        (b'{"draft": {}}', 422, "title"),
        (b'{"drafts": {"title": "x"}}', 422, "drafts"),
        (b'{"draft": {"title": 3}}', 422, "draft.title"),
        (b'{"draft": {"title": "x"}, "k": 0}', 422, "k"),
        (b'{"draft": {"title": "x"}, "k": 101}', 422, "k"),
        (b'{"draft": {"title": "x"}, "k": "5"}', 422, "k"),
        (b'{"draft": {"title": "x"}, "k": true}', 422, "k"),
        (b'{"draft": {"title": "x"}, "diversity": 2}', 422, "diversity"),
        (b'{"draft": {"title": "x"}, "diversity": NaN}', 422, "diversity"),
        (b'{"draft": {"title": "x"}, "as_of": 10}', 422, "as_of"),
        (b'{"draft": {"title": "x"}, "index": "none"}', 404, "none"),
        (b'{"draft": {"title": "x"}, "next": "?"}', 400, "token"),
        (b'{"draft": {"title": "x"}, "filters": {"venues": [" "]}}', 422, "empty"),
        (b'{"draft": {"title": "x"}, "filters": {"min_year": 2030, "max_year": 1990}}', 422, "No"),
        (b'{"draft": {"title": "x"}, "filters": {"min_year": 2999}}', 422, "No paper is left"),
        (b'{"seeds": ["/etc/passwd"]}', 422, ""),
    ],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_one_problem(
    client: TestClient, body: bytes, status: int, said: str
) -> None:
    answer = client.post(ASK, content=body, headers={"content-type": "application/json"})
    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in problem["detail"] + problem["hint"]
    assert problem["detail"].endswith((".", "?"))
    assert "Traceback" not in answer.text


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    for kind in ("text/plain", "application/xml", ""):
        answer = client.post(ASK, content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 415
    broken = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post(ASK, content=b"nothing of the kind", headers=broken).status_code == 400
    none = {"content-type": "multipart/form-data"}
    assert client.post(ASK, content=b"--x", headers=none).status_code == 400


def test_no_file_of_the_server_can_be_named(client: TestClient) -> None:
    for word in ("pyproject.toml", "/etc/passwd", "../../etc/passwd", "file:///etc/passwd"):
        asked = {"draft": DRAFT | {"references": [word]}, "seeds": [word], "library": [word]}
        answer = client.post(ASK, json=asked).json()
        assert len(answer["missing"]) == 3
        assert "root:" not in json.dumps(answer)
    for path in ("/static/../serve_settings.py", "/static/%2e%2e/pages.py", "/static//etc/passwd"):
        assert client.get(path).status_code == 404


def test_a_paper_and_its_links(client: TestClient) -> None:
    paper = client.get("/v1/papers/rivers-05").json()
    assert paper["title"] == "On rivers in survey 5"
    assert paper["abstract"].startswith("We measure rivers")
    assert set(paper["cites"]) == {"rivers-03", "rivers-04"}
    assert set(paper["cited_by"]) == {"rivers-06", "rivers-07"}
    missing = client.get("/v1/papers/a%2Fb%20c?index=small")
    assert missing.status_code == 404
    assert "a/b c" in missing.json()["detail"]


def test_several_papers_in_any_format(client: TestClient) -> None:
    found = client.get("/v1/papers?ids=rivers-05,none&ids=deserts-01").json()
    assert [paper["id"] for paper in found["papers"]] == ["rivers-05", "deserts-01"]
    assert found["missing"] == ["none"]
    bibtex = client.get("/v1/papers?ids=rivers-05&format=bibtex")
    assert bibtex.text.startswith("@")
    assert bibtex.headers["content-type"].startswith("application/x-bibtex")
    for query in ("", "?ids=", "?ids=a&format=word", "?ids=" + ",".join("a" * 300)):
        assert client.get(f"/v1/papers{query}").status_code == 422


def test_search_finds_words_and_ids_page_by_page(client: TestClient) -> None:
    found = client.get("/v1/search?q=survey").json()
    assert all("survey" in paper["title"] for paper in found["papers"])
    assert len(found["papers"]) == 20
    more = client.get(f"/v1/search?q=survey&next={found['next']}").json()
    assert not {p["id"] for p in more["papers"]} & {p["id"] for p in found["papers"]}
    assert client.get("/v1/search?q=rivers-05").json()["papers"][0]["id"] == "rivers-05"
    assert client.get("/v1/search?q=nothing-of-the-kind").json() == {"papers": [], "next": None}
    assert client.get("/v1/search?q=+").status_code == 422
    assert client.get(f"/v1/search?q=deserts&next={found['next']}").status_code == 400


def test_what_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    for path in ("/v1/papers/rivers-05", "/v1/search?q=rivers", "/v1/indexes", "/openapi.json",
                 "/static/style.css"):  # fmt: skip
        first = client.get(path)
        tag = {"if-none-match": first.headers["etag"]}
        again = client.get(path, headers=tag)
        assert (again.status_code, again.content) == (304, b"")
        assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    one, two = (client.post(ASK, json={"draft": DRAFT, "k": k}).headers["etag"] for k in (1, 2))
    assert one != two


def test_counters_say_nothing_of_what_was_asked(client: TestClient) -> None:
    client.post(ASK, json={"draft": {"title": "Secret plans of mine"}})
    client.get("/v1/search?q=secret")
    client.get("/v1/papers/secret")
    text = client.get("/metrics").text
    assert 'recsys_requests_total{route="/v1/recommendations",status="200"}' in text
    assert "ecret" not in text


def test_counters_are_off_by_default(built: Built) -> None:
    with serving(settings_of(built.index)) as client:
        assert client.get("/metrics").status_code == 404
        assert "/metrics" not in client.get("/openapi.json").json()["paths"]


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    assert client.get("/v1/nothing").json()["status"] == 404
    answer = client.get(ASK)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert client.get("/nothing").headers["content-type"].startswith("text/html")


def test_more_questions_than_may_wait_are_told_to_wait(built: Built) -> None:
    with serving(settings_of(built.index, threads=1, queue=-1)) as client:
        answer = client.post(ASK, json={"draft": DRAFT})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_an_error_of_our_own_is_told_without_what_was_asked(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("Secret plans of mine")

    monkeypatch.setattr("recsys.app.web.api_routes.answer_page", fail)
    answer = client.post(ASK, json={"draft": {"title": "Secret plans of mine"}})
    assert answer.json()["kind"] == "InternalError"
    err = capsys.readouterr().err
    assert err.startswith("internal error: ValueError at ")
    assert "ecret" not in answer.text + err


def test_a_whole_number_may_be_written_with_a_point(client: TestClient) -> None:
    asked = {"draft": DRAFT, "k": 2.0, "filters": {"min_year": 2001.0}}
    answer = client.post("/v1/recommendations", json=asked)
    assert answer.status_code == 200
    assert len(answer.json()["recommendations"]) == 2
    for wrong in (2.5, "2", True, 1e400):
        body = json.dumps({"draft": DRAFT, "k": wrong})
        headers = {"content-type": "application/json"}
        refused = client.post("/v1/recommendations", content=body, headers=headers)
        assert refused.status_code == 422
    whole = client.get("/openapi.json").json()["components"]["schemas"]["RecommendationsBody"]
    k = whole["properties"]["k"]
    assert (k["type"], k["minimum"], k["maximum"]) == ("integer", 1, 100)


def test_a_search_is_as_long_as_the_description_allows(client: TestClient) -> None:
    assert client.get("/v1/search", params={"q": "x" * 1000}).status_code == 200
    refused = client.get("/v1/search", params={"q": "x" * 1001})
    assert (refused.status_code, refused.json()["detail"]) == (422, "q has 1,001 letters.")


def test_papers_in_a_format_are_what_the_description_says(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["paths"]["/v1/papers"]["get"]
    content = described["responses"]["200"]["content"]
    csl = client.get("/v1/papers", params={"ids": "rivers-00", "format": "csl-json"})
    assert isinstance(csl.json(), list)
    schema = content[csl.headers["content-type"].partition(";")[0]]["schema"]
    assert schema["type"] == "array"
    assert content["application/x-bibtex"]["schema"]["type"] == "string"


def test_the_description_describes_what_is_served(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert set(described["paths"]) == {
        ASK, "/v1/citations", "/v1/papers/{id}", "/v1/papers", "/v1/search", "/v1/indexes",
        "/healthz", "/metrics"
    }  # fmt: skip
    text = json.dumps(described)
    for name in text.split("#/components/schemas/")[1:]:
        assert name.partition('"')[0] in described["components"]["schemas"]
