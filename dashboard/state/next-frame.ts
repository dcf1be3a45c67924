/** A page that nobody sees draws no frames; what comes in is then folded at this pace. */
const HIDDEN_PACE_MS = 250;

/** Calls back before the next frame is drawn, or soon where none is. */
export function nextFrame(then: () => void): void {
  if (document.hidden) setTimeout(then, HIDDEN_PACE_MS);
  else requestAnimationFrame(then);
}
