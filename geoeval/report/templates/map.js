"use strict";
const items = JSON.parse(document.getElementById("items").textContent);
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
document.getElementById("theme")?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  root.dispatchEvent(new Event("theme"));
});
Promise.all(Object.entries(items).map(([target, item]) => Bokeh.embed.embed_item(item, target))).then((views) => {
  const map = views[0] instanceof Map ? [...views[0].values()][0].model : (views[0].roots ? views[0].roots[0].model : views[0].model);
  const find = (name) => map.renderers.filter((renderer) => renderer.name === name);
  for (const box of document.querySelectorAll("[data-layer]"))
    box.addEventListener("change", () => find(box.dataset.layer).forEach((one) => { one.visible = box.checked; }));
  // Black cannot be seen on dark paper, so what is black follows the paper.
  const black = map.renderers.flatMap((one) => ["line_color", "fill_color"]
    .filter((part) => one.glyph?.[part]?.value === "#000000").map((part) => [one.glyph, part]));
  const ink = () => black.forEach(([glyph, part]) => { glyph[part] = {value: isDark() ? "#ffffff" : "#000000"}; });
  root.addEventListener("theme", ink);
  systemDark.addEventListener("change", ink);
  ink();
  const home = [map.x_range.start, map.x_range.end, map.y_range.start, map.y_range.end];
  const set = (x0, x1, y0, y1) => { map.x_range.setv({start: x0, end: x1}); map.y_range.setv({start: y0, end: y1}); };
  // A pixel is as many metres in x as in y, and all of the box is shown.
  const fit = (x0, x1, y0, y1) => {
    const metres = Math.max((x1 - x0) / map.inner_width, (y1 - y0) / map.inner_height) / 2;
    if (!Number.isFinite(metres)) return;
    const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2, w = metres * map.inner_width, h = metres * map.inner_height;
    set(cx - w, cx + w, cy - h, cy + h);
  };
  const refit = () => {
    if (!home.every(Number.isFinite)) return;
    fit(...home);
    for (const range of [map.x_range, map.y_range]) range.setv({reset_start: range.start, reset_end: range.end});
  };
  for (const side of ["inner_width", "inner_height"]) map.properties[side].change.connect(refit);
  refit();
  const scale = (factor, dx, dy) => {
    const {x_range: x, y_range: y} = map, w = x.end - x.start, h = y.end - y.start;
    const cx = (x.start + x.end) / 2 + dx * w / 4, cy = (y.start + y.end) / 2 + dy * h / 4;
    set(cx - w * factor / 2, cx + w * factor / 2, cy - h * factor / 2, cy + h * factor / 2);
  };
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => scale(Number(button.dataset.zoom), 0, 0));
  for (const button of document.querySelectorAll("[data-move]"))
    button.addEventListener("click", () => scale(1, ...button.dataset.move.split(",").map(Number)));
  document.querySelector("[data-fit]").addEventListener("click", refit);
  root.dataset.ready = "yes";
});
