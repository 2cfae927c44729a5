// Animated GIF files, from the pixels of a canvas.

import { COLOURS } from "./colours.js";

const LEVELS = [0, 51, 102, 153, 204, 255];

// The colours of searches, then a cube of colours for blends.
function makePalette() {
  const palette = Object.values(COLOURS).map((colour) => [...colour]);
  for (const red of LEVELS) for (const green of LEVELS) for (const blue of LEVELS) palette.push([red, green, blue]);
  while (palette.length < 256) palette.push([0, 0, 0]);
  return palette;
}

const PALETTE = makePalette();
const nearest = new Map();

function closestColour(red, green, blue) {
  const key = (red << 16) | (green << 8) | blue;
  if (!nearest.has(key)) {
    let best = 0;
    let least = Infinity;
    PALETTE.forEach(([r, g, b], index) => {
      const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (distance < least) [best, least] = [index, distance];
    });
    nearest.set(key, best);
  }
  return nearest.get(key);
}

class Bytes {
  constructor() {
    this.parts = [];
  }

  add(...numbers) {
    this.parts.push(Uint8Array.from(numbers));
  }

  addText(text) {
    this.add(...Array.from(text, (letter) => letter.charCodeAt(0)));
  }

  addWord(number) {
    this.add(number & 255, number >> 8);
  }
}

// Compress indices of colours as GIF does: codes of growing width, in blocks of at most 255 bytes.
function compress(indices) {
  const clear = 256;
  const output = [];
  let bits = 0;
  let filled = 0;
  let width = 9;
  let table = new Map();
  let next = clear + 2;
  const write = (code) => {
    bits |= code << filled;
    filled += width;
    while (filled >= 8) {
      output.push(bits & 255);
      bits >>>= 8;
      filled -= 8;
    }
  };
  write(clear);
  let prefix = indices[0];
  for (let at = 1; at < indices.length; at += 1) {
    const key = (prefix << 8) | indices[at];
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    write(prefix);
    if (next < 4096) {
      table.set(key, next);
      if (next === 1 << width) width += 1;
      next += 1;
    } else {
      write(clear);
      table = new Map();
      next = clear + 2;
      width = 9;
    }
    prefix = indices[at];
  }
  write(prefix);
  write(clear + 1);
  if (filled) output.push(bits & 255);
  return Uint8Array.from(output);
}

export class GifWriter {
  constructor(width, height) {
    this.bytes = new Bytes();
    this.size = [width, height];
    this.bytes.addText("GIF89a");
    this.bytes.addWord(width);
    this.bytes.addWord(height);
    this.bytes.add(0xf7, 0, 0, ...PALETTE.flat());
    this.bytes.add(0x21, 0xff, 11);
    this.bytes.addText("NETSCAPE2.0");
    this.bytes.add(3, 1, 0, 0, 0);
  }

  addFrame(context, milliseconds) {
    const [width, height] = this.size;
    const { data } = context.getImageData(0, 0, width, height);
    const indices = new Uint8Array(width * height);
    for (let pixel = 0; pixel < indices.length; pixel += 1) {
      indices[pixel] = closestColour(data[4 * pixel], data[4 * pixel + 1], data[4 * pixel + 2]);
    }
    this.bytes.add(0x21, 0xf9, 4, 0);
    this.bytes.addWord(Math.round(milliseconds / 10));
    this.bytes.add(0, 0, 0x2c, 0, 0, 0, 0);
    this.bytes.addWord(width);
    this.bytes.addWord(height);
    this.bytes.add(0, 8);
    const packed = compress(indices);
    for (let at = 0; at < packed.length; at += 255) {
      const block = packed.subarray(at, at + 255);
      this.bytes.add(block.length);
      this.bytes.parts.push(block);
    }
    this.bytes.add(0);
  }

  finish() {
    this.bytes.add(0x3b);
    return new Blob(this.bytes.parts, { type: "image/gif" });
  }
}
