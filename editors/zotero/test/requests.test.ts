/** What the plugin sends, answered by the real server: its address, token and papers are in the environment. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { apiAddress, citing, reading, recommend, RecsysError, type Send, type Settings } from "../src/recsys.ts";

const { RECSYS_ADDRESS: address = "", RECSYS_TOKEN: token = "", RECSYS_WORKS = "[]" } = process.env;
const works = JSON.parse(RECSYS_WORKS) as { title: string; authors: string[]; year: number; doi?: string; abstract: string }[];
const settings: Settings = { address, token, papers: 5 };

const send: Send = async (url, headers, body) => {
  const reply = await fetch(url, { method: "POST", headers, body });
  return { status: reply.status, text: await reply.text() };
};

async function failure(draft: object, changed: Partial<Settings>): Promise<string> {
  try {
    await recommend(draft, { ...settings, ...changed }, send);
  } catch (error) {
    assert.ok(error instanceof RecsysError, String(error));
    return error.message;
  }
  assert.fail("nothing failed");
}

test("papers are found beside those of a collection, which do not come back", async () => {
  const { papers } = await recommend(reading(works), settings, send);
  assert.equal(papers.length, 5);
  const titles = new Set(works.map(({ title }) => title));
  assert.deepEqual(papers.filter(({ title }) => titles.has(title)), []);
  for (const paper of papers) {
    assert.ok(paper.id && paper.title && paper.why, JSON.stringify(paper));
    assert.ok(paper.probability > 0 && paper.probability <= 1);
    assert.ok(paper.authors.length > 0 && Number.isInteger(paper.year));
  }
});

test("papers are found that one work should cite", async () => {
  const [work] = works;
  assert.ok(work);
  const { papers } = await recommend(citing(work), { ...settings, papers: 3 }, send);
  assert.equal(papers.length, 3);
  assert.ok(papers.every(({ title }) => title !== work.title));
});

test("a collection of more works than are sent at once is answered, too", async () => {
  const many = Array.from({ length: 1200 }, (_, number) => ({ title: `Unknown work ${number}`, authors: [] }));
  const { papers } = await recommend(reading([...works, ...many]), settings, send);
  assert.equal(papers.length, 5);
});

test("what the server refuses is said in its own words", async () => {
  assert.match(await failure(reading([]), {}), /\S/);
  assert.match(await failure(citing({ title: "A title", authors: [] }), { papers: 1000 }), /k/);
});

test("a missing or wrong token is told", async () => {
  for (const wrong of ["", "wrong-token-of-many-letters"]) {
    assert.match(await failure(reading(works), { token: wrong }), /wants its token/);
  }
});

test("a server that is not there, or is another, is told", async () => {
  const gone = "http://127.0.0.1:9";
  assert.match(await failure({}, { address: gone }), /does not answer at .*Start it/);
  for (const [status, body] of [[200, "<html>"], [200, "[]"], [404, "no"], [500, ""]] as const) {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const said = await failure({}, { address: `http://127.0.0.1:${port}` });
    assert.match(said, /is not recsys \(\d+\)/);
    server.close();
  }
});

test("addresses are those that recsys serve prints, other machines by https alone", () => {
  const good = {
    "http://127.0.0.1:8000": "http://127.0.0.1:8000/v1/recommendations",
    " http://localhost:8000/ ": "http://localhost:8000/v1/recommendations",
    "http://[::1]:8000/?token=x": "http://[::1]:8000/v1/recommendations",
    "https://recsys.example.org/papers/": "https://recsys.example.org/papers/v1/recommendations",
  };
  for (const [typed, whole] of Object.entries(good)) {
    assert.equal(apiAddress(typed), whole);
  }
  for (const typed of ["", "recsys", "ftp://127.0.0.1", "http://192.168.1.7:8000", "http://127.0.0.1.example.org"]) {
    assert.throws(() => apiAddress(typed), RecsysError, typed);
  }
});
