// The player: searches on one map side by side, with counters, overlays and downloads.

import { COLOURS, css } from "./colours.js";
import { Search, readMap } from "./recording.js";
import { OVERLAYS, drawSearch } from "./drawing.js";
import { GifWriter } from "./gif.js";

const SECONDS_OF_A_RACE = 12;
const FRAMES_OF_A_FILM = 60;
const PANEL_SIDE = 480;
const DOWNLOAD_SIDE = 400;
const CAPTION = 44;
const NARROWEST_CAPTION = 240;
const SWATCHES = { expanded: "expanded", open: "frontier", edges: "valid_edge", invalid: "known_invalid" };
Object.assign(SWATCHES, { path: "path", multipliers: "penalised" });

// Create an element; `properties` are properties, data- and aria- attributes, and listeners such as onclick.
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "for" || name === "role") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function inMilliseconds(seconds) {
  if (seconds >= 99.95) return `${seconds.toFixed(0)} s`;
  if (seconds >= 0.9995) return `${seconds.toPrecision(3)} s`;
  return `${(1000 * seconds).toPrecision(3)} ms`;
}

export function inMicroseconds(cost) {
  if (cost >= 1e6) return `${cost / 1e6} s`;
  return cost >= 1e3 ? `${+(cost / 1e3).toPrecision(3)} ms` : `${+cost.toPrecision(3)} µs`;
}

// The path as `sailplan plan --csv` writes it.
export function pathAsCsv(facts) {
  const inMetres = facts.path_metres;
  const number = (value) => String(Number(value.toPrecision(9)));
  const rows = facts.path.map((cell, index) => [...cell, ...(inMetres ? inMetres[index].map(number) : [])].join(","));
  return [inMetres ? "x,y,x_metres,y_metres" : "x,y", ...rows, ""].join("\n");
}

function fileName(facts, suffix) {
  const plain = (text) => text.replace(/[^\w.-]+/g, "_");
  return `${plain(facts.map)}-${plain(facts.policy)}${suffix}`;
}

// The counters of a search by name, as shown after `step` steps.
function counters(search, step) {
  const { facts } = search;
  const answer = search.answerAt(step);
  const over = step >= search.steps;
  const share = (now, all) => (over ? `${all}` : `${now} of ${all}`);
  const bounded = answer && answer.bound !== null && answer.bound !== undefined;
  return {
    outcome: over ? facts.outcome : "searching",
    expansions: share(search.expansionsAt(step), facts.expansions),
    edge_evaluations: share(search.evaluationsAt(step), facts.edge_evaluations),
    cost: answer && answer.cost !== null ? answer.cost.toFixed(4) : "none",
    bound: bounded ? answer.bound.toFixed(3) : "not bounded",
    time: inMilliseconds(facts.seconds),
  };
}

const LABELS = {
  outcome: "outcome",
  expansions: "expansions",
  edge_evaluations: "edge evaluations",
  cost: "path cost",
  bound: "bound",
  time: "time",
};

// A name that may be broken between its parts.
function breakable(name) {
  return name.split(/(?<=[:_-])/).flatMap((part) => [part, element("wbr")]);
}

// One search: a canvas, its counters and the downloads of its path.
class Panel {
  constructor(search) {
    this.search = search;
    const { facts } = search;
    this.canvas = element("canvas", { role: "img", "aria-label": `the search of ${facts.policy}` });
    this.values = {};
    const list = element("dl");
    for (const [name, label] of Object.entries(LABELS)) {
      this.values[name] = element("dd", { "data-name": name });
      list.append(element("div", {}, element("dt", {}, label), this.values[name]));
    }
    const csv = () => download(new Blob([pathAsCsv(facts)], { type: "text/csv" }), fileName(facts, ".csv"));
    const text = `${JSON.stringify(facts, null, 1)}\n`;
    const json = () => download(new Blob([text], { type: "application/json" }), fileName(facts, ".json"));
    this.root = element(
      "article",
      { className: "panel", "data-policy": facts.policy },
      element("h3", {}, ...breakable(facts.policy)),
      this.canvas,
      list,
      ...(facts.note ? [element("p", { className: "remark" }, facts.note)] : []),
      element("p", { className: "row" }, button("Path as CSV", csv), button("Result as JSON", json)),
    );
  }

