/** The window of an answer: papers to tick, and what puts them into Zotero. */

import type { Shown } from "./index.ts";
import type { Recommended } from "./recsys.ts";

const [shown] = (window as unknown as { arguments: [Shown] }).arguments;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function byId<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

function row(paper: Recommended): HTMLLIElement {
  const box = element("input");
  box.type = "checkbox";
  const chance = element("span", "chance", `${Math.round(100 * paper.probability)} %`);
  chance.title = "The probability that you cite it";
  const [first, second] = paper.authors;
  const authors = second ? `${first} et al.` : first;
  const facts = [authors, paper.year, paper.venue].filter(Boolean).join(", ");
  const label = element("label");
  label.append(
    box,
    element("span", "title", paper.title),
    chance,
    element("span", "facts", facts),
    ...(paper.why ? [element("span", "why", paper.why)] : []),
  );
  const item = element("li");
  item.append(label);
  return item;
}

async function fill(): Promise<void> {
  const about = byId<HTMLParagraphElement>("about");
  const add = byId<HTMLButtonElement>("add");
  document.title = shown.heading;
  byId("heading").textContent = shown.heading;
  byId<HTMLButtonElement>("close").addEventListener("click", () => window.close());
  add.textContent = `Add to ${shown.place}`;
  add.disabled = true;
  about.textContent = "recsys is asked …";
  try {
    const { papers, notes } = await shown.answer;
    const rows = papers.map(row);
    byId("papers").append(...rows);
    about.textContent = papers.length ? notes.join(" ") : "recsys knows no further paper.";
    add.disabled = papers.length === 0;
    add.addEventListener("click", () => {
      const ticked = papers.filter((_paper, place) => rows[place]?.querySelector("input")?.checked);
      void addTicked(ticked, about, add);
    });
  } catch (error) {
    about.textContent = error instanceof Error ? error.message : String(error);
  }
}

async function addTicked(
  papers: Recommended[],
  about: HTMLParagraphElement,
  add: HTMLButtonElement,
): Promise<void> {
  if (papers.length === 0) {
    about.textContent = "Tick the papers that you want.";
    return;
  }
  add.disabled = true;
  try {
    const added = await shown.add(papers);
    about.textContent = `${added} new in ${shown.place}; ${papers.length - added} were in the library already.`;
  } catch (error) {
    about.textContent = `Not all of them could be added: ${String(error)}`;
  } finally {
    add.disabled = false;
  }
}

void fill();
