// The page: a map to draw on, the choice of policies, and the player.

import { Editor } from "/static/editor.js";
import { addressOf, mapOf, settingOf } from "/static/address.js";
import { get, post, upload } from "/static/server.js";
import { Search, describeMap, emptyMap, readMap } from "/player/recording.js";
import { Player, element, usesKey } from "/player/player.js";

const MOST_POLICIES = 4;
const FIRST_SOURCE = "family:alternating_gaps:0:201x201";
const FIRST_POLICIES = ["lazy", "lazy-belief:alternating_gaps", "optimistic", "sail:alternating_gaps"];

const byId = (id) => document.getElementById(id);
const choices = [];
let options = null;
let running = null;
let ready = false;
let addressTimer = null;
let changes = 0;
const player = new Player(byId("player"), () => settingChanged());
const editor = new Editor(byId("editor"), () => mapChanged(), (cell) => showCell(cell));

function complain(error) {
  if (error.name === "AbortError") return;
  byId("alert").textContent = error.message;
  byId("alert").hidden = false;
}

function say(text) {
  byId("status").textContent = text;
}

// Run something that may fail; an error is shown in one line.
async function attempt(action) {
  byId("alert").hidden = true;
  try {
    await action();
  } catch (error) {
    complain(error);
  }
}

function showCell(cell) {
  if (!cell) {
    byId("cell").textContent = "";
    return;
  }
  const blocked = editor.map.blocked[cell[1] * editor.map.width + cell[0]];
  byId("cell").textContent = `cell ${cell[0]}, ${cell[1]}: ${blocked ? "blocked" : "free"}`;
}

function showEnds() {
  const { start, goal } = editor;
  const values = { "start-x": start[0], "start-y": start[1], "goal-x": goal[0], "goal-y": goal[1] };
  for (const [id, value] of Object.entries(values)) byId(id).value = value;
}

function mapChanged() {
  const { map } = editor;
  showEnds();
  byId("map-title").textContent = `Map: ${map.name}, ${map.width} by ${map.height} cells`;
  byId("undo").disabled = !editor.past.length;
  byId("redo").disabled = !editor.future.length;
  raceChanged();
}

// What is raced has changed: the searches that are shown are those of an earlier setting.
function raceChanged() {
  changes += 1;
  byId("player").classList.add("stale");
  if (!ready) return;
  say("the setting has changed; race again");
  settingChanged();
  if (byId("live").checked) race();
}

// Put the setting into the address, soon.
function settingChanged() {
  if (!ready) return;
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, 200);
}

function setting() {
  const { map, start, goal, source } = editor;
  return {
    ...{ map, start, goal, source },
    policies: chosenPolicies(),
    diagonal: byId("diagonal").checked,
    cornerCutting: byId("corner-cutting").checked,
    anytime: byId("anytime").checked,
    bound: Number(byId("bound").value) || null,
    hidden: Object.keys(player.boxes).filter((name) => !player.overlays.has(name)),
    axis: player.axis,
    cost: player.costExponent,
  };
}

async function writeAddress() {
  clearTimeout(addressTimer);
  const { hash, fits } = await addressOf(setting());
  history.replaceState(null, "", hash);
  byId("address").textContent = fits ? "" : "The map is too large for the address, which has the other settings.";
  return fits;
}

async function share() {
  if (!(await writeAddress())) return;
  try {
    await navigator.clipboard.writeText(location.href);
    say("the address is copied");
  } catch {
    say("the address of this page has the whole setting");
  }
}

function chosenPolicies() {
  return choices.map((choice) => choice.value).filter(Boolean);
}

function summaryOf(name) {
  return options.policies.flatMap((group) => group.policies).find((one) => one.name === name)?.summary ?? "";
}

function choose(index, name) {
  const choice = choices[index];
  const known = Array.from(choice.options, (option) => option.value);
  if (!known.includes(name)) choice.append(element("option", { value: name }, name));
  choice.value = name;
  byId(`summary-${index}`).textContent = summaryOf(name);
}

function makeChoices() {
  for (let index = 0; index < MOST_POLICIES; index += 1) {
    const groups = options.policies.map(({ group, guidance, policies }) => {
      const names = policies.map(({ name }) => element("option", { value: name }, name));
      return element("optgroup", { label: group, title: guidance }, ...names);
    });
    const none = element("option", { value: "" }, "none");
    const choice = element("select", { id: `policy-${index}` }, none, ...groups);
    choice.onchange = () => {
      choose(index, choice.value);
      raceChanged();
    };
    choices.push(choice);
    const hint = element("span", { id: `summary-${index}`, className: "hint" });
    byId("policies").append(element("label", {}, `Policy ${index + 1}`, choice, hint));
  }
}

function makeSources() {
  const families = options.families.map((name) => element("option", { value: `family:${name}` }, name));
  const examples = options.examples.map(({ name, title }) => element("option", { value: `example:${name}` }, title));
  byId("source").append(
    element("optgroup", { label: "generated families" }, ...families),
    element("optgroup", { label: "examples" }, ...examples),
  );
  byId("source").onchange = () => {
    byId("seed-label").hidden = !byId("source").value.startsWith("family:");
  };
}

