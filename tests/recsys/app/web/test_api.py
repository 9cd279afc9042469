"""The API, as a program sees it."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from recsys.app.web.replies import FARTHEST, RequestError, digest_of, offset_in, token
from tests.built_index import Built
from tests.conftest import RunCli
from tests.recsys.app.web.served import DRAFT, serving, settings_of
from tests.rows import each_row

ASK = "/v1/recommendations"
CITE = "/v1/citations"


def test_an_answer_holds_the_records_of_the_command_line(
    client: TestClient, built: Built, run_cli: RunCli
) -> None:
    told = run_cli("recommend", "-", "--index", built.index, "-k", 5, "--format", "json",
                   stdin=json.dumps(DRAFT).encode())  # fmt: skip
    answer = client.post(ASK, json={"draft": DRAFT, "k": 5}).json()
    expected = json.loads(told.out)
    assert {name: answer[name] for name in expected} == expected
    assert answer["index"] == "small"


def test_a_draft_alone_is_asked_as_the_command_line_asks_it(client: TestClient) -> None:
    draft = DRAFT | {"doi": "10.1/x", "venue": "", "authors": None, "references": ["rivers-03"]}
    alone, wrapped = client.post(ASK, json=draft), client.post(ASK, json={"draft": draft})
    assert alone.status_code == wrapped.status_code == 200
    assert alone.json()["recommendations"] == wrapped.json()["recommendations"]


CHECK = "/v1/check"


def test_a_bibliography_is_checked_as_text_as_works_and_as_a_file(client: TestClient) -> None:
    entry = "@article{a, title={On deserts in survey 1}, author={Ada Deserts}, year={2004}}"
    work = {"title": "On deserts in survey 0", "year": 2000}
    sent = client.post(CHECK, json={"text": entry, "references": [work]}).json()
    assert sent["summary"] == "2 references: 1 confirmed, 1 differs."
    first = sent["references"][0]
    assert (first["reference"]["key"], first["verdict"]) == ("a", "differs")
    assert [each["field"] for each in first["comparisons"] if each["agrees"] is False] == ["year"]
    files = {"file": ("a.bib", entry.encode())}
    assert client.post(CHECK, files=files).json()["references"] == sent["references"][:1]
    assert client.post(CHECK, json={}).status_code == 422


@each_row(
    ("body", "lines"),
    [
        ({"titel": "x", "abstract": "y"},
         ["draft.titel: there is no such field. Did you mean 'title'?"]),
        ({"title": "x", "k": 3},
         ['title: beside other options, what a draft has stands inside of "draft".']),
        ({"draft": {"title": "x"}, "zzz": 3, "filters": {"minyear": 3}},
         ["filters.minyear: there is no such field. Did you mean 'min_year'?",
          "zzz: there is no such field."]),
        ({"title": "x", "references": [3, {"titel": "y"}, {"title": 4}]},
         ["draft.references.0: give an id, a DOI, or an object with a title.",
          "draft.references.1.titel: there is no such field. Did you mean 'title'?",
          "draft.references.2.title: Input should be a valid string."]),
        ({"title": "x", "references": [3] * 40}, [
            *(f"draft.references.{n}: give an id, a DOI, or an object with a title."
              for n in range(5)),
            "35 more fields are wrong."]),
    ],
)  # fmt: skip
def test_each_wrong_field_is_said_on_a_line_and_the_shape_is_shown(
    client: TestClient, body: dict[str, Any], lines: list[str]
) -> None:
    problem = client.post(ASK, json=body).json()
    assert problem["status"] == 422
    assert sorted(problem["detail"].split("\n")) == sorted(lines)
    assert problem["hint"].startswith('Send a draft, {"title": "..."')


def test_keys_of_papers_follow_the_pattern_that_is_asked_for(client: TestClient) -> None:
    asked = "/v1/papers?ids=rivers-05&format=bibtex&keys="
    assert "{x-20" in client.get(f"{asked}x-[year]").text
    assert client.get(f"{asked}[yaer]").status_code == 422
    chosen = {"paper": "rivers-05", "format": "ris", "keys": "x-[year]"}
    assert "ID  - x-20" in client.get("/export", params=chosen).text


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
    assert client.post(ASK, json={"draft": DRAFT, "k": 100}).json()["next"] is None


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
    ("place", "body", "status", "said"),
    [
        (ASK, b"", 422, "JSON"),
        (ASK, b"{", 422, "JSON"),
        (ASK, b"\xff\xfe", 422, "JSON"),
        (ASK, b"[" * 10_000, 422, "JSON"),
        (ASK, b"[]", 422, "object"),
        (ASK, b"{}", 422, "Give"),
        (ASK, b'{"draft": {}}', 422, "title"),
        (ASK, b'{"drafts": {"title": "x"}}', 422, "drafts"),
        (ASK, b'{"draft": {"title": 3}}', 422, "draft.title"),
        (ASK, b'{"draft": {"title": "x"}, "k": 0}', 422, "k"),
        (ASK, b'{"draft": {"title": "x"}, "k": "5"}', 422, "k"),
        (ASK, b'{"draft": {"title": "x"}, "k": true}', 422, "k"),
        (ASK, b'{"draft": {"title": "x"}, "diversity": 2}', 422, "diversity"),
        (ASK, b'{"draft": {"title": "x"}, "diversity": NaN}', 422, "diversity"),
        (ASK, b'{"draft": {"title": "x"}, "as_of": 10}', 422, "as_of"),
        (ASK, b'{"draft": {"title": "x"}, "index": "none"}', 404, "none"),
        (ASK, b'{"draft": {"title": "x"}, "next": "?"}', 400, "token"),
        (ASK, b'{"draft": {"title": "x"}, "filters": {"venues": [" "]}}', 422, "empty"),
        (ASK, b'{"draft": {"title":"x"}, "filters":{"min_year":2030,"max_year":1990}}', 422, "No"),
        (ASK, b'{"draft": {"title": "x"}, "filters": {"min_year": 2999}}', 422, "No paper is left"),
        (ASK, b'{"seeds": ["/etc/passwd"]}', 422, ""),
        (CITE, b"{}", 422, "Give a passage"),
        (CITE, b'{"text": ""}', 422, "empty"),
        (CITE, b'{"text": "..."}', 422, "empty"),
        (CITE, b'{"text": "a|b|c"}', 422, "one place"),
        (CITE, b'{"text": "Rivers|.", "offset": 3}', 422, "twice"),
        (CITE, b'{"text": "Rivers.", "offset": 8}', 422, "outside"),
        (CITE, b'{"text": "Rivers.", "offset": -1}', 422, "offset"),
        (CITE, b'{"offset": 3}', 422, "Give a passage"),
        (CITE, b'{"text": "Rivers.", "line": 3}', 422, "line"),
        (CITE, b'{"text": "Rivers.", "k": 101}', 422, "k"),
        (CITE, b'{"text": "Rivers.", "most": 101}', 422, "most"),
        (CITE, b'{"text": "Rivers.", "index": "none"}', 404, "none"),
        (CITE, b'{"text": "Rivers.", "draft": {}}', 422, "draft"),
        (CITE, b'{"text": "Rivers.", "references": [3]}', 422, "references"),
        (CITE, b'{"text": "' + b"x" * 100_001 + b'"}', 422, "text"),
        (ASK, b'{"seeds": [' + b"{}," * 250_000 + b"{}]}", 413, "more than 500,000 values"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_one_problem(
    client: TestClient, place: str, body: bytes, status: int, said: str
) -> None:
    answer = client.post(place, content=body, headers={"content-type": "application/json"})
    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in problem["detail"] + problem["hint"]
    assert problem["detail"].endswith((".", "?"))
    assert "Traceback" not in answer.text


def test_a_form_of_a_million_escapes_is_refused_unread(client: TestClient) -> None:
    kind = {"content-type": "application/x-www-form-urlencoded"}

    def asked(escapes: int) -> Response:
        form = b"title=" + b"%41" * escapes
        return client.post("/answer", content=form, headers=kind, follow_redirects=True)

    assert asked(1000).status_code == 200
    refused = asked(500_001)
    assert refused.status_code == 400 and "more than 500,000 escapes" in refused.text


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    for place, kind in product((ASK, CITE), ("text/plain", "application/xml", "")):
        answer = client.post(place, content=b"{}", headers={"content-type": kind})
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


@each_row(
    ("place", "works", "asked"),
    [
        (ASK, "answer_page", {"draft": {"title": "Secret plans of mine"}}),
        (CITE, "answer_passage", {"text": "Secret plans of mine"}),
    ],
)
def test_an_error_of_our_own_is_told_without_what_was_asked(
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    works: str,
    asked: dict[str, object],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("Secret plans of mine")

    monkeypatch.setattr(f"recsys.app.web.api_routes.{works}", fail)
    answer = client.post(place, json=asked)
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
        ASK, "/v1/citations", "/v1/check", "/v1/papers/{id}", "/v1/papers", "/v1/search",
        "/v1/indexes", "/healthz", "/metrics"
    }  # fmt: skip
    text = json.dumps(described)
    for name in text.split("#/components/schemas/")[1:]:
        assert name.partition('"')[0] in described["components"]["schemas"]


# A token goes on with one question only.

DIGEST = digest_of("index", {"title": "Rivers"})


@given(st.integers(0, FARTHEST - 1))
def test_a_token_says_where_to_go_on(offset: int) -> None:
    assert offset_in(token(offset, DIGEST), DIGEST) == offset


@given(st.text(max_size=60))
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        offset_in(text, DIGEST)
    assert caught.value.status == 400


@each_row("offset", [-1, FARTHEST, 10**30])
def test_a_token_that_goes_too_far_is_refused(offset: int) -> None:
    with pytest.raises(RequestError):
        offset_in(token(offset, DIGEST), DIGEST)


def test_a_token_belongs_to_a_question_and_an_index() -> None:
    for other in (digest_of("index", {"title": "Deserts"}), digest_of("x", {"title": "Rivers"})):
        with pytest.raises(RequestError, match="another question"):
            offset_in(token(20, DIGEST), other)


# What do I cite here? As a program asks it.

PASSAGE = "Rivers were measured with an instrument |, glaciers were not."
TEX = (
    b"\\documentclass{article}\n\\title{Rivers, measured again}\n\\begin{document}\n"
    b"\\begin{abstract}We measure rivers.\\end{abstract}\n"
    b"Rivers run \\cite{?}.\nGlaciers melt \\cite{mine} [CITE].\nDeserts do not.\n"
    b"\\bibliography{refs}\n\\end{document}\n"
)
BIB = b"@article{mine, title = {On glaciers in survey 3}, year = {2003}}\n"
FILES = [("file", ("draft.tex", TEX)), ("file", ("refs.bib", BIB))]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder holds the files of a draft."""
    monkeypatch.chdir(tmp_path)
    for _, (name, content) in FILES:
        Path(name).write_bytes(content)


