import type { Backend, Isolation, IsolationInput } from './port.ts';

export type OpenBackend = (input: IsolationInput) => Promise<Isolation>;

/** Every backend; each loads when it is opened. */
export const BACKENDS: Readonly<Record<Backend, OpenBackend>> = {
  sbx: async (input) => (await import('./sbx/open.ts')).openSbx(input),
  container: async (input) => (await import('./container/open.ts')).openContainer(input),
  bwrap: async (input) => (await import('./bwrap/open.ts')).openBwrap(input),
  srt: async (input) => (await import('./srt/open.ts')).openSrt(input),
};
