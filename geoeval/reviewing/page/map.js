"use strict";
// A small map: the reference broad and grey, the prediction thin and blue on it, the error in the colour of its kind.

const ErrorMap = (() => {
  const canvas = document.getElementById("map");
  const SIDES = { reference: { colour: "#9a9a9a", width: 7 }, prediction: { colour: "#0072b2", width: 2.5 } };
  const BLINK = 600;
  let scene = null;
  let view = { x: 0, y: 0, scale: 1 };
  let shown = { reference: true, prediction: true };
  let timer = null;
  let needMore = () => {};

  // Everything is kept in metres from the middle of the first box; other boxes bring an offset of their own.
  function show(shape, around, colour, polygons) {
    const [west, south, east, north] = around.box;
    scene = { shape, layers: [around], middle: [(west + east) / 2, (south + north) / 2], colour, polygons, home: around.home };
    home();
  }

  function home() {
    if (!scene) return;
    const [west, south, east, north] = scene.home;
    const size = sizes();
    view = { x: 0, y: 0, scale: Math.min(size.width / (east - west), size.height / (north - south)) };
    draw();
  }

  const sizes = () => ({ width: canvas.clientWidth || 1, height: canvas.clientHeight || 1 });

  function draw() {
    const size = sizes();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    if (!scene) return;
    pen.lineCap = pen.lineJoin = "round";
    for (const [side, style] of Object.entries(SIDES)) {
      if (!shown[side]) continue;
      for (const layer of scene.layers) strokes(pen, layer[side], offset(layer.box), style.colour, style.width, scene.polygons);
    }
    const own = [0, 0];
    if (scene.shape.type === "points") {
      for (const [x, y] of scene.shape.pieces) ring(pen, toScreen(x, y, own), scene.colour);
    } else {
      strokes(pen, scene.shape.pieces, own, "#ffffff", 9, false, 0.9);
      strokes(pen, scene.shape.pieces, own, scene.colour, 5, scene.shape.type === "polygons");
      const box = extent(scene.shape.pieces);
      // What is too small to be seen is ringed.
      if (box && Math.max(box[2] - box[0], box[3] - box[1]) * view.scale < 16) {
        ring(pen, toScreen((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, own), scene.colour);
      }
    }
    scaleBar();
  }

  function extent(pieces) {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const piece of pieces) {
      for (let k = 0; k < piece.length; k += 2) {
        box[0] = Math.min(box[0], piece[k]); box[2] = Math.max(box[2], piece[k]);
        box[1] = Math.min(box[1], piece[k + 1]); box[3] = Math.max(box[3], piece[k + 1]);
      }
    }
    return box[0] <= box[2] ? box : null;
  }

  const offset = (box) => [(box[0] + box[2]) / 2 - scene.middle[0], (box[1] + box[3]) / 2 - scene.middle[1]];

  function toScreen(x, y, [east, north]) {
    const size = sizes();
    return [size.width / 2 + (x + east - view.x) * view.scale, size.height / 2 - (y + north - view.y) * view.scale];
  }

  function strokes(pen, pieces, from, colour, width, filled, alpha = 1) {
    pen.globalAlpha = alpha;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const piece of pieces) {
      for (let k = 0; k < piece.length; k += 2) {
        const place = toScreen(piece[k], piece[k + 1], from);
        if (k === 0) pen.moveTo(...place); else pen.lineTo(...place);
      }
    }
    pen.stroke();
    if (filled) {
      pen.globalAlpha = 0.18;
      pen.fill("evenodd");
    }
    pen.globalAlpha = 1;
  }

  function ring(pen, [x, y], colour) {
    for (const [width, own] of [[7, "#ffffff"], [4, colour]]) {
      pen.lineWidth = width;
      pen.strokeStyle = own;
      pen.beginPath();
      pen.arc(x, y, 14, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  function scaleBar() {
    const wanted = 110 / view.scale;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const length = [5, 2, 1].map((step) => step * power).find((step) => step <= wanted);
    const bar = document.getElementById("scale");
    bar.style.width = `${length * view.scale}px`;
    bar.textContent = ErrorMap.unit === "m" && length >= 1000 ? `${length / 1000} km` : `${length} ${ErrorMap.unit}`;
  }

  function zoom(factor, [px, py] = [sizes().width / 2, sizes().height / 2]) {
    const size = sizes();
    const x = view.x + (px - size.width / 2) / view.scale;
    const y = view.y - (py - size.height / 2) / view.scale;
    const scale = Math.min(Math.max(view.scale * factor, 0.02), 200);
    view = { x: x - (px - size.width / 2) / scale, y: y + (py - size.height / 2) / scale, scale };
    draw();
    look();
  }

  let waiting = null;
  function look() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!scene) return;
      const size = sizes();
      const half = [size.width / 2 / view.scale, size.height / 2 / view.scale];
      const middle = [scene.middle[0] + view.x, scene.middle[1] + view.y];
      const box = [middle[0] - half[0], middle[1] - half[1], middle[0] + half[0], middle[1] + half[1]];
      const inside = scene.layers.some(({ box: b }) => b[0] <= box[0] && b[1] <= box[1] && b[2] >= box[2] && b[3] >= box[3]);
      if (!inside) needMore(box, scene);
    }, 200);
  }

  // The newest box in place of the ones before it: what they have in common would be drawn twice.
  function add(around, forScene) {
    if (forScene === scene) {
      scene.layers = [around];
      draw();
    }
  }

  function blink(on = timer === null) {
    clearInterval(timer);
    timer = null;
    shown = { reference: true, prediction: true };
    if (on) {
      const turn = () => {
        shown = { reference: !shown.reference || shown.prediction, prediction: shown.reference && !shown.prediction };
        draw();
      };
      turn();
      timer = setInterval(turn, matchMedia("(prefers-reduced-motion: reduce)").matches ? 3 * BLINK : BLINK);
    }
    draw();
    return on;
  }

  const pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
      zoom(apart(now) / Math.max(apart(before), 1), other);
    } else {
      view = { ...view, x: view.x - (now[0] - before[0]) / view.scale, y: view.y + (now[1] - before[1]) / view.scale };
      draw();
      look();
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, [event.offsetX, event.offsetY]);
  }, { passive: false });
  new ResizeObserver(draw).observe(canvas);

  return { show, add, home, zoom, blink, unit: "m", onNeed(ask) { needMore = ask; }, shown: () => ({ ...shown }) };
})();
