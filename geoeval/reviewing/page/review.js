"use strict";
// The flow of a review: which error is shown, what is judged, and the keys. Every verdict is kept at once.

(async () => {
  const { at, number } = Panel;
  const WORDS = ["error", "not-an-error", "reference-is-wrong", "later"];
  const KEYS = { 1: 0, 2: 1, 3: 2, 4: 3, e: 0, n: 1, r: 2, l: 3 };
  let list = null;
  let order = [];
  let place = 0;
  let shownAt = performance.now();
  let current = null;
  const done = [];

  async function ask(path, options) {
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      throw new Error("The review does not answer; start it again with geoeval review, and load the page it names.");
    }
    const content = await answer.json().catch(() => ({ error: "The review does not answer as it should; start it again." }));
    if (!answer.ok) throw new Error(content.error ?? "The review refused this.");
    return content;
  }

  const post = (content) => ask("judge", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
  });

  const guarded = (job) => async (...given) => {
    try {
      Panel.trouble("");
      await job(...given);
    } catch (error) {
      Panel.trouble(error.message);
    }
  };

  const isOpen = (row) => list.verdict[row] < 0 || list.verdict[row] === 3;

  function chosen(row) {
    const wanted = at("by-verdict").value;
    const least = Number(at("by-severity").value);
    return (at("by-kind").value === "" || list.kind[row] === Number(at("by-kind").value))
      && (at("by-class").value === "" || list.class[row] === Number(at("by-class").value))
      && (wanted === "all" || (wanted === "open" ? isOpen(row) : list.verdict[row] === WORDS.indexOf(wanted)))
      && (least === 0 || (list.severity[row] ?? 0) >= least);
  }

  // Filters decide on the list once; what is judged afterwards stays in it until they change.
  function filter(keep = null) {
    order = [];
    for (let row = 0; row < list.id.length; row += 1) if (chosen(row)) order.push(row);
    if (at("order").value === "random") order.sort((a, b) => (list.id[a] < list.id[b] ? -1 : 1));
    const there = keep === null ? -1 : order.indexOf(keep);
    const fresh = order.findIndex((row) => list.verdict[row] < 0);
    place = there >= 0 ? there : Math.max(0, fresh >= 0 ? fresh : order.findIndex(isOpen));
    return show();
  }

  const show = guarded(async () => {
    document.documentElement.dataset.shown = "";
    const row = order[place];
    at("place").textContent = order.length ? `${number(place + 1)} of ${number(order.length)}` : "nothing to show";
    at("previous").disabled = place <= 0;
    at("next").disabled = place >= order.length - 1;
    for (const button of document.querySelectorAll("#verdicts button")) button.disabled = row === undefined;
    at("remark").disabled = row === undefined;
    if (row === undefined) {
      current = null;
      return;
    }
    const id = list.id[row];
    const found = await ask(`error?id=${encodeURIComponent(id)}`);
    if (order[place] !== row) return;
    current = { row, id, verdict: found.verdict };
    shownAt = performance.now();
    const kind = list.kinds[list.kind[row]];
    Panel.facts(found.facts, kind, list.unit, list.content === "objects" ? "outline" : "length");
    Panel.verdict(found.verdict);
    at("remark").value = found.verdict?.remark ?? "";
    ErrorMap.show(found.shape, found.around, kind.colour, list.content === "objects");
    at("map").setAttribute("aria-label", `Map around the error: ${kind.label}. ${found.facts.note ?? ""}`);
    mapNote(found.around);
    document.documentElement.dataset.shown = id;
  });

  function mapNote(around) {
    const lacking = around.reference.length + around.prediction.length === 0;
    at("map-note").hidden = !(around.cut_short || lacking);
    at("map-note").textContent = around.cut_short ? "more than can be drawn here: zoom in" : "the run does not hold its maps here";
  }

  function move(step) {
    if (order.length === 0) return Promise.resolve();
    place = Math.min(Math.max(place + step, 0), order.length - 1);
    return show();
  }

  // After a verdict the next error of the list that has none; where all have one, the one that follows.
  function onward() {
    for (let step = 1; step <= order.length; step += 1) {
      const next = (place + step) % order.length;
      if (list.verdict[order[next]] < 0) {
        place = next;
        return show();
      }
    }
    return place < order.length - 1 ? move(1) : show();
  }

  async function keep(row, id, word, remark, seconds) {
    const judged = await post({ id, verdict: word, remark, seconds });
    const before = list.verdict[row];
    list.verdict[row] = word ? WORDS.indexOf(word) : -1;
    Panel.summary(judged, list.kinds);
    if (isRejected(before) !== isRejected(list.verdict[row])) scoresAreOld(judged);
  }

  // Scores of roads are measured again, which takes its time: in the background, or on demand where it is long.
  const PATIENCE = 10;
  const REJECTED = ["not-an-error", "reference-is-wrong"].map((word) => WORDS.indexOf(word));
  const isRejected = (verdict) => REJECTED.includes(verdict);
  let measuring = false;
  let waiting = false;
  const measure = guarded(async () => {
    waiting = measuring;
    if (measuring) return;
    measuring = true;
    Panel.scoresState("measuring …");
    try {
      const judged = await ask("scores");
      Panel.scores(judged, list.scores);
      if (!waiting) Panel.scoresState("");
    } catch (error) {
      Panel.scoresState("measure scores as judged", true);
      throw error;
    } finally {
      measuring = false;
    }
    if (waiting) await measure();
  });

  function scoresAreOld(judged) {
    if (judged.seconds.scores <= PATIENCE || !list.verdict.some(isRejected)) measure();
    else Panel.scoresState(`measure scores as judged (about ${Panel.time(judged.seconds.scores)})`, true);
  }

  let busy = false;
  const judge = guarded(async (word) => {
    if (!current || busy) return;
    busy = true;
    try {
      const { row, id, verdict } = current;
      await keep(row, id, word, at("remark").value, (performance.now() - shownAt) / 1000);
      done.push({ row, id, before: verdict });
      at("undo").disabled = false;
      await onward();
    } finally {
      busy = false;
    }
  });

  const remark = guarded(async () => {
    at("map").focus();
    if (!current?.verdict) return;
    const { row, id, verdict } = current;
    const text = at("remark").value;
    if (text === verdict.remark) return;
    await keep(row, id, verdict.verdict, text, null);
    done.push({ row, id, before: verdict });
    current.verdict = { ...verdict, remark: text };
    at("undo").disabled = false;
  });

  const undo = guarded(async () => {
    const last = done.pop();
    at("undo").disabled = done.length === 0;
    if (!last) return;
    await keep(last.row, last.id, last.before?.verdict ?? "", last.before?.remark ?? "", null);
    const there = order.indexOf(last.row);
    if (there < 0) {
      order.splice(place, 0, last.row);
    } else {
      place = there;
    }
    await show();
  });

  const blink = () => at("blink").setAttribute("aria-pressed", String(ErrorMap.blink()));

  const ACTIONS = {
    j: () => move(1), ArrowRight: () => move(1), k: () => move(-1), ArrowLeft: () => move(-1), u: undo, b: blink,
    "+": () => ErrorMap.zoom(1.4), "=": () => ErrorMap.zoom(1.4), "-": () => ErrorMap.zoom(1 / 1.4), 0: () => ErrorMap.home(),
    m: () => at("remark").focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target;
    if (target === at("remark")) {
      if (event.key === "Escape") {
        at("remark").value = current?.verdict?.remark ?? "";
        at("map").focus();
      } else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        remark();
      }
      return;
    }
    if (target.matches("select, input")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in KEYS) {
      event.preventDefault();
      judge(WORDS[KEYS[key]]);
    } else if (key in ACTIONS) {
      event.preventDefault();
      ACTIONS[key]();
    }
  });

  for (const button of document.querySelectorAll("#verdicts button")) button.addEventListener("click", () => judge(button.dataset.word));
  for (const [id, action] of Object.entries({
    measure, next: () => move(1), previous: () => move(-1), undo, blink, closer: () => ErrorMap.zoom(1.4),
    farther: () => ErrorMap.zoom(1 / 1.4), home: () => ErrorMap.home(),
  })) at(id).addEventListener("click", action);
  // Fetched first, so that what cannot be written is said here and not by a broken file.
  const save = guarded(async (link) => {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error((await answer.text()).trim());
    const made = document.createElement("a");
    made.href = URL.createObjectURL(await answer.blob());
    made.download = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "review";
    made.click();
    setTimeout(() => URL.revokeObjectURL(made.href), 60000);
  });
  for (const link of document.querySelectorAll("#exports a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      save(link);
    });
  }
  at("by-severity").addEventListener("input", () => { at("severity-value").textContent = at("by-severity").value; });
  for (const id of ["by-kind", "by-class", "by-verdict", "by-severity", "order"]) {
    at(id).addEventListener("change", () => filter(current?.row ?? null));
  }
  ErrorMap.onNeed(guarded(async (box, scene) => {
    const names = ["xmin", "ymin", "xmax", "ymax"];
    const around = await ask(`around?${names.map((name, k) => `${name}=${box[k]}`).join("&")}`);
    ErrorMap.add(around, scene);
    mapNote(around);
  }));

  await guarded(async () => {
    const [listed, judged] = await Promise.all([ask("list"), ask("judged")]);
    list = listed;
    ErrorMap.unit = list.unit;
    document.title = `Review of ${list.title}`;
    at("title").textContent = `Review of ${list.title}`;
    const counts = list.kinds.map((kind) => judged.kinds[kind.name].listed);
    Panel.choices(at("by-kind"), [["", "all"], ...list.kinds.map((kind, k) => [k, `${kind.label} (${number(counts[k])})`])]);
    Panel.choices(at("by-class"), [["", "all"], ...list.classes.map((name, k) => [k, name || "unknown"])]);
    at("class-label").hidden = list.classes.length < 2;
    Panel.summary(judged, list.kinds);
    Panel.scores({ ...judged, as_judged: judged.as_given }, list.scores);
    scoresAreOld(judged);
    await filter();
    at("map").focus();
    document.documentElement.dataset.ready = "";
  })();
})();
