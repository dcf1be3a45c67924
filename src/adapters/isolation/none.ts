import type { Isolation } from './port.ts';

/** No isolation: agents, checks and hooks run as the person who started the loop. */
export function noIsolation(): Isolation {
  return {
    name: 'none',
    coversGitDir: false,
    reach: 'address',
    probe: async () => ({
      available: true,
      detail:
        'no isolation: agents run with your own rights; only the rules of the loop stand between them and your files',
      mend: [],
      claims: [],
    }),
    prepare: async () => {},
    wrap: async ({ file, args, cwd, env }) => ({ file, args, cwd, env, end: async () => {} }),
    dispose: async () => {},
  };
}
