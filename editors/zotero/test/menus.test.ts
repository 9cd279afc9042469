/**
 * The built plugin in a Zotero that has what its documentation names: https://www.zotero.org/support/dev/zotero_8_for_developers
 * (MenuManager) and /zotero_7_for_developers (PreferencePanes, bootstrap.js). No Zotero runs here.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

interface Menu {
  menuID: string;
  pluginID: string;
  target: string;
  menus: { l10nID: string; onShowing: Handler; onCommand: Handler }[];
}
type Handler = (event: unknown, context: object) => void;
interface Opened {
  heading: string;
  place: string;
  answer: Promise<{ papers: { title: string }[] }>;
}

const BUILT = new URL("../.scaffold/build/addon/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, BUILT), "utf8");

/** An item of a library: what `getField` and its like are asked for. */
function item(title: string, regular = true): object {
  const fields: Record<string, string> = { title, year: "2001", extra: "DOI: 10.5555/one" };
  return {
    libraryID: 1,
    isRegularItem: () => regular,
    getField: (name: string) => fields[name] ?? "",
    getCreators: () => [{ firstName: "Ada", lastName: "Ash" }],
  };
}

function zotero(): { scope: object; menus: Map<string, Menu>; opened: Opened[]; sent: { url: string; body: string }[] } {
  const menus = new Map<string, Menu>();
  const opened: Opened[] = [];
  const sent: { url: string; body: string }[] = [];
  const prefs: Record<string, unknown> = {};
  const pref = (name: string, value: unknown): void => {
    prefs[name] = value;
  };
  runInNewContext(read("prefs.js"), { pref });
  const window = {
    document: { querySelector: () => null },
    openDialog: (_url: string, _name: string, _features: string, shown: Opened) => opened.push(shown),
  };
  const Zotero = {
    Prefs: { get: (name: string, global: boolean) => (global ? prefs[name] : undefined) },
    PreferencePanes: { register: () => Promise.resolve("pane") },
    MenuManager: {
      registerMenu: (menu: Menu) => menus.set(menu.menuID, menu),
      unregisterMenu: (id: string) => menus.delete(id),
    },
    HTTP: {
      request: (_method: string, url: string, { body }: { body: string }) => {
        sent.push({ url, body });
        const papers = [{ id: "a", title: "A paper", probability: 0.5, reasons: [{ text: "why" }] }];
        return Promise.resolve({ status: 200, responseText: JSON.stringify({ recommendations: papers }) });
      },
    },
    getMainWindow: () => window,
    getMainWindows: () => [window],
    getActiveZoteroPane: () => ({ getSelectedCollection: () => false }),
  };
  return { scope: { Zotero, Services: {} }, menus, opened, sent };
}

function started(): ReturnType<typeof zotero> & { shutdown: () => void } {
  const desk = zotero();
  runInNewContext(read("content/recsys.js"), desk.scope);
  const { Zotero } = desk.scope as { Zotero: { Recsys: { startup: (...words: string[]) => void; shutdown: () => void } } };
  Zotero.Recsys.startup("zotero@recsys.invalid", "file:///plugin/");
  return { ...desk, shutdown: Zotero.Recsys.shutdown };
}

test("a collection is asked about as what is read already", async () => {
  const { menus, opened, sent } = started();
  const menu = menus.get("recsys-collection");
  assert.equal(menu?.target, "main/library/collection");
  const children = [item("Rivers"), item("A note", false)];
  const ref = { name: "Thesis", libraryID: 1, getChildItems: () => children };
  const shown: boolean[] = [];
  const context = (is: boolean): object => ({
    collectionTreeRow: { isCollection: () => is, ref },
    setVisible: (visible: boolean) => shown.push(visible),
  });
  menu?.menus[0]?.onShowing(null, context(true));
  menu?.menus[0]?.onShowing(null, context(false));
  assert.deepEqual(shown, [true, false]);
  menu?.menus[0]?.onCommand(null, context(true));
  assert.equal(opened[0]?.heading, "What else to read beside “Thesis”");
  assert.equal((await opened[0]?.answer)?.papers[0]?.title, "A paper");
  assert.equal(sent[0]?.url, "http://127.0.0.1:8000/v1/recommendations");
  const reference = { title: "Rivers", authors: ["Ada Ash"], year: 2001, doi: "10.5555/one" };
  assert.deepEqual(JSON.parse(sent[0]?.body ?? ""), { draft: { references: [reference] }, k: 20 });
});

test("an item is asked about by its title, and no note or several items are", () => {
  const { menus, opened, sent } = started();
  const [entry] = menus.get("recsys-item")?.menus ?? [];
  const shown: boolean[] = [];
  const setVisible = (visible: boolean): number => shown.push(visible);
  for (const items of [[item("Rivers")], [item("A note", false)], [item("A"), item("B")], undefined]) {
    entry?.onShowing(null, { items, setVisible });
  }
  assert.deepEqual(shown, [true, false, false, false]);
  entry?.onCommand(null, { items: [item("Rivers")] });
  assert.equal(opened[0]?.heading, "What else “Rivers” should cite");
  assert.equal(JSON.parse(sent[0]?.body ?? "").draft.title, "Rivers");
});

test("nothing stays when the plugin is switched off", () => {
  const { menus, shutdown } = started();
  assert.equal(menus.size, 2);
  shutdown();
  assert.equal(menus.size, 0);
});

test("what is registered is in the package, and every label has its words", () => {
  const manifest = JSON.parse(read("manifest.json"));
  assert.match(manifest.version, /^\d+\.\d+\.\d+$/);
  assert.equal(manifest.applications.zotero.strict_max_version, "10.*");
  const words = read("locale/en-US/recsys.ftl");
  const asked = [...read("content/preferences.xhtml").matchAll(/data-l10n-id="([^"]+)"/g)].map(([, id]) => id);
  for (const id of [...asked, "recsys-read", "recsys-cite"]) {
    assert.match(words, new RegExp(`^${id} =`, "m"));
  }
  assert.ok(read("content/answer.xhtml").includes("answer.js"));
});
