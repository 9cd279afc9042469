// Names of a map that cover another, a dot or a label, or stand outside; in the size that is shown.
() => {
  const map = [...document.querySelectorAll("svg.map")].find((each) => each.getBoundingClientRect().width);
  if (!map) return [];
  const box = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left: left + 1, right: right - 1, top: top + 2, bottom: bottom - 2 }; // Lines are higher than letters.
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const frame = map.getBoundingClientRect();
  const texts = [...map.querySelectorAll(".map-name, .map-title, .map-draft-name")].map((each) => [each, box(each)]);
  const found = [];
  texts.forEach(([text, its], at) => {
    if (its.left < frame.left || its.right > frame.right) found.push(`${text.textContent} is outside`);
    for (const [other, place] of texts.slice(at + 1)) {
      if (meet(its, place)) found.push(`${text.textContent} covers ${other.textContent}`);
    }
    if (!text.matches(".map-name")) return;
    for (const dot of map.querySelectorAll(".map-dots circle")) {
      const { left, top, width } = dot.getBoundingClientRect();
      const across = Math.max(its.left - left - width / 2, 0, left + width / 2 - its.right);
      const down = Math.max(its.top - top - width / 2, 0, top + width / 2 - its.bottom);
      if (Math.hypot(across, down) < 0.45 * width) found.push(`${text.textContent} covers a dot`);
    }
  });
  return found;
}