def ids(gap: dict[str, Any]) -> list[str]:
    return [item["id"] for item in gap["recommendations"]]


def test_a_passage_is_answered_as_the_command_line_does(
    client: TestClient, built: Built, run_cli: RunCli
) -> None:
    told = run_cli("cite", "-", "--index", built.index, "-k", 4, "--title", "Rivers, again",
                   "--as-of", 2012, "--format", "json", stdin=PASSAGE.encode())  # fmt: skip
    asked = {"text": PASSAGE, "title": "Rivers, again", "as_of": 2012, "k": 4}
    answer = client.post(CITE, json=asked).json()
    assert answer == json.loads(told.out) | {"index": "small"}
    assert len(answer["gaps"][0]["recommendations"]) == 4


def test_a_draft_is_answered_as_the_command_line_does(
    client: TestClient, built: Built, run_cli: RunCli, here: None
) -> None:
    told = run_cli("cite", "draft.tex", "--index", built.index, "--format", "json")
    answer = client.post(CITE, files=FILES).json()
    assert answer == json.loads(told.out) | {"index": "small"}
    first, second = (each for each in answer["gaps"] if each["kind"] == "missing-citation")
    assert (first["line"], second["line"], second["cited"]) == (5, 6, ["mine"])
    assert "glaciers-03" not in ids(second)
    line = client.post(CITE, files=FILES, data={"request": '{"line": 7, "k": 1}'}).json()
    assert [each["sentence"] for each in line["gaps"]] == ["Deserts do not."]
    assert len(line["gaps"][0]["recommendations"]) == 1