  show(step, overlays) {
    drawSearch(this.canvas, this.search.map, this.search, step, overlays, PANEL_SIDE);
    for (const [name, text] of Object.entries(counters(this.search, step))) {
      if (this.values[name].textContent !== text) this.values[name].textContent = text;
    }
  }
}

export function button(label, onclick, properties = {}) {
  return element("button", { type: "button", onclick, ...properties }, label);
}

export class Player {
  // `onchange` is called when a setting of the player changes.
  constructor(root, onchange = () => {}) {
    this.root = root;
    this.onchange = onchange;
    this.panels = [];
    this.overlays = new Set(Object.keys(OVERLAYS));
    this.axis = "evaluations";
    this.position = 0;
    this.costExponent = 0;
    this.playing = null;
    this.build();
    this.setSearches([]);
  }

  build() {
    this.grid = element("div", { className: "panels" });
    this.root.append(this.buildControls(), this.grid, this.buildOverlays(), this.buildTimes());
  }

  buildControls() {
    this.playButton = button("Play", () => this.toggle(), { "data-name": "play" });
    this.slider = element("input", { type: "range", min: 0, step: 1, "aria-label": "position in the race" });
    this.slider.oninput = () => this.seek(Number(this.slider.value));
    this.positionText = element("span", { "data-name": "position" });
    const speeds = [0.25, 0.5, 1, 2, 4, 8].map((speed) => element("option", { value: speed }, `${speed} ×`));
    this.speed = element("select", { "aria-label": "speed" }, ...speeds);
    this.speed.value = "1";
    const axes = { evaluations: "race by edge evaluations", proportion: "each from start to end" };
    const choices = Object.entries(axes).map(([value, label]) => element("option", { value }, label));
    this.axisChoice = element("select", { "aria-label": "what the position counts" }, ...choices);
    this.axisChoice.onchange = () => this.setAxis(this.axisChoice.value);
    return element(
      "div",
      { className: "controls", role: "group", "aria-label": "replay" },
      element(
        "p",
        { className: "row" },
        button("First", () => this.seek(0)),
        button("Back", () => this.step(-1)),
        this.playButton,
        button("Step", () => this.step(1)),
        button("Last", () => this.seek(this.end)),
        this.speed,
        this.axisChoice,
      ),
      element("p", { className: "row scrub" }, this.slider, this.positionText),
    );
  }

  buildOverlays() {
    this.boxes = {};
    const labels = Object.entries(OVERLAYS).map(([name, label]) => {
      const box = element("input", { type: "checkbox", checked: true, value: name });
      box.onchange = () => this.setOverlay(name, box.checked);
      this.boxes[name] = box;
      return element("label", {}, box, swatch(COLOURS[SWATCHES[name]]), label);
    });
    const fixed = { "not yet seen": "hidden_obstacle", "invalid edge": "invalid_edge", start: "start", goal: "goal" };
    const legend = Object.entries(fixed).map(([label, name]) => {
      return element("span", { className: "entry" }, swatch(COLOURS[name], name === "start"), label);
    });
    this.filmButton = button("Download film", () => this.downloadFilm());
    const pictureButton = button("Download picture", () => this.downloadPicture());
    const downloads = element("p", { className: "row" }, pictureButton, this.filmButton);
    this.terrainEntry = element("span", { className: "entry" }, swatch(COLOURS.costly), "costly terrain");
    const title = element("legend", {}, "Show");
    const rows = element("div", { className: "row" }, ...labels, ...legend, this.terrainEntry);
    return element("fieldset", { className: "overlays" }, title, rows, downloads);
  }

  buildTimes() {
    this.costSlider = element("input", { type: "range", min: -2, max: 6, step: 0.1, value: 0 });
    this.costSlider.setAttribute("aria-label", "cost of one evaluation");
    this.costSlider.oninput = () => this.setCost(Number(this.costSlider.value));
    this.costText = element("output", { "data-name": "evaluation-cost" });
    this.times = element("ul", { className: "times" });
    return element(
      "fieldset",
      { className: "totals" },
      element("legend", {}, "Total planning time"),
      element("label", { className: "row" }, "one evaluation costs ", this.costText, this.costSlider),
      this.times,
    );
  }

