import zotero from "@zotero-plugin/eslint-config";

export default zotero();
