/** The menus of the plugin; `bootstrap.js` calls what is exported as `Zotero.Recsys`. */

import { addPapers, type Place, workOf } from "./items.ts";
import { type Answer, citing, reading, recommend, type Recommended, type Send, type Settings, type Work } from "./recsys.ts";

const LOCALE = "recsys.ftl";
const MENUS = ["recsys-collection", "recsys-item"] as const;

/** What the window of an answer is given. */
export interface Shown {
  heading: string;
  place: string;
  answer: Promise<Answer>;
  add: (papers: Recommended[]) => Promise<number>;
}

type Context = _ZoteroTypes.MenuManager.LibraryMenuContext;

function settings(): Settings {
  const get = (name: string): unknown => Zotero.Prefs.get(`extensions.recsys.${name}`, true);
  const papers = Math.min(Math.max(Number(get("papers")) || 20, 1), 100);
  return { address: String(get("address") ?? ""), token: String(get("token") ?? ""), papers };
}

const send: Send = async (url, headers, body) => {
  const options = { headers, body, successCodes: false, timeout: 60_000, responseType: "text" };
  const request = await Zotero.HTTP.request("POST", url, options as object);
  return { status: request.status, text: request.responseText };
};

function works(items: Zotero.Item[]): Work[] {
  return items.map(workOf).filter((work) => work !== null);
}

function show(heading: string, draft: object, place: Place): void {
  const shown: Shown = {
    heading,
    place: place.collection?.name ?? "the library",
    answer: recommend(draft, settings(), send),
    add: (papers) => addPapers(papers, place),
  };
  const features = "chrome,dialog=no,resizable,centerscreen,width=720,height=640";
  const window = Zotero.getMainWindow();
  window.openDialog("chrome://recsys/content/answer.xhtml", "", features, shown);
}

function readBeside(collection: Zotero.Collection): void {
  const known = works(collection.getChildItems());
  const heading = `What else to read beside “${collection.name}”`;
  show(heading, reading(known), { libraryID: collection.libraryID, collection });
}

function citeIn(item: Zotero.Item): void {
  const [work] = works([item]);
  const pane = Zotero.getActiveZoteroPane();
  const collection = pane?.getSelectedCollection() || undefined;
  if (work) {
    const place = { libraryID: item.libraryID, ...(collection ? { collection } : {}) };
    show(`What else “${work.title}” should cite`, citing(work), place);
  }
}

function collectionOf(context: Context): Zotero.Collection | undefined {
  const row = context.collectionTreeRow as unknown as
    | { isCollection: () => boolean; ref: Zotero.Collection }
    | undefined;
  return row?.isCollection() ? row.ref : undefined;
}

function startup(pluginID: string, rootURI: string): void {
  const src = `${rootURI}content/preferences.xhtml`;
  void Zotero.PreferencePanes.register({ pluginID, src, label: "recsys", image: `${rootURI}content/icon.svg` });
  Zotero.MenuManager.registerMenu({
    menuID: MENUS[0],
    pluginID,
    target: "main/library/collection",
    menus: [
      {
        menuType: "menuitem",
        l10nID: "recsys-read",
        onShowing: (_event, context) => context.setVisible(collectionOf(context) !== undefined),
        onCommand: (_event, context) => {
          const collection = collectionOf(context);
          if (collection) {
            readBeside(collection);
          }
        },
      },
    ],
  });
  Zotero.MenuManager.registerMenu({
    menuID: MENUS[1],
    pluginID,
    target: "main/library/item",
    menus: [
      {
        menuType: "menuitem",
        l10nID: "recsys-cite",
        onShowing: (_event, { items, setVisible }) =>
          setVisible(items?.length === 1 && works(items).length === 1),
        onCommand: (_event, { items }) => {
          if (items?.[0]) {
            citeIn(items[0]);
          }
        },
      },
    ],
  });
}

function addToWindow(window: Window): void {
  (window as unknown as { MozXULElement: { insertFTLIfNeeded: (name: string) => void } })
    .MozXULElement.insertFTLIfNeeded(LOCALE);
}

function shutdown(): void {
  for (const menu of MENUS) {
    Zotero.MenuManager.unregisterMenu(menu);
  }
  for (const window of Zotero.getMainWindows()) {
    window.document.querySelector(`[href="${LOCALE}"]`)?.remove();
  }
}

Object.assign(Zotero, { Recsys: { startup, addToWindow, shutdown } });
