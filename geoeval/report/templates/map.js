const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
document.getElementById("theme")?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  root.dispatchEvent(new Event("theme"));
});
const item = JSON.parse(document.getElementById("figure").textContent);
const chart = JSON.parse(document.getElementById("chart").textContent);

Bokeh.embed.embed_item(item, "map").then((views) => {
  const map = views instanceof Map ? [...views.values()][0].model : (views.roots ? views.roots[0].model : views.model);
  const find = (name) => map.renderers.filter((renderer) => renderer.name === name);
  const fill = (name, data) => { find(name)[0].data_source.data = data; };
  const inputs = [], errors = [];
  for (const spec of chart.layers)
    if (spec.role === "reference" || spec.role === "prediction") inputs.push(new InputLayer(spec, chart));
    else if (spec.role === "area") fill(spec.name, unpackGeometries(spec, chart.origin, chart.step));
    else if (spec.role === "grid") {
      const value = spec.score.map((score) => score ?? NaN);
      const text = spec.score.map((score) => (score === null ? "nothing to score" : score.toFixed(3)));
      fill(spec.name, {...unpackGeometries(spec, chart.origin, chart.step), value, text});
    } else errors.push(new ErrorLayer(spec, chart));
  const renderersOf = (layer) => [...find(layer.spec.name), ...find(`${layer.spec.name}-symbols`)];
  const drawn = new Map(errors.map((layer) => [layer, renderersOf(layer)]));
  const isShown = (layer) => drawn.get(layer)[0].visible;

  // ------------------------------------------------------------------ what is black follows the paper

  const black = map.renderers.flatMap((one) => ["line_color", "fill_color", "text_color"]
    .filter((part) => one.glyph?.[part]?.value === "#000000" || one.glyph?.[part]?.value === "black").map((part) => [one.glyph, part]));
  const white = ["gathered", "mark-rim"].flatMap((name) => find(name)).flatMap((one) => ["line_color", "fill_color"]
    .filter((part) => one.glyph[part]?.value === "white").map((part) => [one.glyph, part]));
  const ink = () => {
    for (const [glyph, part] of black) glyph[part] = {value: isDark() ? "#ffffff" : "#000000"};
    for (const [glyph, part] of white) glyph[part] = {value: isDark() ? "#15181c" : "#ffffff"};
  };
  root.addEventListener("theme", () => { ink(); gather(); });
  systemDark.addEventListener("change", () => { ink(); gather(); });

  // ------------------------------------------------------------------ what a scale shows

  const home = [map.x_range.start, map.x_range.end, map.y_range.start, map.y_range.end];
  const isPlaced = home.every(Number.isFinite);
  const scaleOf = () => (map.x_range.end - map.x_range.start) / map.inner_width;
  // From 0, seen from afar, to 1, where a street fills the map.
  const nearest = chart.mercator ? 0.5 : Math.max(home[1] - home[0], home[3] - home[2]) / 8000;
  const nearness = (scale) => Math.min(Math.max(1 - Math.log2(scale / nearest) / 5, 0), 1);
  const between = (far, near, share) => far + (near - far) * share;
  let gathered = [], level = null;
  const gather = () => {
    const disc = {x: [], y: [], size: [], count: [], text: []};
    const ring = {x: [], y: [], start: [], end: [], inner: [], outer: [], colour: [], text: []};
    // Those in sight, and as many around it: texts are slow to draw.
    const {x_range: x, y_range: y} = map, w = x.end - x.start, h = y.end - y.start;
    const isNear = (one) => one.x > x.start - w / 2 && one.x < x.end + w / 2 && one.y > y.start - h / 2 && one.y < y.end + h / 2;
    for (const one of gathered.filter(isNear)) {
      const outer = radiusOf(one.count), total = one.count;
      disc.x.push(one.x); disc.y.push(one.y); disc.size.push(2 * outer); disc.count.push(String(total));
      disc.text.push(one.kinds.map(([layer, count]) => `${count} ${layer.spec.label.toLowerCase()}`).join(", "));
      let turned = 0;
      for (const [layer, count] of one.kinds) {
        ring.x.push(one.x); ring.y.push(one.y); ring.inner.push(outer - 5); ring.outer.push(outer); ring.text.push("");
        ring.start.push(Math.PI / 2 - 2 * Math.PI * turned / total);
        turned += count;
        ring.end.push(Math.PI / 2 - 2 * Math.PI * turned / total);
        ring.colour.push(layer.spec.colour === "#000000" && isDark() ? "#ffffff" : layer.spec.colour);
      }
    }
    fill("gathered", disc);
    fill("gathered-ring", ring);
  };
  const choose = () => {
    const scale = scaleOf();
    if (!Number.isFinite(scale) || scale <= 0) return;
    const near = nearness(scale);
    for (const layer of inputs) {
      const [renderer] = find(layer.spec.name), isReference = layer.spec.role === "reference";
      const lines = layer.at(scale);
      if (renderer.data_source.data.xs !== lines.xs) renderer.data_source.data = lines;
      renderer.glyph.line_width = {value: isReference ? between(2, 7, near) : between(0.9, 1.8, near)};
      // Round ends take twice as long, and cannot be seen on a thin line.
      renderer.glyph.line_cap = {value: near > 0.5 ? "round" : "butt"};
      renderer.glyph.line_join = {value: near > 0.5 ? "round" : "bevel"};
    }
    const visible = errors.filter(isShown);
    for (const layer of visible) if (!layer.filled) {
      drawn.get(layer)[0].data_source.data = layer.columns();
      layer.filled = true;
    }
    const {chosen, gathered: found} = chooseRows(visible, scale, nearest);
    for (const layer of visible) {
      const {large, small} = chosen.get(layer), renderers = drawn.get(layer);
      for (const renderer of renderers) {
        const isSymbol = renderer.glyph.marker !== undefined;
        const rows = isSymbol ? small : large, before = renderer.view.filter.indices;
        if (rows.length !== before.length || rows.some((row, k) => row !== before[k])) renderer.view.filter.indices = rows;
        if (isSymbol) renderer.glyph.size = {value: between(6, 10, near)};
        else if (renderer.glyph.fill_color === undefined)
          renderer.glyph.line_width = {value: layer.spec.wide ? between(2.5, 7, near) : between(2, 4, near)};
      }
    }
    gathered = found;
    gather();
  };
  const shown = () => { level = null; look(); };

  // ------------------------------------------------------------------ the scale bar

  const bar = document.querySelector(".scale-bar");
  // Web Mercator stretches: what is a metre along a parallel at this height of the map, on the ellipsoid.
  const metresOf = (y) => {
    if (!chart.mercator) return 1;
    const latitude = 2 * Math.atan(Math.exp(y / 6378137)) - Math.PI / 2;
    return Math.cos(latitude) / Math.sqrt(1 - 0.0066943799901413165 * Math.sin(latitude) ** 2);
  };
  const measure = () => {
    const perPixel = scaleOf() * metresOf((map.y_range.start + map.y_range.end) / 2), most = 140 * perPixel;
    bar.hidden = !(Number.isFinite(most) && most > 0);
    if (bar.hidden) return;
    const ten = 10 ** Math.floor(Math.log10(most)), length = [5, 2, 1].find((n) => n * ten <= most * (1 + 1e-9)) * ten;
    bar.firstElementChild.style.width = `${length / perPixel}px`;
    const isLong = chart.unit === "m" && length >= 1000;
    bar.lastElementChild.textContent = `${Number((isLong ? length / 1000 : length).toPrecision(2)).toLocaleString("en")} ${isLong ? "km" : chart.unit}`;
    Object.assign(bar.dataset, {length, pixels: length / perPixel});
  };

  // ------------------------------------------------------------------ moving

  const look = () => {
    const now = Math.floor(2 * Math.log2(scaleOf()));
    if (now === level) gather();
    else if (Number.isFinite(now)) { level = now; choose(); }
  };
  // While the map moves it shows what it has; what suits the new scale comes when it rests.
  let rest = null, waiting = false;
  const moved = () => {
    clearTimeout(rest);
    rest = setTimeout(look, 120);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; measure(); });
  };
  for (const range of [map.x_range, map.y_range]) range.change.connect(moved);
  const set = (x0, x1, y0, y1) => { map.x_range.setv({start: x0, end: x1}); map.y_range.setv({start: y0, end: y1}); };
  // A pixel is as many metres in x as in y, and all of the box is shown.
  const fit = (x0, x1, y0, y1) => {
    const metres = Math.max((x1 - x0) / map.inner_width, (y1 - y0) / map.inner_height) / 2;
    if (!Number.isFinite(metres)) return;
    const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2, w = metres * map.inner_width, h = metres * map.inner_height;
    set(cx - w, cx + w, cy - h, cy + h);
  };
  const refit = () => {
    if (!isPlaced) return;
    fit(...home);
    for (const range of [map.x_range, map.y_range]) range.setv({reset_start: range.start, reset_end: range.end});
  };
  for (const side of ["inner_width", "inner_height"]) map.properties[side].change.connect(() => { refit(); moved(); });
  const zoom = (factor, dx, dy) => {
    const {x_range: x, y_range: y} = map, w = x.end - x.start, h = y.end - y.start;
    const cx = (x.start + x.end) / 2 + dx * w / 4, cy = (y.start + y.end) / 2 + dy * h / 4;
    set(cx - w * factor / 2, cx + w * factor / 2, cy - h * factor / 2, cy + h * factor / 2);
  };
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => zoom(Number(button.dataset.zoom), 0, 0));
  for (const button of document.querySelectorAll("[data-move]"))
    button.addEventListener("click", () => zoom(1, ...button.dataset.move.split(",").map(Number)));
  document.querySelector("[data-fit]").addEventListener("click", refit);

  // ------------------------------------------------------------------ layers, and one error

  const switchLayer = (name, visible) => {
    for (const one of [...find(name), ...find(`${name}-symbols`)]) one.visible = visible;
    shown();
  };
  for (const box of document.querySelectorAll("[data-layer]"))
    box.addEventListener("change", () => switchLayer(box.dataset.layer, box.checked));
  const mark = (layer, row) => {
    fill("mark", {x: [layer.x[row]], y: [layer.y[row]]});
    fill("mark-lines", {xs: [layer.lines.xs[row]], ys: [layer.lines.ys[row]]});
  };
  const goTo = (layer, row) => {
    const [x0, y0, x1, y1] = layer.boxes[row], rim = 60 * nearest + 0.3 * Math.max(x1 - x0, y1 - y0);
    fit(x0 - rim, x1 + rim, y0 - rim, y1 + rim);
    if (!isShown(layer)) {
      const box = [...document.querySelectorAll("[data-layer]")].find((one) => one.dataset.layer === layer.spec.name);
      if (box) box.checked = true;
      switchLayer(layer.spec.name, true);
    }
    mark(layer, row);
  };
  // A ring opens where it is clicked; an error that is clicked is marked, and found in the list.
  map.on_event("tap", ({x, y}) => {
    const scale = scaleOf(), distance = (one) => Math.hypot(one.x - x, one.y - y) / scale;
    const ring = gathered.find((one) => distance(one) < 22);
    if (ring) { fit(ring.x - 120 * scale, ring.x + 120 * scale, ring.y - 80 * scale, ring.y + 80 * scale); return; }
    let best = null;
    for (const layer of errors.filter(isShown)) for (let row = 0; row < layer.count; row++) {
      const there = Math.hypot(layer.x[row] - x, layer.y[row] - y) / scale;
      if (there < 12 && (best === null || there < best.there)) best = {there, layer, row};
    }
    if (best) { mark(best.layer, best.row); root.dispatchEvent(new CustomEvent("tapped", {detail: best})); }
  });

  ink();
  refit();
  measure();
  look();
  listErrors(errors, goTo);
  root.dataset.ready = "yes";
});
