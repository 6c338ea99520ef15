"use strict";
// The words and tables beside the map. Text of files and people is set as text, never as markup.

const Panel = (() => {
  const at = (id) => document.getElementById(id);
  const VERDICTS = { "error": "an error", "not-an-error": "not an error", "reference-is-wrong": "reference is wrong", "later": "later" };

  const fill = (list, rows) => list.replaceChildren(...rows);
  function element(name, text, className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function number(value, digits = 0) {
    return value === null || value === undefined ? "" : value.toLocaleString("en", { maximumFractionDigits: digits });
  }

  function facts(found, kind, unit, length) {
    at("kind").textContent = kind.label;
    at("about").textContent = kind.about;
    at("note").textContent = found.note || "";
    at("dot").style.background = kind.colour;
    at("swatch").style.borderTopColor = kind.colour;
    at("swatch-label").textContent = kind.label.toLowerCase();
    const rows = [
      [length, found.length_m === null ? "" : `${number(found.length_m, 1)} ${unit}`],
      ["distance", found.dist_m === null ? "" : `${number(found.dist_m, 1)} ${unit}`],
      ["severity", number(found.severity, 2)], ["how sure", number(found.confidence, 2)],
      ["gain", found.gain === null ? "" : `${found.gain >= 0 ? "+" : ""}${found.gain.toFixed(4)}`],
      ["class", found.class], ["in the reference", found.ref_id], ["in the prediction", found.pred_id],
      ["found by", found.metric],
    ];
    fill(at("facts"), rows.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  }

  function verdict(given) {
    for (const button of document.querySelectorAll("#verdicts button")) {
      button.setAttribute("aria-pressed", String(given !== null && button.dataset.word === given.verdict));
    }
    const how = { id: "carried over from an earlier run", place: "carried over from the same place in an earlier run" };
    const words = given === null ? ["not judged yet"] : [`judged: ${VERDICTS[given.verdict]}`, how[given.carried], given.judged_by && `by ${given.judged_by}`];
    at("given").textContent = words.filter(Boolean).join(", ");
  }

  function time(seconds) {
    if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
    return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${number(seconds / 3600, 1)} h`;
  }

  function summary(judged, kinds) {
    const done = judged.listed - judged.left;
    at("progress").setAttribute("aria-valuemax", judged.listed);
    at("progress").setAttribute("aria-valuenow", done);
    at("bar").style.width = `${judged.listed ? (100 * done) / judged.listed : 100}%`;
    const pace = judged.seconds.left ? `, about ${time(judged.seconds.left)}` : "";
    at("left").textContent = judged.left ? `${number(judged.left)} of ${number(judged.listed)} left${pace}` : `all ${number(judged.listed)} judged`;
    fill(at("precision").tBodies[0], kinds.map((kind) => {
      const own = judged.kinds[kind.name];
      const row = element("tr", "");
      const share = (value) => `${Math.round(100 * value)} %`;
      row.append(element("td", kind.label), element("td", `${number(own.judged)} of ${number(own.listed)}`),
        element("td", number(own["reference-is-wrong"])),
        element("td", own.precision === null ? "" : `${share(own.precision)} (${share(own.interval[0])}–${share(own.interval[1])})`));
      return row;
    }));
  }

  function scores(judged, headlines) {
    const without = [];
    fill(at("scores").tBodies[0], headlines.flatMap(({ metric, score, about }) => {
      const given = judged.as_given[metric][score];
      const now = judged.as_judged[metric][score];
      if (now === null && given !== null) {
        without.push(`${metric} ${score} ${given.toFixed(4)}`);
        return [];
      }
      const row = element("tr", "");
      row.title = about;
      row.append(element("td", `${metric} ${score}`), element("td", given === null ? "–" : given.toFixed(4)),
        element("td", now === null ? "–" : now.toFixed(4), now === given ? "" : "changed"));
      return [row];
    }));
    const reasons = new Map();
    for (const [name, why] of Object.entries(judged.notes)) reasons.set(why, [...(reasons.get(why) ?? []), name]);
    at("unjudged").hidden = reasons.size === 0;
    fill(at("reasons"), [
      ...(without.length ? [element("p", `Only as given: ${without.join(", ")}.`)] : []),
      ...[...reasons].map(([why, names]) => element("p", `${names.join(", ")}: ${why}.`)),
    ]);
  }

  // What the scores as judged are doing: nothing, being measured, or waiting for a click.
  function scoresState(text, isButton = false) {
    at("scores-state").textContent = isButton ? "" : text;
    at("measure").hidden = !isButton;
    at("measure").textContent = isButton ? text : "";
    at("scores").classList.toggle("old", text !== "");
  }

  function choices(list, options) {
    fill(list, options.map(([value, text]) => {
      const made = element("option", text);
      made.value = value;
      return made;
    }));
  }

  function trouble(message) {
    at("trouble").textContent = message;
    at("trouble").hidden = !message;
  }

  return { at, facts, verdict, summary, scores, scoresState, time, choices, trouble, number };
})();