def test_what_the_draft_cites_counts(client: TestClient) -> None:
    bare = client.post(CITE, json={"text": "It was measured |.", "k": 5}).json()
    asked = {
        "text": "It was measured |.",
        "k": 5,
        "title": "Deserts",
        "abstract": "We measure deserts.",
        "references": ["deserts-05", {"title": "On deserts in survey 6"}, "nothing-of-it"],
    }
    known = client.post(CITE, json=asked).json()
    assert len(known["missing"]) == 1
    assert "2 matched" in known["understood"]
    assert ids(bare["gaps"][0]) != ids(known["gaps"][0])


@each_row(
    ("files", "request_", "said"),
    [
        (FILES[1:], "{}", "no running text"),
        ([*FILES, FILES[1]], '{"text": "Rivers |."}', "A passage and a draft"),
        (FILES, '{"offset": 3}', "Give the line"),
        (FILES, '{"line": 70}', "no sentence at line 70"),
        (FILES, '{"line": 0}', "line"),
        ([("file", ("a.pdf", b"%PDF-1.4"))], "{}", "a.pdf"),
        ([("file", ("a.zip", b"PK\x03\x04"))], "{}", "a.zip"),
        ([("file", ("a.md", b"# Only a title\n"))], "{}", "no sentence of running text"),
    ],
    usually=5,
)
def test_a_draft_that_cannot_be_answered_is_one_problem(
    client: TestClient, files: list[tuple[str, tuple[str, bytes]]], request_: str, said: str
) -> None:
    answer = client.post(CITE, files=files, data={"request": request_})
    assert answer.status_code == 422
    assert said in answer.json()["detail"] + answer.json()["hint"]


