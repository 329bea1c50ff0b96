// Where the tooltip of the pointer is: below and to the right of the pointer, or on the other side if there is no room.

export interface Spot {
  x: number;
  y: number;
}

/** Distances from the window's edges in pixels. Either `top` or `bottom` is set. */
export interface TooltipPlace {
  left: number;
  top?: number;
  bottom?: number;
}

const GAP_PX = 16;
const EDGE_PX = 8;

export function tooltipPlace(at: Spot, window: { width: number; height: number }, width: number): TooltipPlace {
  const left = Math.max(EDGE_PX, Math.min(at.x + GAP_PX, window.width - width - EDGE_PX));
  return at.y < window.height / 2 ? { left, top: at.y + GAP_PX } : { left, bottom: window.height - at.y + GAP_PX };
}
