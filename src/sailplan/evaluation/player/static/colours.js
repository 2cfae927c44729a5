// The colours of searches, the same as in pictures and animations (graphs/grid/pictures.py).

export const COLOURS = {
  free: [255, 255, 255],
  hidden_obstacle: [210, 210, 210],
  costly: [206, 186, 150],
  penalised: [240, 228, 66],
  penalised_obstacle: [122, 104, 8],
  known_invalid: [0, 0, 0],
  frontier: [158, 208, 240],
  expanded: [0, 114, 178],
  valid_edge: [0, 60, 104],
  invalid_edge: [224, 96, 170],
  path: [230, 140, 0],
  start: [0, 140, 96],
  goal: [140, 20, 90],
  ink: [40, 40, 40],
};

// Number of shades of multipliers and terrain costs.
export const SHADES = 16;

export function css(colour) {
  return `rgb(${colour.join(" ")})`;
}
