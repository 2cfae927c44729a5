// Drawing a map: brush, line and rectangle, start and goal, undo and redo, with a pointer or with keys.

import { cellSide, centreOf, drawEnds, drawSearch } from "/player/drawing.js";
import { COLOURS, css } from "/player/colours.js";

const SIDE = 640;
const MOST_STEPS_BACK = 100;
const MOST_BYTES_BACK = 64 << 20;
const NO_OVERLAYS = new Set();

// The cells of a line of the given width.
function lineCells(map, [x, y], [toX, toY], width) {
  const cells = new Set();
  const count = Math.max(1, Math.abs(toX - x), Math.abs(toY - y));
  const low = -Math.floor((width - 1) / 2);
  for (let index = 0; index <= count; index += 1) {
    const [atX, atY] = [Math.round(x + ((toX - x) * index) / count), Math.round(y + ((toY - y) * index) / count)];
    for (let dy = low; dy < low + width; dy += 1) {
      for (let dx = low; dx < low + width; dx += 1) addCell(map, cells, atX + dx, atY + dy);
    }
  }
  return cells;
}

function rectangleCells(map, [x, y], [toX, toY]) {
  const cells = new Set();
  for (let atY = Math.min(y, toY); atY <= Math.max(y, toY); atY += 1) {
    for (let atX = Math.min(x, toX); atX <= Math.max(x, toX); atX += 1) addCell(map, cells, atX, atY);
  }
  return cells;
}

function addCell(map, cells, x, y) {
  if (x >= 0 && y >= 0 && x < map.width && y < map.height) cells.add(y * map.width + x);
}

export class Editor {
  // `onchange` is called after each change of the map, the start or the goal; `oncell` when the cursor moves.
  constructor(canvas, onchange, oncell) {
    Object.assign(this, { canvas, onchange, oncell });
    Object.assign(this, { tool: "brush", width: 3, erase: false, cursor: null, anchor: null, drag: null });
    this.past = [];
    this.future = [];
    canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    canvas.addEventListener("pointermove", (event) => this.pointerMove(event));
    canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("blur", () => this.showCursor(null));
    canvas.addEventListener("keydown", (event) => this.keyDown(event));
  }

  // Replace the map; it can be undone unless it is the first one.
  setMap(map, start, goal, source) {
    if (this.map) this.remember();
    Object.assign(this, { map, start, goal, source, cursor: null, anchor: null, drag: null });
    this.changed();
  }

  setEnds(start, goal) {
    this.remember();
    Object.assign(this, { start, goal });
    this.changed();
  }

  clear() {
    this.remember();
    this.map = { ...this.map, blocked: new Uint8Array(this.map.blocked.length) };
    this.markEdited();
    this.changed();
  }

  markEdited() {
    this.source = null;
    if (!/^drawing$| \(edited\)$/.test(this.map.name)) this.map.name = `${this.map.name} (edited)`;
  }

  changed() {
    this.draw();
    this.onchange();
  }

  state() {
    const { map, start, goal, source } = this;
    return { map: { ...map, blocked: map.blocked.slice() }, start, goal, source };
  }

  remember() {
    this.past.push(this.state());
    const most = Math.max(1, Math.min(MOST_STEPS_BACK, Math.floor(MOST_BYTES_BACK / this.map.blocked.length)));
    this.past.splice(0, this.past.length - most);
    this.future = [];
  }

  undo() {
    this.exchange(this.past, this.future);
  }

  redo() {
    this.exchange(this.future, this.past);
  }

  exchange(from, to) {
    if (!from.length) return;
    to.push(this.state());
    Object.assign(this, from.pop(), { cursor: null, anchor: null, drag: null });
    this.changed();
  }

  shapeTo(cell) {
    const from = this.anchor ?? cell;
    if (this.tool === "rectangle") return rectangleCells(this.map, from, cell);
    return lineCells(this.map, from, cell, this.width);
  }

