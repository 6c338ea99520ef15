// What of a layer is drawn at which scale. A scale is units of the map in a pixel.
const KNOWN = ["note", "metric", "length_m", "dist_m", "ref_id", "pred_id", "confidence", "rank", "iou", "mallows"];

class InputLayer {
  constructor(spec, chart) {
    this.spec = spec;
    this.lines = unpackGeometries(spec, chart.origin, chart.step);
    [this.east, this.north] = chart.origin;
    this.finest = 2 * chart.step;
    this.drawn = new Map();
  }
  // Each step of half a pixel once, in items of some hundred pixels: a city is as quick to draw as a street.
  at(scale) {
    const cell = Math.max(2 ** Math.floor(Math.log2(scale)) / 2, this.finest);
    if (!this.drawn.has(cell)) this.drawn.set(cell, this.steps(cell));
    return this.drawn.get(cell);
  }
  steps(cell) {
    const {xs, ys} = this.lines, ids = new Map(), seen = new Set(), tiles = new Map();
    for (let row = 0; row < xs.length; row++) {
      const x = xs[row], y = ys[row];
      let last = -1, lastX = 0, lastY = 0, open = null;
      for (let i = 0; i < x.length; i++) {
        if (Number.isNaN(x[i])) { last = -1; open = null; continue; }
        const cx = Math.round((x[i] - this.east) / cell), cy = Math.round((y[i] - this.north) / cell), key = cx * 2 ** 26 + cy;
        let id = ids.get(key);
        if (id === undefined) { id = ids.size; ids.set(key, id); }
        if (id === last) continue;
        if (last >= 0) {
          const step = last < id ? last * 2 ** 26 + id : id * 2 ** 26 + last;
          if (seen.has(step)) open = null;
          else {
            seen.add(step);
            if (open === null) {
              const name = (lastX >> 9) * 2 ** 22 + (lastY >> 9);
              open = tiles.get(name);
              if (open === undefined) { open = {xs: [], ys: []}; tiles.set(name, open); }
              open.xs.push(NaN, this.east + lastX * cell);
              open.ys.push(NaN, this.north + lastY * cell);
            }
            open.xs.push(this.east + cx * cell);
            open.ys.push(this.north + cy * cell);
          }
        }
        last = id; lastX = cx; lastY = cy;
      }
    }
    const items = [...tiles.values()];
    return {xs: items.map((one) => one.xs), ys: items.map((one) => one.ys)};
  }
}

class ErrorLayer {
  constructor(spec, chart) {
    this.spec = spec;
    this.lines = unpackGeometries(spec, chart.origin, chart.step);
    const {xs, ys} = this.lines;
    this.count = xs.length;
    this.boxes = xs.map((x, row) => {
      const y = ys[row], box = [Infinity, Infinity, -Infinity, -Infinity];
      for (let i = 0; i < x.length; i++) if (!Number.isNaN(x[i])) {
        box[0] = Math.min(box[0], x[i]); box[1] = Math.min(box[1], y[i]);
        box[2] = Math.max(box[2], x[i]); box[3] = Math.max(box[3], y[i]);
      }
      return box;
    });
    this.size = this.boxes.map(([x0, y0, x1, y1]) => Math.hypot(x1 - x0, y1 - y0));
    // In the middle of a line, on it; in the middle of an area.
    this.x = xs.map((x, row) => (spec.name.endsWith("-polygons") ? (this.boxes[row][0] + this.boxes[row][2]) / 2 : middle(x)));
    this.y = ys.map((y, row) => (spec.name.endsWith("-polygons") ? (this.boxes[row][1] + this.boxes[row][3]) / 2 : middle(y)));
    this.texts = Object.fromEntries(Object.entries(spec.texts).map(([name, column]) => [name, unpackTexts(column)]));
    this.numbers = spec.numbers;
  }
  // A fact of an error as text; empty where it has none.
  fact(name, row) {
    if (name in this.texts) return this.texts[name][row];
    const value = this.numbers[name]?.[row];
    return value === null || value === undefined ? "" : value.toLocaleString("en", {maximumFractionDigits: value < 10 ? 4 : 1});
  }
  number(name, row) {
    return this.numbers[name]?.[row] ?? null;
  }
  columns() {
    const rows = [...Array(this.count).keys()];
    const facts = Object.fromEntries(KNOWN.map((name) => [name, rows.map((row) => this.fact(name, row))]));
    const grade = rows.map((row) => this.number(this.spec.graded, row) ?? NaN);
    return {...this.lines, x: this.x, y: this.y, grade, ...facts};
  }
}
const middle = (values) => {
  const place = (values.length - 1) / 2, low = values[Math.floor(place)], high = values[Math.ceil(place)];
  const mean = (low + high) / 2;
  return Number.isNaN(mean) ? values[0] : mean;
};

// Symbols that would cover each other are gathered: of the small ones, those with GATHERED or more in one cell.
const CELL = 48, GATHERED = 4, SMALL = 10;
const chooseRows = (layers, scale, nearest) => {
  const cells = new Map(), chosen = new Map();
  const cell = CELL * 2 ** (Math.floor(2 * Math.log2(scale)) / 2);
  for (const layer of layers) {
    const large = [], small = [];
    chosen.set(layer, {large, small});
    for (let row = 0; row < layer.count; row++) {
      if (layer.size[row] >= SMALL * scale) large.push(row);
      else if (!layer.spec.gathered || scale <= nearest) { small.push(row); if (layer.size[row] > 0) large.push(row); }
      else {
        const key = Math.floor(layer.x[row] / cell) * 2 ** 24 + Math.floor(layer.y[row] / cell);
        const members = cells.get(key);
        if (members === undefined) cells.set(key, [[layer, row]]);
        else members.push([layer, row]);
      }
    }
  }
  const rings = new Map();
  for (const [key, members] of cells)
    if (members.length < GATHERED) for (const [layer, row] of members) chosen.get(layer).small.push(row);
    else rings.set(key, members);
  return {chosen, gathered: ringsOf(rings, scale)};
};
const radiusOf = (count) => Math.min(9 + 2 * Math.log2(count), 25);
// The largest first, and each takes in those of the cells around it that it would cover.
const ringsOf = (cells, scale) => {
  const found = new Map([...cells].sort((a, b) => b[1].length - a[1].length).map(([key, members]) => {
    const ring = {x: 0, y: 0, count: members.length, kinds: new Map()};
    for (const [layer, row] of members) {
      ring.kinds.set(layer, (ring.kinds.get(layer) ?? 0) + 1);
      ring.x += layer.x[row] / members.length;
      ring.y += layer.y[row] / members.length;
    }
    return [key, ring];
  }));
  const rings = [];
  for (const [key, ring] of found) {
    if (ring.taken) continue;
    rings.push(ring);
    for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) {
      const other = found.get(key + dx * 2 ** 24 + dy);
      if (other === undefined || other === ring || other.taken || other.count > ring.count) continue;
      if (Math.hypot(other.x - ring.x, other.y - ring.y) > scale * (radiusOf(ring.count) + radiusOf(other.count))) continue;
      if (rings.includes(other)) continue;
      other.taken = true;
      for (const [layer, count] of other.kinds) ring.kinds.set(layer, (ring.kinds.get(layer) ?? 0) + count);
      ring.count += other.count;
    }
  }
  for (const ring of rings) ring.kinds = [...ring.kinds].sort((a, b) => b[1] - a[1]);
  return rings;
};
