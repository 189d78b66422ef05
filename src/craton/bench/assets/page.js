"use strict";
// The page of a campaign. All state is in `state`, and in the address, so that a view can be bookmarked and sent; `draw` shows
// it. Text from the results is only ever set as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const STATUSES = ["correct-true", "correct-false", "wrong-true", "wrong-false", "done-true", "done-false", "timeout", "memory",
  "error", "unknown"];
const WORDS = { "correct-true": "correct true", "correct-false": "correct false", "wrong-true": "WRONG true",
  "wrong-false": "WRONG false", "done-true": "true (unjudged)", "done-false": "false (unjudged)", timeout: "timeout",
  memory: "out of memory", error: "error", unknown: "unknown" };
const SOLVED = new Set(["correct-true", "correct-false", "done-true", "done-false"]);
const WRONG = new Set(["wrong-true", "wrong-false"]);
const PAGE = 250; // rows that are made at once; more follow when they come into sight

const tasks = data.tasks.map(([name, category, property, expected], index) => ({ index, name, category, property, expected, runs: [] }));
const runs = data.runs.map(([task, config, status, verdict, reason, score, cpu, wall, memory, iterations, perfect, log, evidence, report, by, bySeconds, proof, check]) => {
  const run = { task: tasks[task], config, status, verdict, reason, score, cpu, wall, memory, iterations, perfect, log, evidence, report, by, bySeconds, proof, check };
  run.text = `${run.task.name} ${run.task.property} ${verdict} ${reason} ${by}`.toLowerCase();
  run.task.runs[config] = run;
  return run;
});
const properties = new Set(tasks.map((task) => task.property));

const METRICS = {
  cpu: { title: "CPU time", unit: "s", scale: "log", floor: 0.01, of: (run) => run.cpu },
  wall: { title: "wall time", unit: "s", scale: "log", floor: 0.01, of: (run) => run.wall },
  memory: { title: "memory", unit: "MiB", scale: "log", floor: 1, of: (run) => run.memory / 2 ** 20 },
  iterations: { title: "iterations", unit: "", scale: "linear", of: (run) => run.iterations },
  perfect: { title: "perfect sequences", unit: "%", scale: "linear", of: (run) => run.perfect },
};

// --- state -----------------------------------------------------------------------------------------------------------------

const state = { q: "", category: new Set(), config: new Set(), status: new Set(), split: "", quantile: "cpu", scatter: "cpu",
  x: 0, y: Math.min(1, data.configs.length - 1), view: "runs", sort: "task", down: "" };
const CHOICES = { category: data.categories, config: data.configs.map((config) => config.name), status: STATUSES };

function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(CHOICES)) {
    state[name] = new Set(said.getAll(name).map((value) => CHOICES[name].indexOf(value)).filter((index) => index >= 0));
  }
  for (const name of ["x", "y"]) {
    const index = CHOICES.config.indexOf(said.get(name));
    if (index >= 0) state[name] = index;
  }
  for (const name of ["quantile", "scatter"]) if (said.get(name) in METRICS) state[name] = said.get(name);
  state.q = said.get("q") ?? "";
  state.split = said.get("split") ?? "";
  state.view = said.get("view") === "tasks" ? "tasks" : "runs";
  state.sort = said.get("sort") ?? "task";
  state.down = said.get("down") ?? "";
}

function writeAddress() {
  const said = new URLSearchParams();
  for (const name of ["q", "split", "down"]) if (state[name]) said.set(name, state[name]);
  for (const name of Object.keys(CHOICES)) for (const index of state[name]) said.append(name, CHOICES[name][index]);
  for (const name of ["quantile", "scatter"]) if (state[name] !== "cpu") said.set(name, state[name]);
  if (state.x !== 0) said.set("x", CHOICES.config[state.x]);
  if (state.y !== Math.min(1, data.configs.length - 1)) said.set("y", CHOICES.config[state.y]);
  if (state.view !== "runs") said.set("view", state.view);
  if (state.sort !== "task") said.set("sort", state.sort);
  history.replaceState(null, "", "#" + said);
}