// Load a map by its source: example:NAME or family:NAME:SEED:WIDTHxHEIGHT; `onload` is called before it is shown.
async function loadSource(source, ends = {}, onload = () => {}) {
  const [kind, name, seed = "0", size = "201x201"] = source.split(":");
  const [width, height] = size.split("x");
  const known = { family: ["/api/world", { family: name, seed, width, height }], example: ["/api/example", { name }] };
  if (!Object.hasOwn(known, kind)) throw new Error(`the address names an unknown map: ${source.slice(0, 60)}`);
  const described = await get(...known[kind]);
  const map = await readMap(described);
  const full = kind === "family" ? `family:${name}:${seed}:${size}` : source;
  onload();
  editor.setMap(map, endWithin(map, ends.start) ?? described.start, endWithin(map, ends.goal) ?? described.goal, full);
  byId("source").value = `${kind}:${name}`;
  byId("source").onchange();
  byId("seed").value = seed;
}

// Load what is chosen; policies that were trained on another family are replaced by those of the new one.
function loadChosen() {
  const chosen = byId("source").value;
  const [kind, family] = chosen.split(":");
  if (kind !== "family") return loadSource(chosen);
  return loadSource(`${chosen}:${Number(byId("seed").value) || 0}:201x201`, {}, () => {
    choices.forEach((choice, index) => {
      const [policy, trained] = choice.value.split(":");
      if (options.families.includes(trained)) choose(index, `${policy}:${family}`);
    });
  });
}

// A cell of an address or of the fields; null if it is none of the map.
function endWithin(map, cell) {
  const isInside = cell && cell.every(Number.isInteger) && cell[0] >= 0 && cell[1] >= 0;
  return isInside && cell[0] < map.width && cell[1] < map.height ? cell : null;
}

// The free cell that is closest to a corner, or the corner if there is none.
function freeNear(map, [cornerX, cornerY]) {
  let [best, least] = [[cornerX, cornerY], Infinity];
  map.blocked.forEach((blocked, cell) => {
    if (blocked) return;
    const [x, y] = [cell % map.width, Math.floor(cell / map.width)];
    const distance = (x - cornerX) ** 2 + (y - cornerY) ** 2;
    if (distance < least) [best, least] = [[x, y], distance];
  });
  return best;
}

function corners(map) {
  return [
    [0, 0],
    [map.width - 1, map.height - 1],
  ];
}

async function loadFiles(files) {
  if (!files.length) return;
  const described = await upload(Array.from(files), options.limits.bytes);
  const map = await readMap(described);
  editor.setMap(map, ...corners(map).map((corner) => freeNear(map, corner)), null);
  const unknown = map.unknown_cells ? `; ${map.unknown_cells} unknown cells count as blocked` : "";
  say(`${map.name} is loaded${unknown}`);
}

function newMap() {
  const [width, height] = ["width", "height"].map((id) => Number(byId(id).value));
  const right = Number.isInteger(width) && Number.isInteger(height) && width >= 1 && height >= 1;
  if (!right || width * height > options.limits.cells) {
    throw new Error(`a map has at least one and at most ${options.limits.cells} cells`);
  }
  const map = emptyMap(width, height);
  editor.setMap(map, ...corners(map), null);
}

// Search with every chosen policy and show the searches side by side.
function race() {
  return attempt(async () => {
    const { policies, ...asked } = setting();
    if (!policies.length) throw new Error("choose a policy");
    running?.abort();
    const own = new AbortController();
    running = own;
    const asOf = changes;
    byId("start-race").setAttribute("aria-busy", "true");
    try {
      const map = { ...editor.map, blocked: editor.map.blocked.slice() };
      const request = {
        map: await describeMap(map),
        start: asked.start,
        goal: asked.goal,
        diagonal: asked.diagonal,
        corner_cutting: asked.cornerCutting,
        anytime: asked.anytime,
        bound: asked.bound,
      };
      const ask = async (policy) => Search.read(await post("/api/search", { ...request, policy }, own.signal), map);
      const answers = [];
      // One after the other, so that the searches do not slow each other down.
      for (const policy of policies) {
        say(`searching with ${policy}; the first search of a kind compiles for some seconds`);
        answers.push(...(await Promise.allSettled([ask(policy)])));
        if (own.signal.aborted) return;
      }
      show(policies, answers, asOf === changes);
    } finally {
      if (running === own) byId("start-race").removeAttribute("aria-busy");
    }
  });
}