  paint(cells, blocked) {
    for (const cell of cells) this.map.blocked[cell] = blocked ? 1 : 0;
    this.markEdited();
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.map.width);
    const y = this.map.height - 1 - Math.floor(((event.clientY - box.top) / box.height) * this.map.height);
    const within = (value, size) => Math.max(0, Math.min(size - 1, value));
    return [within(x, this.map.width), within(y, this.map.height)];
  }

  // Which end is at the pointer, within a finger's width.
  endAt(event, cell) {
    const box = this.canvas.getBoundingClientRect();
    const reach = Math.max(0.5, ((event.pointerType === "touch" ? 22 : 10) / box.width) * this.map.width);
    const isNear = (end) => Math.hypot(end[0] - cell[0], end[1] - cell[1]) <= reach;
    if (isNear(this.goal)) return "goal";
    return isNear(this.start) ? "start" : null;
  }

  pointerDown(event) {
    if (event.button === 1) return;
    event.preventDefault();
    if (this.drag) {
      // A second finger: this is no stroke.
      this.cancel();
      return;
    }
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    const cell = this.cellAt(event);
    const end = this.endAt(event, cell);
    const blocked = !(this.erase || event.shiftKey || event.button === 2);
    this.remember();
    this.drag = { end, blocked, pointer: event.pointerId };
    this.anchor = cell;
    if (!end && this.tool === "brush") this.paint(this.shapeTo(cell), blocked);
    this.showCursor(cell);
  }

  pointerMove(event) {
    if (this.drag && event.pointerId !== this.drag.pointer) return;
    const cell = this.cellAt(event);
    if (this.cursor && String(cell) === String(this.cursor)) return;
    if (this.drag?.end) this[this.drag.end] = cell;
    else if (this.drag && this.tool === "brush") {
      this.paint(this.shapeTo(cell), this.drag.blocked);
      this.anchor = cell;
    }
    this.showCursor(cell);
  }

  pointerUp(event) {
    if (!this.drag || event.pointerId !== this.drag.pointer) return;
    const cell = this.cellAt(event);
    const { end, blocked } = this.drag;
    if (!end && this.tool !== "brush") this.paint(this.shapeTo(cell), blocked);
    const isMoved = !end || this[end] !== this.past[this.past.length - 1][end];
    Object.assign(this, { drag: null, anchor: null });
    if (isMoved) this.changed();
    else this.past.pop();
  }

  // Take back a stroke that has not ended.
  cancel() {
    if (!this.drag) return;
    Object.assign(this, this.past.pop(), { drag: null, anchor: null });
    this.changed();
  }

  showCursor(cell) {
    this.cursor = cell;
    this.draw();
    this.oncell(cell);
  }

  keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (dx || dy) this.moveCursor(dx * (event.shiftKey ? 10 : 1), dy * (event.shiftKey ? 10 : 1));
    else if (event.key === "Enter") this.drawWithKey();
    else if (event.key === "Escape") this.forgetAnchor();
    else if (event.key.toLowerCase() === "s") this.setEnds(this.cursor ?? this.start, this.goal);
    else if (event.key.toLowerCase() === "g") this.setEnds(this.start, this.cursor ?? this.goal);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveCursor(dx, dy) {
    const [x, y] = this.cursor ?? this.start;
    const within = (value, size) => Math.max(0, Math.min(size - 1, value));
    this.showCursor([within(x + dx, this.map.width), within(y + dy, this.map.height)]);
  }

  forgetAnchor() {
    this.anchor = null;
    this.draw();
  }

  // The first press of a line or rectangle sets its first corner.
  drawWithKey() {
    const cell = this.cursor ?? this.start;
    if (this.tool !== "brush" && !this.anchor) {
      this.anchor = cell;
      this.showCursor(cell);
      return;
    }
    this.remember();
    this.paint(this.shapeTo(cell), !this.erase);
    this.anchor = null;
    this.cursor = cell;
    this.changed();
  }

  draw() {
    const { map, canvas } = this;
    if (!map) return;
    const side = cellSide(map, SIDE);
    drawSearch(canvas, map, null, 0, NO_OVERLAYS, SIDE);
    const context = canvas.getContext("2d");
    if (this.anchor && this.cursor && !this.drag?.end && this.tool !== "brush") this.drawPreview(context, side);
    const [start, goal] = [this.start, this.goal].map(([x, y]) => y * map.width + x);
    drawEnds(context, map, start, goal, side);
    if (this.cursor && !this.drag) this.drawCursor(context, side);
  }

  drawPreview(context, side) {
    context.fillStyle = css(COLOURS.invalid_edge);
    for (const cell of this.shapeTo(this.cursor)) {
      const [x, y] = centreOf(this.map, cell, side);
      context.fillRect(x - side / 2, y - side / 2, side, side);
    }
  }

  drawCursor(context, side) {
    const [x, y] = centreOf(this.map, this.cursor[1] * this.map.width + this.cursor[0], side);
    const reach = Math.max(4, side);
    context.strokeStyle = css(COLOURS.path);
    context.lineWidth = 2;
    context.strokeRect(x - reach, y - reach, 2 * reach, 2 * reach);
  }
}
