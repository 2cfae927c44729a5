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

// A colour as the number that it is in the memory of an image.
function packed([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function shadesOf(from, to) {
  const mixed = (share) => from.map((value, channel) => Math.round((1 - share) * value + share * to[channel]));
  return Array.from({ length: SHADES + 1 }, (_, shade) => packed(mixed(shade / SHADES)));
}

const PACKED = Object.fromEntries(Object.entries(COLOURS).map(([name, colour]) => [name, packed(colour)]));
const FREE_TERRAIN = shadesOf(COLOURS.free, COLOURS.costly);
const FREE_PENALISED = shadesOf(COLOURS.free, COLOURS.penalised);
const BLOCKED_PENALISED = shadesOf(COLOURS.hidden_obstacle, COLOURS.penalised_obstacle);

function unseenColour(map, shades, cell) {
  if (shades) return (map.blocked[cell] ? BLOCKED_PENALISED : FREE_PENALISED)[shades[cell]];
  if (map.blocked[cell]) return PACKED.hidden_obstacle;
  return map.terrain ? FREE_TERRAIN[map.terrain[cell]] : PACKED.free;
}

// The colours of the cells of a map.
function mapColours(map) {
  return (cell) => (map.blocked[cell] ? PACKED.known_invalid : unseenColour(map, null, cell));
}

// The colours of the cells of a search after `step` steps.
function searchColours(map, search, step, overlays) {
  const shades = overlays.has("multipliers") ? search.shadesAt(step) : null;
  const [expanded, open, invalid] = ["expanded", "open", "invalid"].map((name) => overlays.has(name));
  return (cell) => {
    if (search.seenAfter[cell] <= step || search.closedAfter[cell] <= step) {
      if (map.blocked[cell]) {
        if (invalid) return PACKED.known_invalid;
      } else if (search.closedAfter[cell] <= step) {
        if (expanded) return PACKED.expanded;
      } else if (open) return PACKED.frontier;
    }
    return unseenColour(map, shades, cell);
  };
}

function cellPixels(map, colourOf) {
  const image = new ImageData(map.width, map.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < map.height; y += 1) {
    const [from, to] = [y * map.width, (map.height - 1 - y) * map.width];
    for (let x = 0; x < map.width; x += 1) pixels[to + x] = colourOf(from + x);
  }
  return image;
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

const scratch = document.createElement("canvas");

// Draw a map, and a search on it after `step` steps if there is one, on the whole canvas.
export function drawSearch(canvas, map, search, step, overlays, side) {
  const cell = cellSide(map, side);
  canvas.width = map.width * cell;
  canvas.height = map.height * cell;
  scratch.width = map.width;
  scratch.height = map.height;
  const colourOf = search ? searchColours(map, search, step, overlays) : mapColours(map);
  scratch.getContext("2d").putImageData(cellPixels(map, colourOf), 0, 0);
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
  context.lineWidth = Math.max(3, side / 2);
  context.lineJoin = "round";
  context.beginPath();
  path.forEach((cell, index) => context[index ? "lineTo" : "moveTo"](...centreOf(map, cell, side)));
  context.stroke();
}

// The start is a circle, the goal a square.
export function drawEnds(context, map, start, goal, side) {
  const radius = Math.max(side * 0.4, Math.max(map.width, map.height) * side * 0.018);
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

