// The setting of the page in its address, so that it can be shared.

import { describeMap, readMap } from "/player/recording.js";

// Longer addresses are cut off by some programs.
const LONGEST = 60_000;

function asText(point) {
  return point.join(",");
}

function asPoint(text) {
  const numbers = (text ?? "").split(",").map(Number);
  return numbers.length === 2 && numbers.every(Number.isInteger) ? numbers : null;
}

// The map as text: where it was loaded from if it is unchanged, else its cells.
async function mapAsText({ map, source }) {
  if (source) return source;
  const { blocked } = await describeMap(map);
  return `${map.width}x${map.height}:${blocked.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

// The address of a setting; without the map if that would be too long.
export async function addressOf(setting) {
  const { map, start, goal } = setting;
  const text = await mapAsText(setting);
  const fits = text.length <= LONGEST;
  const fields = {
    ...(fits ? { map: text, name: map.name, start: asText(start), goal: asText(goal) } : {}),
    ...(fits && map.resolution ? { resolution: map.resolution, origin: (map.origin ?? [0, 0, 0]).join(",") } : {}),
    policies: setting.policies.join(","),
    moves: [setting.diagonal && "diagonal", setting.cornerCutting && "corner-cutting"].filter(Boolean).join(","),
    ...(setting.anytime ? { anytime: 1 } : {}),
    ...(setting.bound ? { bound: setting.bound } : {}),
    hide: setting.hidden.join(","),
    axis: setting.axis,
    cost: setting.cost,
  };
  return { hash: `#${new URLSearchParams(fields)}`, fits };
}

// The map whose cells an address has; null if it has none, or names a source instead.
export async function mapOf(hash, mostCells) {
  const fields = fieldsOf(hash);
  const found = /^(\d{1,7})x(\d{1,7}):([\w-]*)$/.exec(fields.get("map") ?? "");
  if (!found) return null;
  const [width, height] = [Number(found[1]), Number(found[2])];
  if (width * height > mostCells) throw new Error("the map in the address is too large");
  const blocked = found[3].replaceAll("-", "+").replaceAll("_", "/");
  const resolution = Number(fields.get("resolution")) || null;
  const origin = resolution ? (fields.get("origin") ?? "0,0,0").split(",").map(Number) : null;
  try {
    if (!width || !height) throw new Error("no cells");
    return await readMap({ name: fields.get("name") || "drawing", width, height, blocked, resolution, origin });
  } catch {
    throw new Error("the map in the address is damaged");
  }
}

function fieldsOf(hash) {
  return new URLSearchParams(hash.replace(/^#/, ""));
}

// The setting of an address but for the cells of its map; what it does not have is undefined.
export function settingOf(hash) {
  const fields = fieldsOf(hash);
  const list = (name) => (fields.has(name) ? fields.get(name).split(",").filter(Boolean) : undefined);
  return {
    source: fields.get("map") ?? undefined,
    start: asPoint(fields.get("start")),
    goal: asPoint(fields.get("goal")),
    policies: list("policies"),
    moves: list("moves"),
    anytime: fields.has("anytime"),
    bound: Number(fields.get("bound")) || null,
    hidden: list("hide"),
    axis: fields.get("axis") === "proportion" ? "proportion" : "evaluations",
    cost: fields.has("cost") ? Number(fields.get("cost")) || 0 : 0,
  };
}
