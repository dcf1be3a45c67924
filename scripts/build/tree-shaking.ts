import type { RolldownOptions } from 'rolldown';

/** A door brings along only what is asked for: no module of ours or of Node does anything by being loaded. */
export const WHAT_IS_USED = {
  moduleSideEffects: [{ test: /[\\/](?:src|dashboard)[\\/].*\.tsx?$|^node:/, sideEffects: false }],
} satisfies RolldownOptions['treeshake'];
