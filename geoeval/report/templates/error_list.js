// Every error as a row; only the rows that can be seen are in the page, so ten thousand are as quick as ten.
const ROW = 30;
const listErrors = (layers, goTo) => {
  const box = document.getElementById("error-list");
  if (!box) return;
  const kindBox = document.getElementById("list-kind"), orderBox = document.getElementById("list-order");
  const tell = document.getElementById("list-place"), rows = box.firstElementChild;
  const listable = [...layers].reverse().filter((layer) => layer.spec.listed);
  const all = listable.flatMap((layer) => [...Array(layer.count).keys()].map((row) => ({layer, row})));
  const number = (entry, name) => entry.layer.number(name, entry.row);
  const byRank = new Map(all.filter((entry) => number(entry, "rank") !== null).map((entry) => [number(entry, "rank"), entry]));
  const descending = (name) => (a, b) => (number(b, name) ?? -1) - (number(a, name) ?? -1);
  const orders = {
    worst: (a, b) => (number(a, "rank") ?? Infinity) - (number(b, "rank") ?? Infinity) || descending("length_m")(a, b),
    length: descending("length_m"),
    distance: descending("dist_m"),
    confidence: descending("confidence"),
    kind: () => 0,
  };
  // Infinity - Infinity is no number, and no order.
  const compare = (order) => (a, b) => orders[order](a, b) || 0;
  const cell = (text, name, title) => {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    if (title) span.title = title;
    return span;
  };
  let listed = [], at = -1;
  const line = (place) => {
    const {layer, row} = listed[place], element = document.createElement("div");
    element.className = "row";
    element.id = `row-${place}`;
    element.setAttribute("role", "option");
    element.setAttribute("aria-selected", String(place === at));
    element.style.top = `${place * ROW}px`;
    const kind = cell("", "kind"), dot = cell("", "swatch");
    dot.style.background = layer.spec.colour === "#000000" ? "var(--ink)" : layer.spec.colour;
    kind.append(dot, layer.spec.label);
    const ids = [["reference", "ref_id"], ["prediction", "pred_id"]].map(([role, name]) => [role, layer.fact(name, row)])
      .filter(([, id]) => id !== "").map(([role, id]) => `${role} ${id}`).join(" · ");
    const note = layer.fact("note", row);
    element.append(cell((place + 1).toLocaleString("en"), "number"), kind, cell(metres(number(listed[place], "length_m")), "number"),
      cell(metres(number(listed[place], "dist_m")), "number"), cell(note, "note", note), cell(ids, "ids", ids));
    element.addEventListener("click", () => select(place));
    return element;
  };
  const metres = (value) => (value === null ? "" : value.toLocaleString("en", {maximumFractionDigits: value < 100 ? 1 : 0}));
  const paint = () => {
    const first = Math.max(Math.floor(box.scrollTop / ROW) - 5, 0);
    const last = Math.min(first + Math.ceil(box.clientHeight / ROW) + 10, listed.length);
    rows.replaceChildren(...[...Array(Math.max(last - first, 0)).keys()].map((k) => line(first + k)));
    tell.textContent = listed.length ? `${(at + 1).toLocaleString("en")} of ${listed.length.toLocaleString("en")}` : "none";
  };
  const show = (place) => {
    at = Math.min(Math.max(place, 0), listed.length - 1);
    const top = at * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    box.setAttribute("aria-activedescendant", `row-${at}`);
    paint();
  };
  const select = (place) => {
    if (!listed.length) return;
    show(place);
    goTo(listed[at].layer, listed[at].row);
  };
  const list = () => {
    const wanted = kindBox.value;
    listed = all.filter(({layer}) => wanted === "" || layer.spec.kind === wanted).sort(compare(orderBox.value));
    rows.style.height = `${listed.length * ROW}px`;
    at = -1;
    box.scrollTop = 0;
    box.removeAttribute("aria-activedescendant");
    paint();
  };
  const listKind = (kind) => { kindBox.value = kind; list(); box.closest("section").scrollIntoView({block: "nearest"}); };
  for (const choice of [kindBox, orderBox]) choice.addEventListener("change", list);
  box.addEventListener("scroll", paint);
  box.addEventListener("keydown", (event) => {
    const page = Math.max(Math.floor(box.clientHeight / ROW) - 1, 1);
    const target = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: listed.length}[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target);
  });
  document.getElementById("list-next").addEventListener("click", () => select(at + 1));
  document.getElementById("list-previous").addEventListener("click", () => select(at - 1));
  for (const button of document.querySelectorAll("[data-kind]"))
    button.addEventListener("click", () => listKind(button.dataset.kind));
  for (const button of document.querySelectorAll("[data-rank]"))
    button.addEventListener("click", () => {
      const entry = byRank.get(Number(button.dataset.rank));
      if (!entry) return;
      goTo(entry.layer, entry.row);
      document.getElementById("where").scrollIntoView();
    });
  // An error that is chosen on the map is chosen in the list, if the list has it.
  root.addEventListener("tapped", ({detail}) => {
    const place = listed.findIndex(({layer, row}) => layer === detail.layer && row === detail.row);
    if (place >= 0) show(place);
  });
  list();
};
