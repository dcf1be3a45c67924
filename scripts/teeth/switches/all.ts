import type { Switch } from '../switch.ts';
import { DOORS } from './doors.ts';
import { GIT } from './git.ts';
import { LOOP } from './loop.ts';
import { WALLS } from './walls.ts';

/** Every protection that a row stands for. */
export const SWITCHES: readonly Switch[] = [...WALLS, ...DOORS, ...GIT, ...LOOP];

/**
 * Rows that stay without a switch, and why: with their protection off they would do harm to the machine that tries
 * them, or what they try is refused by the kernel whatever ralph does.
 */
export const WITHOUT_TEETH: Readonly<Record<string, string>> = {};
