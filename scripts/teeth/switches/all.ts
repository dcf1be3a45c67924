import type { Switch } from '../switch.ts';

/** Every protection that a row stands for. */
export const SWITCHES: readonly Switch[] = [];

/**
 * Attempts that stay without a switch, and why: with their protection off they would do harm to the machine that tries
 * them, or what they try is refused by the kernel whatever ralph does.
 */
export const WITHOUT_TEETH: Readonly<Record<string, string>> = {};
