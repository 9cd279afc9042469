/* What Zotero calls: the code is in content/recsys.js. */

var registered;

function install() {}

function uninstall() {}

async function startup({ id, rootURI }) {
  const { classes: Cc, interfaces: Ci } = Components;
  const startupService = Cc["@mozilla.org/addons/addon-manager-startup;1"].getService(
    Ci.amIAddonManagerStartup,
  );
  const manifest = Services.io.newURI(`${rootURI}manifest.json`);
  registered = startupService.registerChrome(manifest, [
    ["content", "__addonRef__", `${rootURI}content/`],
  ]);
  await Zotero.initializationPromise;
  Services.scriptloader.loadSubScript(`${rootURI}content/recsys.js`, { Zotero, Services });
  Zotero.Recsys.startup(id, rootURI);
  for (const window of Zotero.getMainWindows()) {
    Zotero.Recsys.addToWindow(window);
  }
}

function onMainWindowLoad({ window }) {
  Zotero.Recsys.addToWindow(window);
}

function shutdown(_data, reason) {
  if (reason === APP_SHUTDOWN) {
    return;
  }
  Zotero.Recsys?.shutdown();
  delete Zotero.Recsys;
  registered?.destruct();
}