// An empty choice is no restriction. `except` leaves one filter out: its chips count what choosing them would show.
function passes(run, words, except) {
  return (except === "category" || !state.category.size || state.category.has(run.task.category))
    && (except === "config" || !state.config.size || state.config.has(run.config))
    && (except === "status" || !state.status.size || state.status.has(run.status))
    && words.every((word) => run.text.includes(word));
}

const searched = () => state.q.toLowerCase().split(/\s+/).filter(Boolean);

// --- making elements -------------------------------------------------------------------------------------------------------

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function drawn(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);
const tone = (config) => `var(--c${config % 12})`;
const dashes = (config) => (config < 12 ? "" : "5 3");

function number(value) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

const mebibytes = (bytes) => (bytes ? String(Math.round(bytes / 2 ** 20)) : "");

// --- filters ---------------------------------------------------------------------------------------------------------------

function drawChips(words) {
  for (const [name, labels] of Object.entries(CHOICES)) {
    const counts = new Array(labels.length).fill(0);
    const present = new Set();
    for (const run of runs) {
      const index = name === "category" ? run.task.category : run[name];
      present.add(index);
      if (passes(run, words, name)) counts[index] += 1;
    }
    const chips = labels.map((label, index) => {
      if (!present.has(index)) return null;
      const dot = name === "status" ? make("span", { class: `dot ${label}` })
        : name === "config" ? make("span", { class: "dot", style: `--tone: ${tone(index)}` }) : null;
      const chip = make("button", { type: "button", class: counts[index] ? "chip" : "chip empty", "data-value": label,
        "aria-pressed": String(state[name].has(index)),
        onclick: () => { state[name].has(index) ? state[name].delete(index) : state[name].add(index); draw(); } },
      dot, name === "status" ? WORDS[label] : label, make("span", { class: "n" }, String(counts[index])));
      return chip;
    });
    byId(`by-${name}`).replaceChildren(...chips.filter(Boolean));
  }
}

// --- summary ---------------------------------------------------------------------------------------------------------------

const COUNTED = [
  ["runs", () => true], ["correct true", (run) => run.word === "correct-true"], ["correct false", (run) => run.word === "correct-false"],
  ["wrong", (run) => WRONG.has(run.word)], ["unjudged", (run) => run.word.startsWith("done")], ["timeout", (run) => run.word === "timeout"],
  ["memory", (run) => run.word === "memory"], ["error", (run) => run.word === "error"], ["unknown", (run) => run.word === "unknown"],
];
for (const run of runs) run.word = STATUSES[run.status];