  setSearches(searches) {
    this.pause();
    this.searches = searches;
    this.panels = searches.map((search) => new Panel(search));
    this.grid.replaceChildren(...this.panels.map((panel) => panel.root));
    this.root.classList.toggle("empty", searches.length === 0);
    this.terrainEntry.hidden = !searches.some(({ map }) => map.terrain);
    this.setAxis(this.axis);
    this.seek(this.end);
    this.setCost(this.costExponent);
  }

  setAxis(axis) {
    const share = this.end ? this.position / this.end : 1;
    this.axis = axis;
    this.axisChoice.value = axis;
    const counts = this.searches.map((one) => (axis === "evaluations" ? one.evaluations[one.steps] : one.steps));
    this.end = Math.max(0, ...counts);
    this.slider.max = this.end;
    this.seek(share * this.end);
    this.onchange();
  }

  setOverlay(name, shown) {
    this.overlays[shown ? "add" : "delete"](name);
    this.boxes[name].checked = shown;
    this.show();
    this.onchange();
  }

  // The cost of an evaluation is a power of ten, in microseconds.
  setCost(exponent) {
    this.costExponent = exponent;
    this.costSlider.value = exponent;
    const cost = 10 ** exponent;
    this.costText.textContent = inMicroseconds(cost);
    const totals = this.searches.map(({ facts }) => facts.seconds + facts.edge_evaluations * cost * 1e-6);
    const longest = Math.max(...totals);
    const solved = this.searches.map((search, index) => (search.facts.cost === null ? Infinity : totals[index]));
    const shortest = Math.min(...solved);
    const rows = this.searches.map(({ facts }, index) => {
      const bar = element("span", { className: "bar" });
      bar.style.width = `${Math.max(0.5, (100 * totals[index]) / longest)}%`;
      const best = totals.length > 1 && solved[index] === shortest && shortest < Infinity;
      const words = `${inMilliseconds(totals[index])}${best ? ", the shortest" : ""}`;
      const row = element("li", { "data-policy": facts.policy, "data-seconds": totals[index] });
      row.append(element("span", { className: "name" }, facts.policy), element("span", {}, words), bar);
      row.classList.toggle("best", best);
      return row;
    });
    this.times.replaceChildren(...rows);
    this.onchange();
  }

  // The position that is shown, in whole evaluations or steps.
  get now() {
    return Math.round(this.position);
  }

  stepOf(search, now = this.now, { axis, end } = this) {
    if (now >= end) return search.steps;
    return axis === "evaluations" ? search.stepWithin(now) : Math.floor((search.steps * now) / end);
  }

  seek(position) {
    this.position = Math.max(0, Math.min(this.end, position));
    this.slider.value = this.now;
    const unit = this.axis === "evaluations" ? "evaluations" : "steps of the longest search";
    const text = `${this.now} of ${this.end} ${unit}`;
    this.positionText.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.show();
  }

  show() {
    for (const panel of this.panels) panel.show(this.stepOf(panel.search), this.overlays);
  }

  // Go to the next or previous position at which a search changes.
  step(direction) {
    this.pause();
    const positions = this.searches.map((search) => {
      if (this.axis !== "evaluations") return this.now + direction;
      const step = this.stepOf(search);
      if (direction > 0) return step < search.steps ? search.evaluations[step + 1] : Infinity;
      const before = search.evaluations[step] < this.now ? search.evaluations[step] : search.evaluations[step - 1];
      return before ?? -Infinity;
    });
    this.seek(direction > 0 ? Math.min(...positions, this.end) : Math.max(...positions, 0));
  }

  toggle() {
    if (this.playing !== null) this.pause();
    else this.play();
  }

  play() {
    if (!this.end) return;
    if (this.position >= this.end) this.seek(0);
    let last = performance.now();
    const advance = (time) => {
      const share = (time - last) / (1000 * SECONDS_OF_A_RACE);
      last = time;
      this.seek(this.position + share * Number(this.speed.value) * this.end);
      if (this.position >= this.end) this.pause();
      else this.playing = requestAnimationFrame(advance);
    };
    this.playing = requestAnimationFrame(advance);
    this.playButton.textContent = "Pause";
  }

