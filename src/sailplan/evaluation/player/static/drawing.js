// Drawing maps and searches on a canvas.

import { COLOURS, SHADES, css } from "./colours.js";

export const OVERLAYS = {
  expanded: "expanded, or found free",
  open: "open",
  edges: "evaluated edges",
  invalid: "known invalid",
  path: "path",
  multipliers: "belief multipliers",
};

const SMALLEST_CELL_WITH_EDGES = 4;

function mixed(from, to, share) {
  return from.map((value, channel) => Math.round((1 - share) * value + share * to[channel]));
}

function shadesOf(from, to) {
  return Array.from({ length: SHADES + 1 }, (_, shade) => mixed(from, to, shade / SHADES));
}

const FREE_TERRAIN = shadesOf(COLOURS.free, COLOURS.costly);
const FREE_PENALISED = shadesOf(COLOURS.free, COLOURS.penalised);
const BLOCKED_PENALISED = shadesOf(COLOURS.hidden_obstacle, COLOURS.penalised_obstacle);

function cellColour(map, search, step, overlays, shades, cell) {
  const blocked = map.blocked[cell];
  if (search) {
    if (overlays.has("invalid") && blocked && search.seenAfter[cell] <= step) return COLOURS.known_invalid;
    if (overlays.has("expanded") && search.closedAfter[cell] <= step) return COLOURS.expanded;
    if (overlays.has("open") && !blocked && !search.byEdges && search.seenAfter[cell] <= step) return COLOURS.frontier;
    if (shades) return (blocked ? BLOCKED_PENALISED : FREE_PENALISED)[shades[cell]];
    if (blocked) return COLOURS.hidden_obstacle;
  } else if (blocked) {
    return COLOURS.known_invalid;
  }
  return map.terrain ? FREE_TERRAIN[map.terrain[cell]] : COLOURS.free;
}

function cellPixels(map, search, step, overlays) {
  const pixels = new ImageData(map.width, map.height);
  const shades = search && overlays.has("multipliers") ? search.shadesAt(step) : null;
  for (let cell = 0; cell < map.blocked.length; cell += 1) {
    const row = map.height - 1 - Math.floor(cell / map.width);
    const at = 4 * (row * map.width + (cell % map.width));
    const colour = cellColour(map, search, step, overlays, shades, cell);
    [pixels.data[at], pixels.data[at + 1], pixels.data[at + 2]] = colour;
    pixels.data[at + 3] = 255;
  }
  return pixels;
}

// The side of a cell in pixels for which the longer side of the map has about `side` pixels.
export function cellSide(map, side) {
  return Math.max(1, Math.round(side / Math.max(map.width, map.height)));
}

export function centreOf(map, cell, side) {
  const x = cell % map.width;
  const y = Math.floor(cell / map.width);
  return [(x + 0.5) * side, (map.height - y - 0.5) * side];
}

const scratch = typeof document === "undefined" ? null : document.createElement("canvas");

// Draw a map, and a search on it after `step` steps if there is one, on the whole canvas.
export function drawSearch(canvas, map, search, step, overlays, side) {
  const cell = cellSide(map, side);
  canvas.width = map.width * cell;
  canvas.height = map.height * cell;
  scratch.width = map.width;
  scratch.height = map.height;
  scratch.getContext("2d").putImageData(cellPixels(map, search, step, overlays), 0, 0);
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(scratch, 0, 0, canvas.width, canvas.height);
  if (!search) return;
  if (overlays.has("edges")) drawEdges(context, map, search, step, cell);
  const answer = overlays.has("path") ? search.answerAt(step) : null;
  if (answer) drawPath(context, map, answer.path, cell);
  drawEnds(context, map, search.start, search.goal, cell);
}

function drawEdges(context, map, search, step, side) {
  if (side < SMALLEST_CELL_WITH_EDGES && !search.byEdges) return;
  const lines = { valid_edge: new Path2D(), invalid_edge: new Path2D() };
  for (let index = 0; index < step; index += 1) {
    search.forEachEdge(index, (target, valid) => {
      if (!valid && map.blocked[target]) return;
      const line = valid ? lines.valid_edge : lines.invalid_edge;
      line.moveTo(...centreOf(map, search.cells[index], side));
      line.lineTo(...centreOf(map, target, side));
    });
  }
  for (const [name, line] of Object.entries(lines)) {
    context.strokeStyle = css(COLOURS[name]);
    context.lineWidth = Math.max(1, side / (name === "valid_edge" ? 6 : 3));
    context.stroke(line);
  }
}

function drawPath(context, map, path, side) {
  context.strokeStyle = css(COLOURS.path);
  context.lineWidth = Math.max(2, side / 2);
  context.lineJoin = "round";
  context.beginPath();
  path.forEach((cell, index) => context[index ? "lineTo" : "moveTo"](...centreOf(map, cell, side)));
  context.stroke();
}

// The start is a circle, the goal a square.
export function drawEnds(context, map, start, goal, side) {
  const radius = Math.max(5, Math.min(2 * side, (map.width * side) / 40, (map.height * side) / 20), (side * 2) / 5);
  context.strokeStyle = css(COLOURS.free);
  context.lineWidth = Math.max(1, radius / 5);
  const [x, y] = centreOf(map, start, side);
  context.fillStyle = css(COLOURS.start);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  const [left, top] = centreOf(map, goal, side).map((value) => value - radius);
  context.fillStyle = css(COLOURS.goal);
  context.fillRect(left, top, 2 * radius, 2 * radius);
  context.strokeRect(left, top, 2 * radius, 2 * radius);
}

