"use strict";
// Filters and sorts the findings of one run. No library, no network, no markup made from data: text nodes only.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SIZE = 100;
  const RANK = ["critical", "high", "medium", "low", "info"];
  const FILTERS = ["q", "code", "severity", "game", "table", "money"];
  const at = Object.fromEntries(data.columns.map((name, place) => [name, place]));
  const form = document.getElementById("filters");
  const body = document.querySelector("#rows tbody");
  const start = { lang: data.lang, view: "findings", sort: "", desc: "", page: "0", q: "", code: "", severity: "", game: "",
    table: "", money: "" };
  let state = { ...start };
  let drawn = "";

  const label = (name) => data.labels[state.lang][name];
  const word = (token) => (data.words[state.lang][token] || token);
  const cell = (row, name) => row[at[name]];
  const said = (row) => cell(row, "message_" + state.lang);

  // Every time of a finding is Macau's, so that the offset says nothing more.
  const printed = (name, value) => (name === "occurred_at" ? String(value).replace("T", " ").replace("+08:00", "") : word(String(value)));

  function element(name, text, properties) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    return Object.assign(made, properties || {});
  }

  // Amounts stay decimal text from file to screen; only their order is compared as a number.
  function money(text) {
    if (text === null) return "";
    const [whole, fraction] = text.replace("-", "").split(".");
    const portuguese = state.lang === "pt";
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, portuguese ? "\u00a0" : ",");
    return (text.startsWith("-") ? "\u2212" : "") + grouped + (fraction ? (portuguese ? "," : ".") + fraction : "");
  }

  function read() {
    const hash = location.hash;
    if (hash.startsWith("#/")) state = { ...start, ...Object.fromEntries(new URLSearchParams(hash.slice(2))) };
    if (!data.labels[state.lang]) state.lang = data.lang;
  }

  function write(change) {
    state = { ...state, ...change };
    const kept = Object.entries(state).filter(([name, value]) => value !== start[name]);
    history.replaceState(null, "", "#/" + new URLSearchParams(kept));
    draw();
  }

  function chosen() {
    const wanted = state.q.toLocaleLowerCase();
    const rows = data.rows.filter((row) => {
      const amount = cell(row, "amount");
      return (!state.code || cell(row, "code") === state.code)
        && (!state.severity || cell(row, "severity") === state.severity)
        && (!state.game || cell(row, "game") === state.game)
        && (!state.table || (cell(row, "table_id") || "") === state.table)
        && (!state.money || (amount !== null && (state.money === "over" ? Number(amount) > 0 : Number(amount) < 0)))
        && (!wanted || row.some((value) => value !== null && String(value).toLocaleLowerCase().includes(wanted)));
    });
    if (state.sort) {
      const key = (row) => {
        const value = cell(row, state.sort);
        if (state.sort === "severity") return RANK.indexOf(value);
        if (state.sort === "amount") return value === null ? null : Number(value);
        return value;
      };
      const sign = state.desc ? -1 : 1;
      const compare = (a, b) => {
        if (a === b) return 0;
        if (a === null) return 1;
        if (b === null) return -1;
        return (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b) * sign;
      };
      rows.sort((a, b) => compare(key(a), key(b)));
    }
    return rows;
  }

  function options(name, values, text) {
    const select = form.elements[name];
    const all = element("option", label("all"), { value: "" });
    select.replaceChildren(all, ...values.map((value) => element("option", text(value), { value })));
    select.value = state[name];
  }

  const distinct = (name) => [...new Set(data.rows.map((row) => cell(row, name)).filter((value) => value !== null))];

  function labels() {
    document.documentElement.lang = data.html[state.lang];
    for (const node of document.querySelectorAll("[data-label]")) node.textContent = label(node.dataset.label);
    for (const node of document.querySelectorAll("[data-view]")) node.textContent = label(node.dataset.view);
    const natural = (a, b) => a.localeCompare(b, undefined, { numeric: true });
    options("code", distinct("code").sort(), (code) => code + " " + (data.checks[state.lang][code] || ""));
    options("severity", RANK.filter((key) => distinct("severity").includes(key)), word);
    options("game", distinct("game").sort(), word);
    options("table", distinct("table_id").sort(natural), (name) => name);
    options("money", ["over", "under"], label);
    form.elements.q.value = state.q;
    const cut = document.getElementById("cut");
    cut.hidden = !data.cut;
    cut.textContent = label("cut");
  }

  function heads() {
    const line = document.querySelector("#rows thead tr");
    line.replaceChildren(...data.shown.map((name) => {
      const head = element("th", null, { scope: "col" });
      if (name === "amount") head.className = "n";
      const sorted = state.sort === name;
      if (sorted) head.setAttribute("aria-sort", state.desc ? "descending" : "ascending");
      const button = element("button", label("col_" + name) + (sorted ? (state.desc ? " ▼" : " ▲") : ""), { type: "button" });
      button.addEventListener("click", () => write({ sort: name, desc: sorted && !state.desc ? "1" : "", page: "0" }));
      head.append(button);
      return head;
    }));
  }

  function shown(row, name) {
    if (name === "message") return element("td", said(row), { className: "said" });
    const value = cell(row, name);
    if (name === "amount") {
      const currency = value === null ? "" : (cell(row, "currency") || "") + "\u00a0";
      return element("td", currency + money(value), { className: "n" });
    }
    return element("td", value === null ? "" : printed(name, value), { className: name === "message" ? "said" : "code" });
  }

  function detail(row) {
    const list = element("dl");
    for (const name of data.columns) {
      const value = cell(row, name);
      if (value === null || name.startsWith("message_")) continue;
      list.append(element("dt", label("col_" + name)), element("dd", name === "amount" ? money(value) : printed(name, value)));
    }
    const place = element("td", null, { colSpan: data.shown.length });
    place.append(list);
    const line = element("tr", null, { className: "detail" });
    line.append(place);
    return line;
  }

  function line(row) {
    const made = element("tr", null, { className: "row", tabIndex: 0 });
    made.append(...data.shown.map((name) => shown(row, name)));
    const toggle = () => {
      if (made.nextElementSibling && made.nextElementSibling.className === "detail") made.nextElementSibling.remove();
      else made.after(detail(row));
    };
    made.addEventListener("click", toggle);
    made.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(); });
    return made;
  }

  function draw() {
    const findings = state.view !== "report";
    document.getElementById("findings").hidden = !findings;
    document.getElementById("report").hidden = findings;
    for (const part of document.querySelectorAll("[data-part]")) part.hidden = part.dataset.part !== state.lang;
    for (const node of document.querySelectorAll("[data-view]")) {
      node.setAttribute("aria-pressed", String(node.dataset.view === (findings ? "findings" : "report")));
    }
    for (const node of document.querySelectorAll("button[data-lang]")) {
      node.setAttribute("aria-pressed", String(node.dataset.lang === state.lang));
    }
    if (drawn !== state.lang) labels();
    drawn = state.lang;
    heads();
    const rows = chosen();
    const pages = Math.max(Math.ceil(rows.length / SIZE), 1);
    const page = Math.min(Number(state.page) || 0, pages - 1);
    body.replaceChildren(...rows.slice(page * SIZE, (page + 1) * SIZE).map(line));
    document.getElementById("count").textContent = label("count").replace("{n}", rows.length).replace("{all}", data.rows.length);
    document.getElementById("pages").hidden = pages === 1;
    document.querySelector("#pages span").textContent = page + 1 + " / " + pages;
  }

  form.addEventListener("input", () => {
    write({ ...Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value])), page: "0" });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of FILTERS) form.elements[name].value = "";
    write({ ...Object.fromEntries(FILTERS.map((name) => [name, ""])), page: "0" });
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.view) write({ view: button.dataset.view });
    if (button.dataset.lang) write({ lang: button.dataset.lang });
    if (button.dataset.page) write({ page: String(Math.max(Number(state.page) + Number(button.dataset.page), 0)) });
  });
  window.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#/")) { read(); draw(); }
  });
  read();
  draw();
})();
