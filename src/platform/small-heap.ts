import { setFlagsFromString } from 'node:v8';

/**
 * Keeps this process small for the rest of its life: V8 otherwise lets the space for young objects grow to 32 MB under
 * any steady trickle of garbage. Each start of a child copies our page tables, so a small process also starts git
 * faster. Costs a few more short collections; not worth calling in commands that end within a second.
 */
export function keepHeapSmall(): void {
  // Read whenever the space would grow, unlike the flags for its size, which count at the start of Node only.
  setFlagsFromString('--semi-space-growth-factor=1');
}
