"use strict";
// Makes the pages pleasanter: all of them work without it. It remembers nothing.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const status = document.getElementById("status");
  document.documentElement.classList.add("js");

  const make = (name, text, values = {}) => {
    const element = Object.assign(document.createElement(name), values);
    element.textContent = text;
    return element;
  };

  let clearing = 0;
  const tell = (text, lasting = false) => {
    clearTimeout(clearing);
    status.textContent = text;
    if (!lasting) clearing = setTimeout(() => { status.textContent = ""; }, 4000);
  };

  // While an answer is awaited, nothing is sent twice. A download leaves the page as it is.
  let busy = null;
  const rest = () => {
    if (!busy) return;
    busy.classList.remove("busy");
    busy.removeAttribute("aria-disabled");
    busy = null;
    tell("");
  };
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    const action = button?.getAttribute("formaction") ?? event.target.getAttribute("action");
    if (action === "/export") return tell("The download begins.");
    if (busy) return event.preventDefault();
    busy = button ?? event.target.querySelector("button");
    busy.classList.add("busy");
    busy.setAttribute("aria-disabled", "true");
    tell("Looking through the papers\u2026", true);
  });
  addEventListener("pageshow", rest);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !busy) return;
    stop();
    rest();
  });

  // A draft may be dropped anywhere on the page that asks.
  const files = document.getElementById("file");
  if (files) {
    const zone = files.closest(".drop");
    const names = zone.appendChild(make("ul", "", { className: "notes" }));
    const show = () => names.replaceChildren(...[...files.files].map((file) => make("li", file.name)));
    const dragged = (event) => event.dataTransfer?.types.includes("Files");
    files.addEventListener("change", show);
    addEventListener("pageshow", show);
    addEventListener("dragover", (event) => {
      if (!dragged(event) || event.target.matches?.("[type=file]")) return;
      event.preventDefault();
      zone.classList.add("over");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) zone.classList.remove("over");
    });
    addEventListener("drop", (event) => {
      zone.classList.remove("over");
      if (!dragged(event) || event.target.matches?.("[type=file]")) return;
      event.preventDefault();
      files.files = event.dataTransfer.files;
      show();
      tell(`Chosen: ${[...files.files].map((file) => file.name).join(", ")}`);
    });
  }

  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`Copied: ${what}`);
    } catch {
      tell("The browser did not allow copying: select the text instead.");
    }
  };
  for (const source of all("[data-copy], .do code")) {
    const what = source.dataset.copy || "key";
    const button = make("button", `Copy ${what}`, { type: "button" });
    button.addEventListener("click", () => copy(source.textContent, what === "key" ? source.textContent : what));
    const block = source.closest("pre");
    if (block) {
      block.after(button);
    } else {
      button.setAttribute("aria-label", `Copy ${what} ${source.textContent}`);
      source.before(button);
    }
  }

  const titleOf = (element) => element.closest("li").querySelector("h3").id;
  for (const each of all(".do button")) each.setAttribute("aria-describedby", titleOf(each));
  // The way back to an answer would ask again.
  for (const link of all(".items a")) link.target = "_blank";

  // An abstract opens in place.
  for (const link of all(".do a")) {
    const button = make("button", "Abstract", { type: "button" });
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-describedby", titleOf(link));
    link.textContent = "Details";
    link.before(button);
    let text = null;
    button.addEventListener("click", async () => {
      const open = button.getAttribute("aria-expanded") === "false";
      button.setAttribute("aria-expanded", String(open));
      if (text) {
        text.hidden = !open;
        return;
      }
      text = make("p", "Reading\u2026", { className: "text", dir: "auto" });
      link.closest("li").append(text);
      const asked = new URL(link.href).searchParams;
      const address = `/v1/papers/${encodeURIComponent(asked.get("id"))}?index=${encodeURIComponent(asked.get("index"))}`;
      try {
        const reply = await fetch(address, { headers: { accept: "application/json" } });
        if (!reply.ok) throw new Error(String(reply.status));
        text.textContent = (await reply.json()).abstract || "The corpus holds no abstract of this paper.";
      } catch {
        text.remove();
        text = null;
        button.setAttribute("aria-expanded", "false");
        tell("The abstract could not be read. Is recsys still running?");
      }
    });
  }

  const hint = document.getElementById("which");
  const picks = all("input[name=paper]");
  if (hint && picks.length) {
    const button = make("button", "Select all", { type: "button" });
    const count = () => {
      const chosen = picks.filter((pick) => pick.checked).length;
      hint.textContent = chosen ? `Download the ${chosen} selected:` : "Download all:";
      button.textContent = chosen === picks.length ? "Select none" : "Select all";
    };
    button.addEventListener("click", () => {
      const chosen = !picks.every((pick) => pick.checked);
      for (const pick of picks) pick.checked = chosen;
      count();
    });
    hint.before(button);
    count();
    for (const pick of picks) pick.addEventListener("change", count);
    addEventListener("pageshow", count);
  }

  // On a small screen the answer comes before the fields of the question.
  const question = document.querySelector(".correct");
  if (question && matchMedia("(max-width: 59.99rem)").matches && all(".items > li").length) question.open = false;
})();
