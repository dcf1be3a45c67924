import { setFlagsFromString } from 'node:v8';

/**
 * Keeps this process small for the rest of its life. V8 is tuned for busy programs: under a steady trickle of garbage
 * it lets the space for young objects grow to 32 MB, and collects old ones only once they have doubled. Each start of a
 * child copies this process's page tables, so a small process also starts git faster. Costs a few more short
 * collections; not worth calling in commands that end within a second.
 */
export function keepHeapSmall(): void {
  // Both are read whenever a space would grow, unlike the flags for sizes, which are read only when Node starts.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
}
