// Starts `recsys lsp` beside VS Code, and starts it anew when its settings change.

import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

const LANGUAGES = ["latex", "tex", "rsweave", "markdown", "quarto", "rmd", "typst", "bibtex"];

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const restart = async (): Promise<void> => {
    await deactivate();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("recsys.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (["command", "index", "needs"].some((name) => change.affectsConfiguration(`recsys.${name}`))) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const stopped = client;
  client = undefined;
  await stopped?.dispose();
}

async function start(): Promise<void> {
  client = new LanguageClient("recsys", "recsys", server(), options());
  try {
    await client.start();
  } catch (error) {
    const program = settings().get<string[]>("command", ["recsys"]).join(" ");
    const said = error instanceof Error ? error.message : String(error);
    const open = "Open the settings";
    const chosen = await vscode.window.showErrorMessage(
      `recsys: ${program} could not be started: ${said} Install it by: pip install 'citerec[editors]'`,
      open,
    );
    if (chosen === open) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "recsys.command");
    }
  }
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("recsys");
}

function server(): ServerOptions {
  const [command = "recsys", ...before] = settings().get<string[]>("command", ["recsys"]);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const args = [...before, "lsp"];
  for (const name of ["index", "needs"]) {
    const value = settings().get<string>(name, "");
    if (value !== "") {
      const isPath = !isAbsolute(value) && !value.includes("://");
      args.push(`--${name}`, isPath && folder !== undefined ? join(folder, value) : value);
    }
  }
  return { command, args, ...(folder !== undefined && { options: { cwd: folder } }) };
}

function options(): LanguageClientOptions {
  return { documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })) };
}
