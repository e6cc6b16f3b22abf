// The page is whole without this; here it is made to answer. Text goes in as text, never as HTML.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const COLOURS = 8;
  const TOLD = 0.005; // shares below this would read 0 %
  const byId = (id) => document.getElementById(id);
  const all = (query) => Array.from(document.querySelectorAll(query));
  const state = { cluster: null, show: "all", row: null };

  // Building blocks

  function element(tag, properties, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name === "style") Object.assign(made.style, value);
      else if (name in made) made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  function number(value) {
    if (value === null) return "–";
    const size = Math.abs(value);
    if (size && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
    if (size >= 1e3 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(3)));
  }

  const percent = (share) => (100 * share).toFixed(1) + "\u00a0%";
  const label = (value) => (value === null ? "–" : data.labels ? data.labels[value] : number(value));
  const colour = (code) => (code < COLOURS ? "c" + code : "c-rest");

  // Selecting a cluster: card, row of the heat map and rows to look up go together

  function pick(cluster) {
    state.cluster = cluster === state.cluster ? null : cluster;
    for (const button of all("[data-pick]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.pick) === state.cluster));
    }
    for (const part of all("[data-cluster]")) {
      part.classList.toggle("picked", Number(part.dataset.cluster) === state.cluster);
    }
    byId("show-cluster").value = state.cluster === null ? "" : String(state.cluster);
    byId("unpick").hidden = state.cluster === null;
    const count = matching().length;
    byId("picked").textContent =
      state.cluster === null
        ? "Select a cluster to follow it through the page."
        : "Cluster " + state.cluster + " is selected: " + count + (count === 1 ? " row" : " rows") + " to look up below.";
    list();
  }

  function followClusters() {
    for (const button of all("[data-pick]")) {
      button.disabled = false;
      button.addEventListener("click", () => pick(Number(button.dataset.pick)));
    }
    const chooser = byId("show-cluster");
    if (!chooser) return;
    byId("unpick").addEventListener("click", () => pick(state.cluster));
    chooser.addEventListener("change", () => pick(chooser.value === "" ? state.cluster : Number(chooser.value)));
  }

  // Filtering features by text

  function filterFeatures(text) {
    const wanted = text.trim().toLowerCase();
    const has = (part) => part.dataset.feature.toLowerCase().includes(wanted);
    const listed = all(".importances [data-feature]");
    for (const part of listed.concat(all(".heat [data-feature]"))) part.hidden = !has(part);
    for (const part of all(".card [data-feature]")) part.classList.toggle("match", wanted !== "" && has(part));
    const found = listed.filter(has).length;
    byId("feature-count").textContent = wanted === "" ? "" : found + " of " + listed.length + " listed";
    const more = byId("more-features");
    if (more) more.open = wanted !== "";
  }

  // Looking up a row

  function matching() {
    return data.rows.filter(
      (row) =>
        (state.show === "all" || row.wrong === (state.show === "wrong")) &&
        (state.cluster === null || (row.clusters && row.clusters[0].cluster === state.cluster))
    );
  }

  function list() {
    const rows = matching();
    const chooser = byId("row-list");
    chooser.replaceChildren(
      ...rows.map((row) => {
        const said = row.unseen === null ? row.predicted : row.unseen;
        const text = "Row " + row.row + ": " + label(row.truth);
        return element("option", { value: String(row.row) }, row.wrong || !data.labels ? text + " (said " + label(said) + ")" : text);
      })
    );
    byId("row-count").textContent = rows.length === 1 ? "1 row" : rows.length + " rows";
    const kept = rows.find((row) => row.row === state.row) || rows[0];
    show(kept ? kept.row : null);
  }

  function show(number) {
    const row = data.rows.find((each) => each.row === number);
    state.row = row ? row.row : null;
    byId("row-list").value = row ? String(row.row) : "";
    byId("row-number").value = row ? String(row.row) : "";
    byId("row-detail").replaceChildren(...(row ? detail(row) : [element("p", {}, "No such row.")]));
  }

  function detail(row) {
    const answer = (words, value, wrong) =>
      element("p", { className: "answer" + (wrong ? " wrong" : "") }, words, element("b", {}, label(value)));
    const parts = [element("h3", {}, "Row " + row.row), answer("Truth: ", row.truth, false)];
    parts.push(answer("The model says: ", row.predicted, Boolean(data.labels) && row.predicted !== row.truth));
    if (row.unseen !== null && row.unseen !== row.predicted) {
      parts.push(answer("When it had not seen this row, it said: ", row.unseen, row.wrong));
    }
    const told = (row.clusters || []).filter((reason, rank) => rank === 0 || reason.membership >= TOLD);
    parts.push(...told.map(because));
    if (row.values) {
      const cells = data.features.map((name, i) =>
        element("div", {}, element("dt", { title: name }, name), element("dd", { title: row.values[i] }, row.values[i]))
      );
      parts.push(element("dl", { className: "cells" }, ...cells));
    }
    return parts;
  }

  function because(reason) {
    const most = Math.max(...reason.features.map((each) => Math.abs(each.pull)), Number.MIN_VALUE);
    const away = reason.features.some((each) => each.pull < 0);
    const pulls = reason.features.map((each) => {
      const title = each.feature + ": adds " + number(each.contribution) + " to the distance, pull " + number(each.pull);
      const bar = element("i", { className: each.pull < 0 ? "away" : "", style: { width: (100 * Math.abs(each.pull)) / most + "%" } });
      return element(
        "li",
        { title, "data-pull": String(each.pull) },
        element("span", { className: "name" }, each.feature),
        element("span", { className: "value" }, each.value),
        element("span", { className: "track" }, bar)
      );
    });
    return element(
      "div",
      { className: "reason" },
      element("h4", {}, percent(reason.membership) + " in cluster " + reason.cluster + words(reason.says)),
      ...saying(reason.says),
      element("p", {}, "Features that drew it there" + (away ? " (blue: kept it away)" : "") + ", and its values:"),
      element("ul", { className: "pulls" }, ...pulls)
    );
  }

  const words = (says) => (says.numbers ? ", which says " + says.numbers.map(number).join(" · ") : "");

  function saying(says) {
    if (says.numbers) return [];
    const parts = says.mix.map((part) => [data.labels[part.class], part.share, colour(part.class)]);
    if (says.rest > 0) parts.push(["others", says.rest, "c-rest"]);
    const shown = parts.filter((part) => part[1] >= TOLD);
    const bar = shown.map(([name, share, kind]) =>
      element("span", { className: kind, title: name + ": " + percent(share), style: { flexGrow: String(share) } })
    );
    const key = shown.map(([name, share, kind]) =>
      element("li", {}, element("span", { className: "swatch " + kind }), name + " ", element("b", {}, percent(share)))
    );
    return [element("div", { className: "mix", "aria-hidden": "true" }, ...bar), element("ul", { className: "legend" }, ...key)];
  }

  function step(by) {
    const rows = matching();
    const here = rows.findIndex((row) => row.row === state.row);
    const next = rows[Math.min(Math.max(here + by, 0), rows.length - 1)];
    if (next) show(next.row);
  }

  function goTo(text) {
    if (text === "") return;
    const wanted = Number(text);
    const nearest = data.rows.reduce((best, row) => (Math.abs(row.row - wanted) < Math.abs(best.row - wanted) ? row : best));
    show(nearest.row);
    byId("row-count").textContent =
      nearest.row === wanted ? "Row " + wanted : "Row " + text + " is not in the sample; this is the nearest one.";
  }

  function lookUp() {
    byId("row-list").addEventListener("change", (event) => show(Number(event.target.value)));
    byId("show-rows").addEventListener("change", (event) => {
      state.show = event.target.value;
      list();
    });
    byId("row-number").addEventListener("change", (event) => goTo(event.target.value));
    byId("previous-row").addEventListener("click", () => step(-1));
    byId("next-row").addEventListener("click", () => step(1));
    list();
  }

  // On paper nothing can be unfolded

  function unfoldOnPaper() {
    let folded = [];
    window.addEventListener("beforeprint", () => {
      folded = all("details:not([open])");
      for (const each of folded) each.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const each of folded) each.open = false;
    });
  }

  document.documentElement.classList.add("js");
  for (const part of all(".needs-js")) part.hidden = false;
  for (const part of all(".without-js")) part.classList.add("on-paper");
  followClusters();
  const filter = byId("feature-filter");
  if (filter) filter.addEventListener("input", () => filterFeatures(filter.value));
  lookUp();
  unfoldOnPaper();
})();