function drawSummary(shown) {
  const used = COUNTED.filter(([title, counts]) => !["unjudged", "error"].includes(title) || runs.some(counts));
  const head = make("tr", {}, make("th", {}, "configuration"), ...used.map(([title]) => make("th", { class: "num" }, title)),
    make("th", { class: "num" }, "score"), make("th", { class: "num" }, "CPU (s)"), make("th", {}, shown.some((run) => run.word === "unknown") ? "why unknown" : ""));
  const rows = [];
  if (state.split) {
    data.categories.forEach((category, index) => {
      const inside = shown.filter((run) => run.task.category === index);
      if (!inside.length) return;
      rows.push(make("tr", { class: "group" }, make("td", { colspan: used.length + 4 }, category)), ...summaryRows(inside, used));
    });
    rows.push(make("tr", { class: "group" }, make("td", { colspan: used.length + 4 }, "all of them")));
  }
  rows.push(...summaryRows(shown, used));
  byId("summary").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

function summaryRows(chosen, used) {
  return data.configs.map((config, index) => {
    const mine = chosen.filter((run) => run.config === index);
    if (!mine.length) return null;
    const cells = used.map(([title, counts]) => {
      const count = mine.filter(counts).length;
      return make("td", { class: `num ${count ? "" : "zero"} ${title === "wrong" && count ? "alarm" : ""}` }, String(count));
    });
    const score = mine.reduce((sum, run) => sum + run.score, 0);
    const cpu = mine.reduce((sum, run) => sum + run.cpu, 0);
    return make("tr", {}, make("td", { class: "nowrap", title: config.options }, make("span", { class: "dot", style: `--tone: ${tone(index)}` }), config.name),
      ...cells, make("td", { class: "num" }, String(score)), make("td", { class: "num" }, cpu.toFixed(cpu < 100 ? 1 : 0)),
      make("td", { class: "why" }, why(mine)));
  }).filter(Boolean);
}

function why(chosen) {
  const counts = new Map();
  for (const run of chosen) if (run.word === "unknown") counts.set(data.reasons[run.task.index]?.[run.config] ?? "", 0);
  for (const run of chosen) {
    if (run.word !== "unknown") continue;
    const kind = data.reasons[run.task.index]?.[run.config] ?? "";
    counts.set(kind, counts.get(kind) + 1);
  }
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const told = ranked.slice(0, 3).map(([kind, count]) => `${count} × ${kind}`);
  const others = ranked.slice(3).reduce((sum, entry) => sum + entry[1], 0);
  return (others ? [...told, `${others} × other reasons`] : told).join("; ");
}

// --- plots -----------------------------------------------------------------------------------------------------------------

const FRAME = { width: 600, height: 470, left: 62, right: 14, top: 10, bottom: 44 };

// A scale maps values to positions from `from` to `to`; ticks are round numbers.
function scaleFor(metric, values, from, to) {
  if (metric.scale === "linear") {
    const most = metric.unit === "%" ? 100 : Math.max(1, ...values);
    return { at: (value) => from + (to - from) * (value / most), ticks: roundSteps(most) };
  }
  const low = Math.log10(Math.max(metric.floor, Math.min(...values)));
  const high = Math.log10(Math.max(metric.floor * 1.01, ...values));
  const bottom = low - 0.05 * (high - low) - 0.02, top = high + 0.05 * (high - low) + 0.02;
  const ticks = top - bottom < 0.7 ? between(10 ** bottom, 10 ** top) : powers(bottom, top);
  return { at: (value) => from + (to - from) * ((Math.log10(Math.max(metric.floor, value)) - bottom) / (top - bottom)), ticks };
}

// Powers of ten in a range of logarithms, with what lies between them if there are few.
function powers(bottom, top) {
  const found = [];
  for (let power = Math.floor(bottom); power <= top; power += 1) {
    for (const step of top - bottom < 3 ? [1, 2, 5] : [1]) found.push(step * 10 ** power);
  }
  return found.filter((tick) => Math.log10(tick) >= bottom && Math.log10(tick) <= top);
}

// About five round numbers: a range so narrow may contain no power of ten.
function between(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, index) => (first + index) * step);
}

