import { paintFor } from './paint.ts';

/** As on a terminal. */
export const coloured = paintFor({ isTTY: true, env: {} });
