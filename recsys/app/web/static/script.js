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

  // While an answer is awaited, nothing is sent twice.
  let busy = null;
  const rest = () => {
    if (!busy) return;
    busy.classList.remove("busy");
    busy.removeAttribute("aria-disabled");
    busy = null;
    tell("");
  };
  document.addEventListener("submit", (event) => {
    if (event.target.id === "pins") return pin(event);
    if (busy) return event.preventDefault();
    const most = Number(event.target.querySelector("[data-most]")?.dataset.most ?? Infinity);
    const sizes = all("[type=file]", event.target).flatMap((each) => [...each.files]).map((file) => file.size);
    if (sizes.reduce((sum, size) => sum + size, 0) > most) {
      event.preventDefault();
      return tell(`These files are larger than ${Math.floor(most / 2 ** 20)} MB together. Leave out figures, or paste the text.`, true);
    }
    busy = event.submitter ?? event.target.querySelector("button");
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

  // A pin changes its button and the collection, and nothing else of the page.
  const pin = async (event) => {
    event.preventDefault();
    const button = event.submitter;
    const { name, value } = button;
    const form = new URLSearchParams(new FormData(event.target, button));
    try {
      const reply = await fetch(event.target.action, { method: "POST", body: form });
      if (!reply.ok) throw new Error(String(reply.status));
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      for (const old of all(".do button[form=pins]").filter((each) => each.value === value)) {
        old.name = name === "pin" ? "unpin" : "pin";
        old.textContent = name === "pin" ? "Pinned" : "Pin";
        old.setAttribute("aria-pressed", String(name === "pin"));
      }
      const open = document.querySelector(".menu")?.open;
      document.getElementById("collection").replaceWith(page.getElementById("collection"));
      const menu = document.querySelector(".menu");
      if (menu && open) menu.open = true;
      if (!button.isConnected) document.querySelector(".collection button, .menu summary")?.focus();
      tell(name === "pin" ? "Pinned" : "No longer pinned");
    } catch {
      tell("It could not be pinned. Is recsys still running?");
    }
  };

  // A draft may be dropped anywhere on the page that asks: files, or a folder of them.
  const files = document.getElementById("file");
  if (files) {
    const folder = document.getElementById("folder");
    const zone = files.closest(".drop");
    const names = make("ul", "", { className: "notes" });
    zone.querySelector(".choose").after(names);
    const figure = /\.(png|jpe?g|gif|svg|eps|tiff?|webp|mp4|aux|log|gz)$/i;
    const show = () => {
      const chosen = [...files.files];
      names.replaceChildren(...chosen.slice(0, 8).map((file) => make("li", file.name)));
      if (chosen.length > 8) names.append(make("li", `and ${chosen.length - 8} more`));
    };
    const take = (chosen) => {
      const carried = new DataTransfer();
      const texts = chosen.filter((file) => !figure.test(file.name));
      for (const file of texts.length ? texts : chosen) carried.items.add(file);
      files.files = carried.files;
      show();
      tell(`Chosen: ${[...files.files].map((file) => file.name).slice(0, 3).join(", ")}`);
    };
    const within = async (entry) => {
      if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
      const reader = entry.createReader();
      const found = [];
      for (;;) {
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!some.length) break;
        found.push(...some);
      }
      return (await Promise.all(found.map(within))).flat();
    };
    const dragged = (event) => event.dataTransfer?.types.includes("Files");
    files.addEventListener("change", show);
    folder.addEventListener("change", () => {
      take([...folder.files]);
      folder.value = "";
    });
    addEventListener("pageshow", show);
    addEventListener("dragover", (event) => {
      if (!dragged(event)) return;
      event.preventDefault();
      zone.classList.add("over");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) zone.classList.remove("over");
    });
    addEventListener("drop", async (event) => {
      zone.classList.remove("over");
      if (!dragged(event)) return;
      event.preventDefault();
      const plain = [...event.dataTransfer.files];
      const entries = [...event.dataTransfer.items].map((each) => each.webkitGetAsEntry?.()).filter(Boolean);
      try {
        take(entries.length ? (await Promise.all(entries.map(within))).flat() : plain);
      } catch {
        take(plain);
      }
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
  for (const source of all("[data-copy], .key")) {
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

  // On a small screen the papers come before the filters.
  const filters = document.querySelector(".filters");
  if (filters && !matchMedia("(min-width: 60rem)").matches) filters.open = false;
})();