function roundSteps(most) {
  const rough = most / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

const tickText = (value) => String(Number(value.toPrecision(6)));

function axes(svg, x, y, xTitle, yTitle, frame) {
  const { width, height, left, right, top, bottom } = frame;
  for (const tick of y.ticks) {
    svg.append(drawn("line", { class: "grid", x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick) }),
      drawn("text", { x: left - 7, y: y.at(tick) + 4, "text-anchor": "end" }, tickText(tick)));
  }
  for (const tick of x.ticks) {
    svg.append(drawn("line", { class: "grid", y1: top, y2: height - bottom, x1: x.at(tick), x2: x.at(tick) }),
      drawn("text", { x: x.at(tick), y: height - bottom + 17, "text-anchor": "middle" }, tickText(tick)));
  }
  svg.append(drawn("path", { class: "axis", fill: "none", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    drawn("text", { class: "title", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, xTitle),
    drawn("text", { class: "title", x: 0, y: 0, "text-anchor": "middle", transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)` }, yTitle));
}

const titled = (metric) => metric.title + (metric.unit ? ` (${metric.unit})` : "");

function nothing(place, text) {
  place.replaceChildren(make("p", { class: "dim" }, text));
}

function drawQuantile(shown) {
  const place = byId("quantile"), metric = METRICS[state.quantile];
  const curves = data.configs.map((config, index) => ({ index, name: config.name,
    points: shown.filter((run) => run.config === index && SOLVED.has(run.word) && metric.of(run) !== null)
      .map((run) => ({ run, value: metric.of(run) })).sort((a, b) => a.value - b.value) })).filter((curve) => curve.points.length);
  if (!curves.length) return nothing(place, "Nothing is solved here.");
  const { width, height, left, right, top, bottom } = FRAME;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `quantile plot of ${metric.title}` });
  const values = curves.flatMap((curve) => curve.points.map((point) => point.value));
  const x = scaleFor({ scale: "linear", unit: "" }, curves.map((curve) => curve.points.length), left, width - right);
  const y = scaleFor(metric, values, height - bottom, top);
  axes(svg, x, y, "solved", titled(metric), FRAME);
  for (const curve of curves) {
    const d = curve.points.map((point, n) => `${n ? "L" : "M"}${x.at(n + 1).toFixed(1)} ${y.at(point.value).toFixed(1)}`).join("");
    svg.append(drawn("path", { class: "curve", stroke: tone(curve.index), "stroke-dasharray": dashes(curve.index), "data-config": curve.name, d }));
    const every = Math.ceil(curve.points.length / 150); // of long curves not each point is marked
    curve.points.forEach((point, n) => (n + 1) % every || svg.append(drawn("circle", { class: "point", cx: x.at(n + 1).toFixed(1), cy: y.at(point.value).toFixed(1),
      r: 2.6, fill: tone(curve.index),
      ...tipping(`${curve.name}\n${n + 1}: ${point.run.task.name}\n${number(point.value)} ${metric.unit}`, point.run.task) })));
  }
  place.replaceChildren(svg, make("div", { class: "legend" }, ...curves.map((curve) => make("span", {},
    drawn("svg", {}, drawn("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: tone(curve.index), "stroke-width": 2.5, "stroke-dasharray": dashes(curve.index) })),
    `${curve.name} (${curve.points.length})`))));
}

// One point for each task that at least one of the two has solved. What is not solved lies in the margin beyond the last tick.
function drawScatter(words) {
  const place = byId("scatter"), note = byId("scatter-note"), metric = METRICS[state.scatter];
  const [xName, yName] = [CHOICES.config[state.x], CHOICES.config[state.y]];
  note.textContent = "";
  const points = [];
  for (const task of tasks) {
    const [a, b] = [task.runs[state.x], task.runs[state.y]];
    if (!a || !b || !(passes(a, words, "config") || passes(b, words, "config"))) continue;
    const [x, y] = [a, b].map((run) => (SOLVED.has(run.word) ? metric.of(run) : null));
    const wrong = WRONG.has(a.word) || WRONG.has(b.word);
    if (x !== null || y !== null || wrong) points.push({ task, a, b, x, y, wrong });
  }
  const values = points.flatMap((point) => [point.x, point.y]).filter((value) => value !== null);
  if (!values.length) return nothing(place, "Neither has solved anything here.");
  const frame = { width: 540, height: 500, left: 62, right: 28, top: 24, bottom: 44 }, margin = 24;
  const svg = drawn("svg", { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": `scatter plot of ${metric.title}`, style: "max-width: 36rem; margin: 0 auto" });
  const xEnd = frame.width - frame.right, yEnd = frame.top;
  const x = scaleFor(metric, values, frame.left + 2, xEnd - margin), y = scaleFor(metric, values, frame.height - frame.bottom - 2, yEnd + margin);
  svg.append(drawn("rect", { class: "edge", x: xEnd - margin + 4, y: yEnd, width: margin - 4, height: frame.height - frame.bottom - yEnd }),
    drawn("rect", { class: "edge", x: frame.left, y: yEnd, width: xEnd - frame.left, height: margin - 4 }),
    drawn("text", { x: frame.left, y: yEnd - 7 }, `not solved by ${yName}`),
    drawn("text", { transform: `translate(${xEnd + 16} ${frame.height - frame.bottom}) rotate(-90)` }, `not solved by ${xName}`));
  axes(svg, x, y, `${xName}: ${titled(metric)}`, `${yName}: ${titled(metric)}`, frame);
  const low = metric.scale === "log" ? Math.max(metric.floor, Math.min(...values)) : 0, high = Math.max(metric.floor ?? 0, ...values);
  svg.append(drawn("line", { class: "axis", x1: x.at(low), y1: y.at(low), x2: x.at(high), y2: y.at(high) }));
  const guided = metric.scale === "log" && high > 10 * low;
  if (guided) {
    svg.append(drawn("line", { class: "guide", x1: x.at(low), y1: y.at(low * 10), x2: x.at(high / 10), y2: y.at(high) }),
      drawn("line", { class: "guide", x1: x.at(low * 10), y1: y.at(low), x2: x.at(high), y2: y.at(high / 10) }));
  }
  let [less, more, onlyX, onlyY] = [0, 0, 0, 0];
  for (const { task, a, b, x: u, y: v, wrong } of points) {
    if (u !== null && v !== null) { less += u < v; more += v < u; } else { onlyX += u !== null; onlyY += v !== null; }
    const said = (run) => `${CHOICES.config[run.config]}: ${WORDS[run.word]}, ${number(metric.of(run))} ${metric.unit}`;
    svg.append(drawn("circle", { class: "point", r: 4, "fill-opacity": 0.55, cx: (u === null ? xEnd - margin / 2 + 2 : x.at(u)).toFixed(1),
      cy: (v === null ? yEnd + margin / 2 - 2 : y.at(v)).toFixed(1), fill: wrong ? "var(--bad)" : u === null || v === null ? "var(--late)" : "var(--accent)",
      ...tipping(`${task.name}\n${said(a)}\n${said(b)}`, task) }));
  }
  note.textContent = `Of ${points.filter((point) => point.x !== null || point.y !== null).length} tasks that either has solved, ${xName} needs less on ${less} and ${yName} on ${more}; `
    + `only ${xName} solves ${onlyX}, only ${yName} ${onlyY}.${guided ? " Dashed: ten times as much." : ""} A click on a point shows its task.`;
  place.replaceChildren(svg);
}

function tipping(text, task) {
  const tip = byId("tip");
  return {
    onmousemove: (event) => {
      tip.textContent = text;
      tip.hidden = false;
      tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
    },
    onmouseleave: () => { tip.hidden = true; },
    onclick: () => { tip.hidden = true; state.q = task.name; byId("text").value = state.q; draw(); byId("results").scrollIntoView({ block: "center" }); },
  };
}

// --- the table of runs -----------------------------------------------------------------------------------------------------

const link = (path, text, title) => (path ? make("a", { href: path, title, target: "_blank" }, text) : null);
const statusCell = (run, ...extra) => make("td", { class: "nowrap" }, make("span", { class: `status ${run.word} ${WRONG.has(run.word) ? "strong" : ""}` },
  make("span", { class: "dot" }), WORDS[run.word]), ...extra);

// Whether a column tells tasks apart at all.
const says = (column) => (column.key !== "property" || properties.size > 1) && (column.key !== "category" || data.categories.length > 1)
  && (column.key !== "expected" || tasks.some((task) => task.expected));

const RUN_COLUMNS = [
  { key: "task", title: "task", of: (run) => run.task.name, cell: (run) => make("td", { class: "task" }, run.task.name) },
  { key: "category", title: "category", of: (run) => CHOICES.category[run.task.category], cell: (run) => make("td", {}, CHOICES.category[run.task.category]) },
  { key: "property", title: "property", of: (run) => run.task.property, cell: (run) => make("td", { class: "nowrap" }, run.task.property) },
  { key: "config", title: "configuration", of: (run) => run.config, cell: (run) => make("td", { class: "nowrap" },
    make("span", { class: "dot", style: `--tone: ${tone(run.config)}` }), CHOICES.config[run.config]) },
  { key: "status", title: "status", of: (run) => run.status, cell: (run) => statusCell(run) },
  { key: "expected", title: "expected", of: (run) => run.task.expected ?? "", cell: (run) => make("td", { class: "nowrap" }, run.task.expected ?? "") },
  { key: "cpu", title: "CPU (s)", numeric: true, of: (run) => run.cpu, cell: (run) => make("td", { class: "num" }, run.cpu.toFixed(2)) },
  { key: "wall", title: "wall (s)", numeric: true, of: (run) => run.wall, cell: (run) => make("td", { class: "num" }, run.wall.toFixed(2)) },
  { key: "memory", title: "MiB", numeric: true, of: (run) => run.memory, cell: (run) => make("td", { class: "num" }, mebibytes(run.memory)) },
  { key: "iterations", title: "iterations", numeric: true, of: (run) => run.iterations ?? -1, cell: (run) => make("td", { class: "num" }, number(run.iterations)) },
  { key: "by", title: "by", of: (run) => run.by, cell: (run) => make("td", { class: "why", title: run.by && run.bySeconds !== null ? `after ${run.bySeconds.toFixed(2)} s of its turns` : "" }, run.by) },
  { key: "reason", title: "reason", of: (run) => run.reason, cell: (run) => make("td", { class: "why" }, run.reason) },
  { title: "files", cell: (run) => make("td", { class: "links" }, link(run.report, "report", `report on ${run.task.name}`), link(run.log, "log", `log of ${run.task.name}`), link(run.evidence, "witness", `witness for ${run.task.name}`), link(run.proof, `proof (${run.check})`, `proof for ${run.task.name}`)) },
].filter((column) => says(column) && (!["by", "reason"].includes(column.key) || runs.some((run) => run[column.key])));

// Side by side: one row for each task; a column for each configuration, sorted by its CPU time, what is not solved last.
function taskColumns() {
  const chosen = data.configs.map((config, index) => ({ config, index })).filter(({ index }) => !state.config.size || state.config.has(index));
  return [
    { key: "task", title: "task", of: (task) => task.name, cell: (task) => make("td", { class: "task" }, task.name) },
    { key: "category", title: "category", of: (task) => CHOICES.category[task.category], cell: (task) => make("td", {}, CHOICES.category[task.category]) },
    { key: "property", title: "property", of: (task) => task.property, cell: (task) => make("td", { class: "nowrap" }, task.property) },
    { key: "expected", title: "expected", of: (task) => task.expected ?? "", cell: (task) => make("td", { class: "nowrap" }, task.expected ?? "") },
    ...chosen.map(({ config, index }) => ({ key: `config:${config.name}`, title: config.name,
      of: (task) => { const run = task.runs[index]; return run ? run.cpu + (SOLVED.has(run.word) ? 0 : 1e9) : Infinity; },
      cell: (task) => {
        const run = task.runs[index];
        if (!run) return make("td", {});
        const text = `${WORDS[run.word]} ${run.cpu.toFixed(1)} s`;
        return make("td", { class: "nowrap cell", title: run.reason }, make("span", { class: `status ${run.word} ${WRONG.has(run.word) ? "strong" : ""}` },
          make("span", { class: "dot" }), link(run.report || run.log, text, run.reason || (run.report ? "report" : "log")) ?? text), " ", link(run.evidence, "w", "witness"));
      } })),
  ].filter(says);
}

const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}

let watcher = null;

function drawRuns(shown) {
  const side = state.view === "tasks";
  const columns = side ? taskColumns() : RUN_COLUMNS;
  const rows = side ? [...new Set(shown.map((run) => run.task))] : [...shown];
  const column = columns.find((candidate) => candidate.key === state.sort) ?? columns[0];
  const sign = state.down ? -1 : 1;
  const place = new Map(rows.map((row, index) => [row, index]));
  rows.sort((a, b) => sign * compare(column.of(a), column.of(b)) || place.get(a) - place.get(b));
  const head = make("tr", {}, ...columns.map((candidate) => make("th", { class: candidate.numeric ? "num" : "", "data-key": candidate.key,
    "aria-sort": candidate !== column ? false : state.down ? "descending" : "ascending" },
  candidate.of ? make("button", { type: "button", onclick: () => sortBy(candidate) }, candidate.title) : candidate.title)));
  const body = make("tbody", {});
  byId("runs").replaceChildren(make("thead", {}, head), body);
  byId("results").scrollTop = 0;
  more(body, rows, columns, 0);
}

function sortBy(column) {
  state.down = state.sort === column.key && !state.down ? "1" : "";
  state.sort = column.key;
  draw();
}

let rest = null;  // what shows more rows, if there are more

function more(body, rows, columns, from) {
  rest = null;
  const fresh = rows.slice(from, from + PAGE).map((row) => make("tr", {}, ...columns.map((column) => column.cell(row))));
  body.append(...fresh);
  watcher?.disconnect();
  if (from + PAGE >= rows.length) return;
  rest = () => more(body, rows, columns, from + PAGE);
  watcher = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) rest?.();
  }, { root: byId("results"), rootMargin: "600px" });
  watcher.observe(fresh[fresh.length - 1]);
}

addEventListener("beforeprint", () => { while (rest) rest(); });

// --- everything ------------------------------------------------------------------------------------------------------------

function draw() {
  writeAddress();
  const words = searched();
  const shown = runs.filter((run) => passes(run, words));
  byId("shown").textContent = shown.length === runs.length ? `${runs.length} runs` : `${shown.length} of ${runs.length} runs`;
  drawChips(words);
  drawSummary(shown);
  drawQuantile(shown);
  drawScatter(words);
  drawRuns(shown);
  for (const button of byId("view").children) button.setAttribute("aria-pressed", String(button.dataset.view === state.view));
}

function fillSelect(id, options, name) {
  const select = byId(id);
  select.replaceChildren(...options.map(([value, text]) => make("option", { value, selected: String(state[name]) === String(value) }, text)));
  select.onchange = () => { state[name] = typeof state[name] === "number" ? Number(select.value) : select.value; draw(); };
}

function setUp() {
  const measured = Object.entries(METRICS).filter(([, metric]) => runs.some((run) => metric.of(run) !== null));
  const named = measured.map(([key, metric]) => [key, metric.title]);
  const numbered = data.configs.map((config, index) => [index, config.name]);
  fillSelect("quantile-metric", named, "quantile");
  fillSelect("scatter-metric", named, "scatter");
  fillSelect("scatter-x", numbered, "x");
  fillSelect("scatter-y", numbered, "y");
  byId("text").value = state.q;
  byId("split").checked = Boolean(state.split);
}

byId("text").oninput = () => { state.q = byId("text").value; draw(); };
byId("split").onchange = () => { state.split = byId("split").checked ? "1" : ""; draw(); };
byId("reset").onclick = () => {
  Object.assign(state, { q: "", category: new Set(), config: new Set(), status: new Set() });
  byId("text").value = "";
  draw();
};
for (const button of byId("view").children) button.onclick = () => { state.view = button.dataset.view; draw(); };
byId("theme").onclick = () => {
  const order = ["", "light", "dark"], root = document.documentElement;
  root.dataset.theme = order[(order.indexOf(root.dataset.theme ?? "") + 1) % order.length];
};
addEventListener("hashchange", () => { readAddress(); setUp(); draw(); });

byId("about").textContent = data.about;
byId("details").querySelector("dl").append(...data.details.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
const wrong = runs.filter((run) => WRONG.has(run.word)).length;
if (wrong) {
  byId("wrong").hidden = false;
  byId("wrong").append(`${wrong} wrong ${wrong === 1 ? "verdict" : "verdicts"}. `, make("a", { href: "#status=wrong-true&status=wrong-false" }, "Show them"));
}
readAddress();
setUp();
draw();
