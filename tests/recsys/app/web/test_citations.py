"""What do I cite here? As a program asks it."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from recsys.app.web.index_registry import OpenIndex
from recsys.app.wiring import open_index
from tests.built_index import Built
from tests.conftest import RunCli
from tests.recsys.app.web.served import serving, settings_of
from tests.rows import each_row

ASK, WHOLE = "/v1/citations", "/v1/recommendations"
PASSAGE = "Rivers were measured with an instrument |, glaciers were not."
TEX = (
    b"\\documentclass{article}\n\\title{Rivers, measured again}\n\\begin{document}\n"
    b"\\begin{abstract}We measure rivers.\\end{abstract}\n"
    b"Rivers run \\cite{?}.\nGlaciers melt \\cite{mine} [CITE].\nDeserts do not.\n"
    b"\\bibliography{refs}\n\\end{document}\n"
)
BIB = b"@article{mine, title = {On glaciers in survey 3}, year = {2003}}\n"
FILES = [("file", ("draft.tex", TEX)), ("file", ("refs.bib", BIB))]


def ids(gap: dict[str, Any]) -> list[str]:
    return [item["id"] for item in gap["recommendations"]]


def test_a_passage_is_answered_as_the_command_line_does(
    client: TestClient, built: Built, run_cli: RunCli
) -> None:
    told = run_cli("cite", "-", "--index", built.index, "-k", 4, "--title", "Rivers, again",
                   "--as-of", 2012, "--format", "json", stdin=PASSAGE.encode())  # fmt: skip
    asked = {"text": PASSAGE, "title": "Rivers, again", "as_of": 2012, "k": 4}
    answer = client.post(ASK, json=asked).json()
    assert answer == json.loads(told.out) | {"index": "small"}
    assert len(answer["gaps"][0]["recommendations"]) == 4


def test_a_draft_is_answered_as_the_command_line_does(
    client: TestClient,
    built: Built,
    run_cli: RunCli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for _, (name, content) in FILES:
        Path(name).write_bytes(content)
    told = run_cli("cite", "draft.tex", "--index", built.index, "--format", "json")
    answer = client.post(ASK, files=FILES).json()
    assert answer == json.loads(told.out) | {"index": "small"}
    first, second = (each for each in answer["gaps"] if each["kind"] == "missing-citation")
    assert (first["line"], second["line"], second["cited"]) == (5, 6, ["mine"])
    assert "glaciers-03" not in ids(second)
    line = client.post(ASK, files=FILES, data={"request": '{"line": 7, "k": 1}'}).json()
    assert [each["sentence"] for each in line["gaps"]] == ["Deserts do not."]
    assert len(line["gaps"][0]["recommendations"]) == 1


def test_the_place_is_marked_or_told(client: TestClient) -> None:
    marked, told = "Rivers run |, and stay.", {"text": "Rivers run, and stay.", "offset": 10}
    one = client.post(ASK, json={"text": marked}).json()["gaps"]
    two = client.post(ASK, json=told).json()["gaps"]
    assert ids(one[0]) == ids(two[0])
    assert one[0]["at"] == two[0]["at"] == 10


def test_what_the_draft_cites_counts(client: TestClient) -> None:
    bare = client.post(ASK, json={"text": "It was measured |.", "k": 5}).json()
    asked = {
        "text": "It was measured |.",
        "k": 5,
        "title": "Deserts",
        "abstract": "We measure deserts.",
        "references": ["deserts-05", {"title": "On deserts in survey 6"}, "nothing-of-it"],
    }
    known = client.post(ASK, json=asked).json()
    assert len(known["missing"]) == 1
    assert "2 matched" in known["understood"]
    assert ids(bare["gaps"][0]) != ids(known["gaps"][0])


@each_row(
    ("body", "status", "said"),
    [
        (b"", 422, "JSON"),
        (b"{}", 422, "Give a passage"),
        (b"[]", 422, "object"),
        (b'{"text": ""}', 422, "empty"),
        (b'{"text": " | "}', 422, "empty"),
        (b'{"text": "..."}', 422, "empty"),
        (b'{"text": 3}', 422, "text"),
        (b'{"text": "a|b|c"}', 422, "one place"),
        (b'{"text": "Rivers|.", "offset": 3}', 422, "twice"),
        (b'{"text": "Rivers.", "offset": 8}', 422, "outside"),
        (b'{"text": "Rivers.", "offset": -1}', 422, "offset"),
        (b'{"text": "Rivers.", "offset": "3"}', 422, "offset"),
        (b'{"offset": 3}', 422, "Give a passage"),
        (b'{"text": "Rivers.", "line": 3}', 422, "line"),
        (b'{"text": "Rivers.", "k": 0}', 422, "k"),
        (b'{"text": "Rivers.", "k": 101}', 422, "k"),
        (b'{"text": "Rivers.", "most": 101}', 422, "most"),
        (b'{"text": "Rivers.", "as_of": 10}', 422, "as_of"),
        (b'{"text": "Rivers.", "index": "none"}', 404, "none"),
        (b'{"text": "Rivers.", "draft": {}}', 422, "draft"),
        (b'{"text": "Rivers.", "references": [3]}', 422, "references"),
        (b'{"text": "' + b"x" * 100_001 + b'"}', 422, "text"),
        (b'{"text": ' * 10_000, 422, "JSON"),
        (b'{"text": "\xff"}', 422, "JSON"),
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
    assert "Traceback" not in answer.text


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
)
def test_a_draft_that_cannot_be_answered_is_one_problem(
    client: TestClient, files: list[tuple[str, tuple[str, bytes]]], request_: str, said: str
) -> None:
    answer = client.post(ASK, files=files, data={"request": request_})
    assert answer.status_code == 422
    assert said in answer.json()["detail"] + answer.json()["hint"]


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    for kind in ("text/plain", "application/xml", ""):
        answer = client.post(ASK, content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 415
    assert client.get(ASK).headers["allow"] == "POST"


def test_a_tag_changes_with_the_question_and_the_files(client: TestClient) -> None:
    asked = [{"text": PASSAGE}, {"text": PASSAGE, "k": 2}, {"text": PASSAGE + " "}]
    tags = [client.post(ASK, json=each).headers["etag"] for each in (*asked, asked[0])]
    assert tags[0] == tags[3] and len(set(tags)) == 3
    files = [FILES[:1], [("file", ("draft.tex", TEX + b"%"))]]
    assert len({client.post(ASK, files=each).headers["etag"] for each in files}) == 2


def test_no_file_of_the_server_can_be_named(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "draft").mkdir()
    for name in (str(tmp_path / "draft"), "../../etc/passwd"):
        tex = TEX.replace(b"Deserts", b"\\input{/etc/passwd}\\input{%b}" % name.encode())
        answer = client.post(ASK, files=[("file", (f"{name}.tex", tex))])
        assert answer.status_code == 200
        assert answer.json()["draft"] == f"{Path(name).name}.tex"
        assert "root:" not in answer.text
        named = client.post(ASK, json={"text": PASSAGE, "references": [name]}).json()
        assert len(named["missing"]) == 1


def test_many_marked_places_are_answered_in_part(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.web.questions.MOST_PLACES", 2)
    text = b"# Rivers\n\n" + b"Rivers run [CITE].\n\n" * 5
    answer = client.post(ASK, files=[("file", ("a.md", text))]).json()
    assert len(answer["gaps"]) == 2
    assert "Only the first 2 of 5 marked places are answered." in answer["notes"]


def test_what_answers_passages_is_made_once_and_only_when_it_is_asked(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[object]()

    def local_of(recommender: object) -> object:
        made.append(recommender)
        return object()

    monkeypatch.setattr("recsys.app.web.index_registry.local_of", local_of)
    opened = OpenIndex("small", open_index(built.index), b"seen")
    assert made == []
    assert opened.local() is opened.local()
    assert made == [opened.recommender]


def test_an_index_without_a_ranker_of_passages_says_so(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.local_wiring.LOCAL_RANKER", "none-of-it")
    with serving(settings_of(built.index)) as client:
        answer = client.post(ASK, json={"text": PASSAGE})
        assert answer.status_code == 503
        assert client.post("/v1/recommendations", json={"draft": {"title": "Rivers"}}).is_success


def test_an_error_of_our_own_is_told_without_what_was_asked(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("Secret plans of mine")

    monkeypatch.setattr("recsys.app.web.api_routes.answer_passage", fail)
    answer = client.post(ASK, json={"text": "Secret plans of mine"})
    assert answer.json()["kind"] == "InternalError"
    assert "ecret" not in answer.text + capsys.readouterr().err


def test_the_description_has_examples_that_are_answered(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    body = described["components"]["schemas"]["CitationsBody"]
    assert body["properties"]["text"]["anyOf"][0]["maxLength"] == 100_000
    for example in body["examples"]:
        answer = client.post(ASK, json=example)
        assert answer.status_code == 200
        (gap,) = answer.json()["gaps"]
        assert gap["recommendations"]
    content = described["paths"][ASK]["post"]["requestBody"]["content"]
    assert set(content) == {"application/json", "multipart/form-data"}
    shown = content["multipart/form-data"]["schema"]["properties"]["request"]
    assert shown == {"$ref": "#/components/schemas/CitationsBody"}


def test_each_recommended_paper_says_where_it_fits_as_the_command_line_does(
    client: TestClient,
    built: Built,
    run_cli: RunCli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for _, (name, content) in FILES:
        Path(name).write_bytes(content)
    told = run_cli("recommend", "draft.tex", "--index", built.index, "-k", 10, "--where",
                   "--format", "json")  # fmt: skip
    given = {"files": FILES, "data": {"request": '{"k": 10, "where": true}'}}
    answer = client.post(WHOLE, **given).json()  # type: ignore[arg-type]  # Files and fields.
    expected = json.loads(told.out)
    assert {name: answer[name] for name in expected} == expected
    places = [item["where"] for item in answer["recommendations"]]
    assert any(each and each["file"] == "draft.tex" and each["line"] == 5 for each in places)
    without = client.post(WHOLE, files=FILES, data={"request": '{"k": 10}'}).json()
    assert not any("where" in item for item in without["recommendations"])


def test_places_need_a_draft_with_sentences(client: TestClient) -> None:
    answer = client.post(WHOLE, json={"draft": {"title": "Rivers"}, "where": True})
    assert (answer.status_code, answer.json()["hint"]) == (422, "Send its `file`, too.")
    told = {"request": '{"draft": {"title": "Rivers"}, "where": true}'}
    listed = client.post(WHOLE, files=FILES[1:], data=told).json()
    assert {item["where"] for item in listed["recommendations"]} == {None}
    assert listed["notes"][-1].endswith("So no paper gets a place in it.")