function show(policies, answers, isCurrent) {
  const found = answers.filter((answer) => answer.status === "fulfilled").map((answer) => answer.value);
  // If no search succeeded, the last race stays.
  if (found.length) {
    player.setSearches(found);
    byId("player").classList.toggle("stale", !isCurrent);
  }
  const without = found.filter(({ facts }) => facts.cost === null).length;
  const later = isCurrent ? "" : "; the setting has changed since, race again";
  say(`${found.length} of ${policies.length} searched${without ? `, ${without} found no path` : ""}${later}`);
  const reasons = answers.map((answer) => answer.reason?.message ?? null);
  const messages = reasons.map((reason, index) => reason && `${policies[index]}: ${reason}`).filter(Boolean);
  if (!messages.length) return;
  const isOne = messages.length === policies.length && new Set(reasons).size === 1;
  throw new Error(isOne ? reasons[0] : messages.join("; "));
}

function moveEnds() {
  const value = (id) => Number(byId(id).value);
  const isEmpty = ["start-x", "start-y", "goal-x", "goal-y"].some((id) => byId(id).value === "");
  const ends = [
    [value("start-x"), value("start-y")],
    [value("goal-x"), value("goal-y")],
  ].map((cell) => (isEmpty ? null : endWithin(editor.map, cell)));
  if (ends.every(Boolean)) {
    editor.setEnds(...ends);
    return;
  }
  showEnds();
  const { width, height } = editor.map;
  throw new Error(`start and goal are cells of the map: x from 0 to ${width - 1}, y from 0 to ${height - 1}`);
}

function listen() {
  const click = { load: loadChosen, new: newMap, share, undo: () => editor.undo(), redo: () => editor.redo() };
  for (const [id, action] of Object.entries(click)) byId(id).onclick = () => attempt(action);
  byId("clear").onclick = () => editor.clear();
  byId("start-race").onclick = race;
  byId("file").onchange = async () => {
    await attempt(() => loadFiles(byId("file").files));
    byId("file").value = "";
  };
  for (const id of ["start-x", "start-y", "goal-x", "goal-y"]) byId(id).onchange = () => attempt(moveEnds);
  for (const id of ["diagonal", "corner-cutting", "anytime", "bound"]) {
    byId(id).onchange = raceChanged;
  }
  byId("tool").onchange = () => {
    editor.tool = byId("tool").value;
    editor.anchor = null;
  };
  byId("brush").onchange = () => {
    editor.width = Math.max(1, Math.min(99, Math.round(Number(byId("brush").value)) || 1));
    byId("brush").value = editor.width;
  };
  byId("erase").onchange = () => {
    editor.erase = byId("erase").checked;
  };
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", () => attempt(followAddress));
  listenForFiles();
}

function listenForFiles() {
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("map").classList.add("dropping");
  });
  document.addEventListener("dragleave", () => byId("map").classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("map").classList.remove("dropping");
    attempt(() => loadFiles(event.dataTransfer.files));
  });
}

function pressed(event) {
  const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), select, textarea");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isTyping) {
    if (event.shiftKey) editor.redo();
    else editor.undo();
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  const key = event.key.toLowerCase();
  const tools = { b: "brush", l: "line", t: "rectangle" };
  if (key === "r") race();
  else if (key === "e") byId("erase").click();
  else if (tools[key]) {
    byId("tool").value = tools[key];
    byId("tool").onchange();
  } else if (usesKey(event.target, event.key) || !player.pressed(event.key)) return;
  event.preventDefault();
}

// Apply the setting of the address, and what it does not have by default.
async function readAddress() {
  const asked = settingOf(location.hash);
  const policies = asked.policies ?? FIRST_POLICIES;
  choices.forEach((_, index) => choose(index, policies[index] ?? ""));
  byId("diagonal").checked = asked.moves ? asked.moves.includes("diagonal") : true;
  byId("corner-cutting").checked = asked.moves ? asked.moves.includes("corner-cutting") : false;
  byId("anytime").checked = asked.anytime;
  byId("bound").value = asked.bound ?? "";
  for (const name of Object.keys(player.boxes)) player.setOverlay(name, !(asked.hidden ?? []).includes(name));
  player.setAxis(asked.axis);
  player.setCost(Math.max(-2, Math.min(6, asked.cost)));
  const map = await mapOf(location.hash, options.limits.cells);
  if (map) {
    const [first, last] = corners(map);
    editor.setMap(map, endWithin(map, asked.start) ?? first, endWithin(map, asked.goal) ?? last, null);
  } else if (asked.source || !editor.map) await loadSource(asked.source ?? FIRST_SOURCE, asked);
}

// The address was changed by hand, or by the buttons of the browser.
async function followAddress() {
  await readAddress();
  await race();
}

// A map to draw on even if the address is damaged.
async function readFirstAddress() {
  try {
    await readAddress();
  } catch (error) {
    history.replaceState(null, "", location.pathname);
    if (!editor.map) await loadSource(FIRST_SOURCE);
    throw error;
  }
}

async function begin() {
  options = await get("/api/options");
  byId("width").max = byId("height").max = options.limits.cells;
  makeChoices();
  makeSources();
  listen();
  let problem = null;
  await readFirstAddress().catch((error) => {
    problem = error;
  });
  ready = true;
  await race();
  if (problem) complain(problem);
}

attempt(begin);
