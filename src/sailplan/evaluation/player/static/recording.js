// Maps and recordings of searches, as evaluation/player/recording.py writes them, and the state of a search at a step.

export const STEPS_X = [1, 0, -1, 0, 1, -1, -1, 1];
export const STEPS_Y = [0, 1, 0, -1, 1, 1, -1, -1];
export const NEVER = 0x7fffffff;

async function through(bytes, transform) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return through(packed, new DecompressionStream("deflate"));
}

export async function pack(bytes) {
  const packed = await through(bytes, new CompressionStream("deflate"));
  let text = "";
  for (let at = 0; at < packed.length; at += 8192) text += String.fromCharCode(...packed.subarray(at, at + 8192));
  return btoa(text);
}

async function unpackIntegers(text) {
  const bytes = await unpack(text);
  const view = new DataView(bytes.buffer);
  return Int32Array.from({ length: bytes.length / 4 }, (_, index) => view.getInt32(4 * index, true));
}

// A map has one byte per cell, the bottom row first: 1 is blocked.
export async function readMap(described) {
  const { width, height } = described;
  const bits = await unpack(described.blocked);
  if (bits.length !== Math.ceil((width * height) / 8)) throw new Error("the map has another number of cells");
  const blocked = Uint8Array.from({ length: width * height }, (_, cell) => (bits[cell >> 3] >> (7 - (cell & 7))) & 1);
  const terrain = described.terrain ? await unpack(described.terrain) : null;
  return { ...described, blocked, terrain };
}

export async function describeMap(map) {
  const bits = new Uint8Array(Math.ceil(map.blocked.length / 8));
  map.blocked.forEach((blocked, cell) => {
    bits[cell >> 3] |= blocked << (7 - (cell & 7));
  });
  return {
    name: map.name,
    width: map.width,
    height: map.height,
    blocked: await pack(bits),
    resolution: map.resolution ?? null,
    origin: map.origin ?? null,
    unknown_cells: map.unknown_cells ?? 0,
  };
}

export function emptyMap(width, height, name = "drawing") {
  return { name, width, height, blocked: new Uint8Array(width * height), terrain: null };
}

function countBits(byte) {
  let count = 0;
  for (let bits = byte; bits; bits &= bits - 1) count += 1;
  return count;
}

// The last index whose value is at most `limit`, in ascending values; -1 if there is none.
export function lastAtMost(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// A recorded search. `step` is the number of steps that were made, from 0 to `steps`.
export class Search {
  static async read({ facts, recording }, map) {
    const search = new Search();
    Object.assign(search, { facts, map, steps: recording.steps, mode: recording.mode });
    Object.assign(search, { start: recording.start, goal: recording.goal });
    search.cells = await unpackIntegers(recording.cells);
    for (let index = 1; index < search.steps; index += 1) search.cells[index] += search.cells[index - 1];
    search.asked = await unpack(recording.asked);
    search.valid = await unpack(recording.valid);
    search.expansionSteps = await unpackIntegers(recording.expansions);
    search.path = await unpackIntegers(recording.path);
    const unpackOne = async (one, name, read) => ({ ...one, [name]: await read(one[name]) });
    search.shades = await Promise.all(recording.multipliers.map((one) => unpackOne(one, "shades", unpack)));
    search.solutions = await Promise.all(recording.solutions.map((one) => unpackOne(one, "path", unpackIntegers)));
    search.findMoments();
    return search;
  }

  get byEdges() {
    return this.mode === "edges";
  }

  // For each cell the number of steps after which it is closed, seen or known to be invalid; evaluations by step.
  findMoments() {
    const { map, cells, asked, valid } = this;
    this.evaluations = new Int32Array(this.steps + 1);
    this.closedAfter = new Int32Array(map.blocked.length).fill(NEVER);
    this.seenAfter = new Int32Array(map.blocked.length).fill(NEVER);
    this.seenAfter[this.start] = 0;
    for (let index = 0; index < this.steps; index += 1) {
      const cell = cells[index];
      this.evaluations[index + 1] = this.evaluations[index] + countBits(asked[index]);
      const closed = this.byEdges ? valid[index] !== 0 : true;
      if (closed && this.closedAfter[cell] === NEVER) this.closedAfter[cell] = index + 1;
      this.forEachEdge(index, (target, isValid) => {
        const found = isValid || map.blocked[target];
        if (found && this.seenAfter[target] === NEVER) this.seenAfter[target] = index + 1;
        if (isValid && this.byEdges && this.closedAfter[target] === NEVER) this.closedAfter[target] = index + 1;
      });
    }
  }

  forEachEdge(index, visit) {
    const { width } = this.map;
    for (let slot = 0; slot < 8; slot += 1) {
      if ((this.asked[index] >> slot) & 1) {
        visit(this.cells[index] + STEPS_Y[slot] * width + STEPS_X[slot], ((this.valid[index] >> slot) & 1) === 1);
      }
    }
  }

  expansionsAt(step) {
    if (step >= this.steps) return this.facts.expansions;
    return this.byEdges ? lastAtMost(this.expansionSteps, step - 1) + 1 : step;
  }

  evaluationsAt(step) {
    return this.evaluations[step];
  }

  // The last step that needs no more than this many evaluations.
  stepWithin(evaluations) {
    return lastAtMost(this.evaluations, evaluations);
  }

  solutionAt(step) {
    const known = this.solutions.filter((solution) => solution.edge_evaluations <= this.evaluations[step]);
    return known.length ? known[known.length - 1] : null;
  }

  // The path to show, with its cost and bound; null if none is known yet.
  answerAt(step) {
    if (step >= this.steps) return { path: this.path, cost: this.facts.cost, bound: this.facts.bound };
    return this.solutionAt(step);
  }

  shadesAt(step) {
    const known = this.shades.filter((one) => one.step <= step);
    return known.length ? known[known.length - 1].shades : null;
  }
}
