import type { Isolation } from './port.ts';

/** No isolation: agents and checks run as the person who started the loop. */
export function noIsolation(): Isolation {
  return {
    name: 'none',
    probe: async () => ({
      available: true,
      detail:
        'no isolation: agents run with your own rights; only the rules of the loop stand between them and your files',
    }),
    prepare: async () => {},
    wrap: (command) => command,
    dispose: async () => {},
  };
}