  pause() {
    if (this.playing !== null) cancelAnimationFrame(this.playing);
    this.playing = null;
    this.playButton.textContent = "Play";
  }

  // What a picture or a film shows, whatever happens to the player meanwhile.
  snapshot() {
    const { searches, axis, end } = this;
    return { searches, axis, end, overlays: new Set(this.overlays) };
  }

  downloadPicture() {
    if (!this.panels.length) return;
    const name = fileName({ ...this.searches[0].facts, policy: "race" }, ".png");
    this.compose(this.snapshot(), this.now).toBlob((blob) => download(blob, name));
  }

  async downloadFilm() {
    if (!this.panels.length) return;
    const scene = this.snapshot();
    this.filmButton.disabled = true;
    let writer = null;
    for (let frame = 0; frame <= FRAMES_OF_A_FILM; frame += 1) {
      const canvas = this.compose(scene, Math.round((scene.end * frame) / FRAMES_OF_A_FILM));
      writer ??= new GifWriter(canvas.width, canvas.height);
      writer.addFrame(canvas.getContext("2d"), frame === FRAMES_OF_A_FILM ? 2000 : 60);
      // So that the page answers meanwhile.
      if (frame % 5 === 0) await new Promise((resume) => setTimeout(resume));
    }
    this.filmButton.disabled = false;
    download(writer.finish(), fileName({ ...scene.searches[0].facts, policy: "race" }, ".gif"));
  }

  // All searches of a snapshot on one canvas, each under its name and counters.
  compose(scene, now) {
    const drawn = scene.searches.map((search) => {
      const canvas = element("canvas");
      const step = this.stepOf(search, now, scene);
      drawSearch(canvas, search.map, search, step, scene.overlays, DOWNLOAD_SIDE);
      return { canvas, search, step, width: Math.max(canvas.width, NARROWEST_CAPTION) };
    });
    const whole = element("canvas");
    whole.width = drawn.reduce((sum, { width }) => sum + width + 8, 8);
    whole.height = Math.max(...drawn.map(({ canvas }) => canvas.height)) + CAPTION + 8;
    const context = whole.getContext("2d", { willReadFrequently: true });
    context.fillStyle = css(COLOURS.free);
    context.fillRect(0, 0, whole.width, whole.height);
    let left = 8;
    for (const { canvas, search, step, width } of drawn) {
      context.drawImage(canvas, left, CAPTION);
      context.fillStyle = css(COLOURS.ink);
      context.font = "bold 14px sans-serif";
      context.fillText(search.facts.policy, left, 18, width);
      context.font = "13px sans-serif";
      const words = `${search.expansionsAt(step)} expansions, ${search.evaluationsAt(step)} evaluations`;
      context.fillText(words, left, 36, width);
      left += width + 8;
    }
    return whole;
  }

  // Keys for the whole page; true if the key was one of them.
  pressed(key) {
    const actions = {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.end),
    };
    if (!this.panels.length || !actions[key]) return false;
    actions[key]();
    return true;
  }
}

function swatch(colour, round = false) {
  const made = element("span", { className: round ? "swatch round" : "swatch", "aria-hidden": "true" });
  made.style.backgroundColor = css(colour);
  return made;
}

// Whether the element that has the focus uses this key itself.
export function usesKey(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest("button, a, summary, input[type=checkbox]")) return key === " " || key === "Enter";
  return target.closest("input, select, textarea, canvas") !== null;
}

// Show the scenes of a page that was written to a file.
export async function mountScenes() {
  const players = [];
  for (const section of document.querySelectorAll(".scene")) {
    const { map, searches } = JSON.parse(section.querySelector("script").textContent);
    const readable = await readMap(map);
    const root = element("div", { className: "player" });
    section.append(root);
    const player = new Player(root);
    player.setSearches(await Promise.all(searches.map((one) => Search.read(one, readable))));
    players.push(player);
  }
  document.addEventListener("keydown", (event) => {
    if (players.length && !usesKey(event.target, event.key) && players[0].pressed(event.key)) event.preventDefault();
  });
}