def test_a_tag_changes_with_the_question_and_the_files(client: TestClient) -> None:
    asked = [{"text": PASSAGE}, {"text": PASSAGE, "k": 2}, {"text": PASSAGE + " "}]
    tags = [client.post(CITE, json=each).headers["etag"] for each in (*asked, asked[0])]
    assert tags[0] == tags[3] and len(set(tags)) == 3
    files = [FILES[:1], [("file", ("draft.tex", TEX + b"%"))]]
    assert len({client.post(CITE, files=each).headers["etag"] for each in files}) == 2


def test_no_file_of_the_server_can_be_named_by_a_draft_of_places(
    client: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "draft").mkdir()
    for name in (str(tmp_path / "draft"), "../../etc/passwd"):
        tex = TEX.replace(b"Deserts", b"\\input{/etc/passwd}\\input{%b}" % name.encode())
        answer = client.post(CITE, files=[("file", (f"{name}.tex", tex))])
        assert answer.status_code == 200
        assert answer.json()["draft"] == f"{Path(name).name}.tex"
        assert "root:" not in answer.text
        named = client.post(CITE, json={"text": PASSAGE, "references": [name]}).json()
        assert len(named["missing"]) == 1


def test_many_marked_places_are_answered_in_part(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.web.questions.MOST_PLACES", 2)
    text = b"# Rivers\n\n" + b"Rivers run [CITE].\n\n" * 5
    answer = client.post(CITE, files=[("file", ("a.md", text))]).json()
    assert len(answer["gaps"]) == 2
    assert "Only the first 2 of 5 marked places are answered." in answer["notes"]


def test_an_index_without_a_ranker_of_passages_says_so(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.local.local_recommender.LOCAL_RANKER", "none-of-it")
    with serving(settings_of(built.index)) as client:
        answer = client.post(CITE, json={"text": PASSAGE})
        assert answer.status_code == 503
        assert client.post("/v1/recommendations", json={"draft": {"title": "Rivers"}}).is_success


def test_the_description_has_examples_that_are_answered(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    body = described["components"]["schemas"]["CitationsBody"]
    assert body["properties"]["text"]["anyOf"][0]["maxLength"] == 100_000
    for example in body["examples"]:
        answer = client.post(CITE, json=example)
        assert answer.status_code == 200
        (gap,) = answer.json()["gaps"]
        assert gap["recommendations"]
    content = described["paths"][CITE]["post"]["requestBody"]["content"]
    assert set(content) == {"application/json", "multipart/form-data"}
    shown = content["multipart/form-data"]["schema"]["properties"]["request"]
    assert shown == {"$ref": "#/components/schemas/CitationsBody"}


def test_each_recommended_paper_says_where_it_fits_as_the_command_line_does(
    client: TestClient, built: Built, run_cli: RunCli, here: None
) -> None:
    told = run_cli("recommend", "draft.tex", "--index", built.index, "-k", 10, "--where",
                   "--format", "json")  # fmt: skip
    given = {"files": FILES, "data": {"request": '{"k": 10, "where": true}'}}
    answer = client.post(ASK, **given).json()  # type: ignore[arg-type]  # Files and fields.
    expected = json.loads(told.out)
    assert {name: answer[name] for name in expected} == expected
    places = [item["where"] for item in answer["recommendations"]]
    assert any(each and each["file"] == "draft.tex" and each["line"] == 5 for each in places)
    without = client.post(ASK, files=FILES, data={"request": '{"k": 10}'}).json()
    assert not any("where" in item for item in without["recommendations"])
