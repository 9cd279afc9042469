/** Items of Zotero: what is asked about them, and papers that become some. */

import type { Recommended, Work } from "./recsys.ts";

/** What is known of an item; null for a note, a file, or one without a title. */
export function workOf(item: Zotero.Item): Work | null {
  const title = item.isRegularItem() ? item.getField("title") : "";
  if (!title) {
    return null;
  }
  const creators = item.getCreators();
  const authors = creators.map(({ firstName, lastName }) =>
    [firstName, lastName].filter(Boolean).join(" "),
  );
  const year = Number.parseInt(item.getField("year"), 10);
  const doi = doiOf(item);
  const abstract = item.getField("abstractNote");
  return {
    title,
    authors,
    ...(Number.isNaN(year) ? {} : { year }),
    ...(doi ? { doi } : {}),
    ...(abstract ? { abstract } : {}),
  };
}

function doiOf(item: Zotero.Item): string {
  const line = /^DOI:\s*(\S+)/im.exec(item.getField("extra"));
  return item.getField("DOI") || (line?.[1] ?? "");
}

/** Where papers go: a library, and a collection of it. */
export interface Place {
  libraryID: number;
  collection?: Zotero.Collection;
}

/** Add papers; what the library has is only put into the collection. Return how many are new. */
export async function addPapers(papers: Recommended[], place: Place): Promise<number> {
  let added = 0;
  for (const paper of papers) {
    const known = await found(paper, place.libraryID);
    const item = known ?? created(paper, place.libraryID);
    if (place.collection) {
      item.addToCollection(place.collection.id);
    }
    await item.saveTx();
    added += known ? 0 : 1;
  }
  return added;
}

/** Find the item that a paper is: by its DOI, else by its whole title. */
async function found(paper: Recommended, libraryID: number): Promise<Zotero.Item | null> {
  for (const [field, value] of [
    ["DOI", paper.doi],
    ["extra", paper.doi && `DOI: ${paper.doi}`],
    ["title", paper.title],
  ] as const) {
    if (value) {
      const search = new Zotero.Search();
      search.addCondition("libraryID", "is", String(libraryID));
      search.addCondition("noChildren", "true");
      search.addCondition(field, field === "extra" ? "contains" : "is", value);
      const [id] = await search.search();
      if (id !== undefined) {
        return (await Zotero.Items.getAsync(id)) || null;
      }
    }
  }
  return null;
}

function created(paper: Recommended, libraryID: number): Zotero.Item {
  const item = new Zotero.Item("journalArticle");
  item.libraryID = libraryID;
  item.setField("title", paper.title);
  item.setField("abstractNote", paper.abstract);
  item.setField("publicationTitle", paper.venue);
  item.setField("DOI", paper.doi);
  item.setField("url", paper.url);
  item.setField("date", paper.year === undefined ? "" : String(paper.year));
  item.setCreators(
    paper.authors.map((name) => {
      const { firstName, lastName } = Zotero.Utilities.cleanAuthor(name, "author", name.includes(","));
      return { firstName, lastName, creatorType: "author" as const };
    }),
  );
  return item;
}
