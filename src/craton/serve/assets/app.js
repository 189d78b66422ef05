"use strict";
// The page of the playground. It sends what is in the editor as a job, asks how far it is, and shows the report.

const token = document.querySelector("meta[name=token]").content;
const find = (id) => document.getElementById(id);
const source = find("source");
const jobs = new Map(); // the column of an answer → the job that is shown there
let examples = [];
const MEANS = { "reach": ": no assertion fails", "memsafety": ": pointers and memory", "overflow": ": signed integers",
  "memcleanup": ": all memory is freed", "all": ": all but memcleanup" };

async function ask(path, content) {
  const sent = content === undefined ? {} : { method: "POST", body: JSON.stringify(content),
    headers: { "Content-Type": "application/json", "X-Craton-Token": token } };
  const answer = await fetch(path, sent);
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error || answer.statusText);
  return told;
}

function made(name, text, kind) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

// --- the editor ---

function number() {
  const lines = source.value.split("\n").length;
  find("numbers").textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
  find("numbers").scrollTop = source.scrollTop;
}

source.addEventListener("input", number);
source.addEventListener("scroll", () => { find("numbers").scrollTop = source.scrollTop; });

function choose(name) {
  const example = examples.find((one) => one.name === name);
  source.value = example.source;
  find("language").value = example.language;
  find("title").textContent = example.title;
  source.scrollTop = 0;
  number();
}

// --- the two configurations ---

function way(form, title, key) {
  form.append(find("way").content.cloneNode(true));
  form.querySelector("legend").textContent = title;
  form.addEventListener("submit", (event) => event.preventDefault());
  const lists = form.querySelectorAll("datalist");
  ["engine", "refine"].forEach((kind, index) => {
    const input = form.elements[kind];
    lists[index].id = `${kind}-${key}`;
    input.setAttribute("list", lists[index].id);
    const offer = async () => {
      const words = await ask(`complete?kind=${kind}&text=${encodeURIComponent(input.value)}`);
      lists[index].replaceChildren(...words.map((word) => Object.assign(made("option"), { value: word })));
    };
    input.addEventListener("input", offer);
    input.addEventListener("focus", offer);
  });
}

function order(form) {
  const said = (name) => form.elements[name].value.trim();
  return { source: source.value, language: find("language").value, property: find("property").value,
    data_model: find("data_model").value, time_limit: Number(find("seconds").value),
    engine: said("engine"), refine: said("refine"), encoding: said("encoding") };
}

// --- jobs ---

async function run(form, column) {
  await stop(column);
  show(column, made("p", "…", "dim"));
  try {
    const job = await ask("jobs", order(form));
    jobs.set(column, job.id);
    await follow(column, job);
  } catch (problem) {
    show(column, made("p", problem.message, "error"));
  }
}

async function stop(column) {
  const id = jobs.get(column);
  jobs.delete(column);
  if (id) await ask(`jobs/${id}/stop`, {}).catch(() => {});
}

async function follow(column, first) {
  const begun = Date.now();
  let job = first;
  while (job.state === "waiting" || job.state === "running") {
    if (jobs.get(column) !== first.id) return;
    running(column, job, (Date.now() - begun) / 1000);
    await new Promise((done) => setTimeout(done, 400));
    job = await ask(`jobs/${first.id}`);
  }
  if (jobs.get(column) !== first.id) return;
  jobs.delete(column);
  ended(column, job);
}

function running(column, job, seconds) {
  const told = job.progress;
  const text = job.state === "waiting" ? `${job.ahead} before this one` : told.by === undefined ? "reading the program" :
    `${told.by || "engine"}: iteration ${told.iteration}, trace ${told.trace}, predicates ${told.predicates}`;
  const end = made("button", "Stop", "stop");
  end.type = "button";
  end.addEventListener("click", () => { stop(column); show(column, made("p", "stopped", "dim")); });
  show(column, made("div", "", "bar"), made("p", `${seconds.toFixed(0)} s  ${text}`, "dim"), end);
}

function ended(column, job) {
  const { answer } = job;
  if (job.state === "stopped") return show(column, made("p", "stopped", "dim"));
  if (answer.error) return show(column, made("p", answer.error, "error"));
  const told = answer.result;
  const kind = told.verdict.replace(/\(.*/, "");
  const parts = [made("h2", told.verdict.toUpperCase().replace(/\(.*/, (name) => name.toLowerCase()), kind)];
  for (const text of job.report ? [] : [told.reason, told.evidence, told.found_by && `found by: ${told.found_by}`]) {
    if (text) parts.push(made("p", text, "dim"));  // else the report says so
  }
  if (job.report) {
    const frame = made("iframe");
    frame.title = "report";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = `jobs/${job.id}/report`;
    parts.push(frame);
  }
  show(column, ...parts);
}

function show(column, ...parts) {
  find(column).replaceChildren(...parts);
}

function both() {
  run(find("way-a"), "answer-a");
  if (find("compare").checked) run(find("way-b"), "answer-b");
}

// --- the beginning ---

find("run").addEventListener("click", both);
find("example").addEventListener("change", (event) => choose(event.target.value));
find("compare").addEventListener("change", (event) => {
  const two = event.target.checked;
  find("way-b").hidden = find("answer-b").hidden = !two;
  document.querySelector("main").classList.toggle("comparing", two);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); both(); }
});
way(find("way-a"), "configuration", "a");
way(find("way-b"), "the other configuration", "b");
ask("about").then((about) => {
  examples = about.examples;
  find("version").textContent = about.version;
  find("seconds").max = about.most_seconds;
  find("example").append(...examples.map((one) => Object.assign(made("option", one.title), { value: one.name })));
  find("property").append(...about.properties.map((name) => Object.assign(made("option", name + (MEANS[name] ?? "")), { value: name })));
  choose(examples[0].name);
});
