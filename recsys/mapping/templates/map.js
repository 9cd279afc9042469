"use strict";
// One paper at a time: its card, its row, what it cites and what cites it. The map works without.
(() => {
  const view = document.querySelector(".map-view");
  if (!view) return;
  const card = view.querySelector(".map-card");
  const maps = [...view.querySelectorAll("svg.map")].map((svg) => ({
    svg,
    links: [...svg.querySelectorAll("a[data-paper]")],
    dots: [...svg.querySelectorAll(".map-dots circle")],
    names: [...svg.querySelectorAll(".map-name")],
  }));
  const rows = maps[0].links.map((_, at) => document.getElementById(`map-paper-${at + 1}`));
  const cites = rows.map((row) => row.lastElementChild.textContent.split(",").map((no) => no - 1).filter((at) => at >= 0));
  const citing = rows.map((_, at) => cites.flatMap((others, other) => (others.includes(at) ? [other] : [])));
  const groupOf = rows.map((row) => row.closest("tbody"));
  const place = (element) => element?.closest("[data-paper]")?.dataset.paper - 1;

  let pinned = -1;
  const show = (at) => {
    for (const each of document.querySelectorAll(".map-here, .map-related")) each.classList.remove("map-here", "map-related");
    if (!(at >= 0)) {
      card.hidden = true;
      return;
    }
    const related = new Set([at, ...cites[at], ...citing[at]]);
    rows[at].classList.add("map-here");
    for (const { links, dots, names } of maps) {
      links[at].classList.add("map-here");
      for (const other of related) dots[other].classList.add("map-related");
      for (const name of names) if (related.has(place(name))) name.classList.add("map-related");
    }
    const close = document.createElement("button");
    Object.assign(close, { type: "button", textContent: "Close" });
    close.addEventListener("click", () => pin(-1));
    const text = document.createElement("span");
    const kind = rows[at].querySelector(".map-kind").textContent;
    text.textContent = `${kind[0].toUpperCase()}${kind.slice(1)}. On this map it cites ${cites[at].length} and is cited by ${citing[at].length}.`;
    const paper = [...rows[at].querySelector(".map-paper").childNodes].map((each) => each.cloneNode(true));
    card.replaceChildren(close, ...paper, text);
    card.hidden = false;
  };
  const pin = (at) => {
    pinned = at;
    show(at);
    // On a phone the card lies over the picture: what it hides comes out.
    const dot = maps.map(({ dots }) => dots[at]?.getBoundingClientRect()).find((box) => box?.width);
    if (!dot || getComputedStyle(card).position !== "fixed") return;
    const hidden = dot.bottom + 40 - card.getBoundingClientRect().top;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    if (hidden > 0) scrollBy({ top: hidden, behavior });
  };

  for (const { svg, links, dots } of maps) {
    // One stop of the Tab key: arrow keys move from paper to paper.
    const rest = (at) => links.forEach((link, other) => link.setAttribute("tabindex", other === at ? "0" : "-1"));
    rest(0);
    const nearest = (event) => {
      const boxes = dots.map((dot) => dot.getBoundingClientRect());
      const away = boxes.map((box) => Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY));
      const best = away.indexOf(Math.min(...away));
      return away[best] <= 24 ? best : -1;
    };
    svg.addEventListener("pointerover", (event) => {
      const at = place(event.target);
      if (event.pointerType === "mouse") show(at >= 0 ? at : pinned);
    });
    svg.addEventListener("pointerleave", () => show(pinned));
    svg.addEventListener("focusin", (event) => {
      const at = place(event.target);
      if (!(at >= 0)) return;
      rest(at);
      pin(at);
    });
    // A finger is wider than a dot: it chooses the nearest, and opens it by a second tap.
    let before = -1;
    svg.addEventListener("pointerdown", () => { before = pinned; });
    svg.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (link && !link.dataset.paper) return;
      if (link && event.pointerType !== "touch") return;
      const at = nearest(event);
      if (link && at === pinned && at === before) return;
      event.preventDefault();
      pin(at);
    });
    svg.addEventListener("keydown", (event) => {
      const at = place(event.target);
      if (!(at >= 0) || event.ctrlKey || event.metaKey || event.altKey) return;
      const groups = [...new Set(groupOf)];
      const beside = (step) => {
        const group = groups[groups.indexOf(groupOf[at]) + step];
        const others = links.map((_, other) => other).filter((other) => groupOf[other] === group);
        const across = (other) => Math.abs(dots[other].cx.baseVal.value - dots[at].cx.baseVal.value);
        return others.sort((one, other) => across(one) - across(other))[0] ?? at;
      };
      const moves = {
        ArrowRight: () => Math.min(at + 1, links.length - 1), ArrowLeft: () => Math.max(at - 1, 0),
        ArrowDown: () => beside(1), ArrowUp: () => beside(-1),
        Home: () => 0, End: () => links.length - 1,
      };
      if (!moves[event.key]) return;
      event.preventDefault();
      links[moves[event.key]()].focus();
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") pin(-1);
  });
  const pointed = (element, at) => {
    element.addEventListener("pointerenter", () => show(at));
    element.addEventListener("pointerleave", () => show(pinned));
  };
  rows.forEach(pointed);
  for (const each of view.querySelectorAll(".map-gaps [data-paper]")) pointed(each, place(each));
  view.classList.add("map-live");
  const help = view.querySelector(".map-help");
  help.textContent += " Arrow keys move between papers, Enter opens one, Escape lets go.";
})();
