// Steps through the counterexample: the line, the values so far, and the edges of the automaton.
(() => {
  const steps = JSON.parse(document.getElementById("way").textContent);
  const slider = document.getElementById("at");
  if (!slider || !steps.length) return;
  const items = [...document.querySelectorAll(".step")];
  const values = document.getElementById("values");
  const counter = document.getElementById("counter");
  const row = (step) => document.getElementById(`L${step.source}-${step.line}`);
  const edges = (step) => document.querySelectorAll(`.cfa [data-at="${CSS.escape(step.at ?? "")}"]`);

  function state(until) {
    const known = new Map();
    steps.slice(0, until + 1).forEach((step, number) => {
      for (const [name, value] of Object.entries(step.changes ?? {})) {
        if (name.startsWith("\\")) continue;  // what a call returns has no name in the program
        known.delete(name);
        known.set(name, { value, number, tag: step.inputs?.includes(name) ? "input" : step.unspecified?.includes(name) ? "unspecified" : "" });
      }
    });
    return [...known].reverse();
  }

  function show(number) {
    const at = Math.max(0, Math.min(steps.length - 1, number));
    const step = steps[at];
    slider.value = at;
    counter.textContent = `${at + 1} / ${steps.length}`;
    document.querySelectorAll(".row.now, .step.now, .cfa .now").forEach((one) => one.classList.remove("now"));
    items[at].classList.add("now");
    scroll(items[at], items[at].parentElement);
    const line = row(step);
    if (line) { line.classList.add("now"); scroll(line, line.closest(".source")); }
    edges(step).forEach((one) => one.classList.add("now"));
    values.replaceChildren(...state(at).map(([name, { value, number: when, tag }]) => {
      const tr = document.createElement("tr");
      if (when === at) tr.className = "changed";
      for (const text of [name, value, tag]) tr.append(Object.assign(document.createElement("td"), { className: "mono", textContent: text }));
      return tr;
    }));
  }

  function scroll(one, box) {  // inside of its box only: the page stays where it is
    const [top, bottom] = [one.offsetTop - box.offsetTop, one.offsetTop - box.offsetTop + one.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }

  steps.forEach((step) => { edges(step).forEach((one) => one.classList.add("passed")); });
  items.forEach((item, number) => item.addEventListener("click", () => show(number)));
  slider.addEventListener("input", () => show(Number(slider.value)));
  const moves = { first: () => 0, back: (n) => n - 1, on: (n) => n + 1, last: () => steps.length - 1 };
  for (const [name, move] of Object.entries(moves)) {
    document.getElementById(name).addEventListener("click", () => show(move(Number(slider.value))));
  }
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight" || event.key === "n") show(Number(slider.value) + 1);
    else if (event.key === "ArrowLeft" || event.key === "p") show(Number(slider.value) - 1);
  });
  show(0);
})();
