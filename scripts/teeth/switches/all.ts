import type { Switch } from '../switch.ts';
import { WALLS } from './walls.ts';
import { WORK } from './work.ts';

/** Every protection that a row stands for. */
export const SWITCHES: readonly Switch[] = [...WALLS, ...WORK];

/**
 * Rows that stay without a switch, and why: with their protection off they would do harm to the machine that tries
 * them, or what they try is refused by the kernel whatever ralph does.
 */
export const WITHOUT_TEETH: Readonly<Record<string, string>> = {};
