/** Asks a recsys server: the one module that sends anything. It needs nothing of Zotero. */

export interface Settings {
  address: string;
  token: string;
  papers: number;
}

/** A work as a library knows it. */
export interface Work {
  title: string;
  authors: string[];
  year?: number;
  doi?: string;
  abstract?: string;
}

/** A recommended paper; `probability` is the chance that the author would cite it. */
export interface Recommended {
  id: string;
  title: string;
  abstract: string;
  authors: string[];
  year?: number;
  venue: string;
  doi: string;
  url: string;
  probability: number;
  why: string;
}

export interface Answer {
  papers: Recommended[];
  notes: string[];
}

/** Why there is no answer: a sentence for people. */
export class RecsysError extends Error {}

/** Posts a body, and returns what comes back, whatever its status; rejects if nothing does. */
export type Send = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<{ status: number; text: string }>;

const MOST_WORKS = 500;
const ADDRESS = /^(https?):\/\/(\[[\da-f:]+\]|[^/:?#\s]+)(:\d+)?([^?#\s]*)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What to read beside the works of a collection: they count as cited, and never come back. */
export function reading(works: Work[]): object {
  return { references: works.slice(0, MOST_WORKS).map(reference) };
}

/** What one work should cite, of which its library knows no references. */
export function citing(work: Work): object {
  return { title: work.title, abstract: work.abstract, authors: work.authors };
}

function reference({ title, authors, year, doi }: Work): object {
  return doi ? { title, authors, year, doi } : { title, authors, year };
}

/** Return the address of the API below what somebody typed; other machines only by https. */
export function apiAddress(typed: string): string {
  const [, scheme, host, port, path] = ADDRESS.exec(typed.trim()) ?? [];
  if (!scheme || !host) {
    throw new RecsysError(`“${typed}” is no address. Copy the one that recsys serve prints.`);
  }
  if (scheme === "http" && !LOOPBACK.test(host)) {
    throw new RecsysError(`${host} is another machine: ask it by https://.`);
  }
  return `${scheme}://${host}${port ?? ""}${(path ?? "").replace(/\/+$/, "")}/v1/recommendations`;
}

/** Ask for papers; raise RecsysError, whatever goes wrong. */
export async function recommend(
  draft: object,
  settings: Settings,
  send: Send,
): Promise<Answer> {
  const url = apiAddress(settings.address);
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (settings.token) {
    headers.Authorization = `Bearer ${settings.token}`;
  }
  const body = JSON.stringify({ draft, k: settings.papers });
  let reply: Awaited<ReturnType<Send>>;
  try {
    reply = await send(url, headers, body);
  } catch (error) {
    throw new RecsysError(
      `recsys does not answer at ${settings.address}. Start it with “recsys serve”, or change the address in the settings.`,
      { cause: error },
    );
  }
  const { status, text } = reply;
  const said = parsed(text);
  if (status === 200 && Array.isArray(said.recommendations)) {
    const notes = [...strings(said.notes)];
    return { papers: said.recommendations.map(recommended), notes };
  }
  if (status === 401) {
    throw new RecsysError("recsys wants its token. Copy it into the settings of this plugin.");
  }
  const what = typeof said.detail === "string" ? said.detail : said.title;
  if (typeof what === "string") {
    throw new RecsysError([what, said.hint].filter((each) => typeof each === "string").join(" "));
  }
  throw new RecsysError(`What answers at ${settings.address} is not recsys (${status}).`);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return record(JSON.parse(text));
  } catch {
    return {};
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function recommended(value: unknown): Recommended {
  const facts = record(value);
  const text = (name: string): string => {
    const found = facts[name];
    return typeof found === "string" ? found : "";
  };
  const [first] = Array.isArray(facts.reasons) ? facts.reasons : [];
  const why = record(first).text;
  return {
    id: text("id"),
    title: text("title"),
    abstract: text("abstract"),
    authors: strings(facts.authors),
    ...(typeof facts.year === "number" ? { year: facts.year } : {}),
    venue: text("venue"),
    doi: text("doi"),
    url: text("url"),
    probability: typeof facts.probability === "number" ? facts.probability : 0,
    why: typeof why === "string" ? why : "",
  };
}
