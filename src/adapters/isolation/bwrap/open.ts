import { UnavailableError } from '../../../contracts/errors.ts';
import type { Isolation, IsolationInput } from '../port.ts';
import { findBwrap } from './find.ts';
import { complaintWays, missingWays } from './mend.ts';
import { probeBwrap } from './probe.ts';
import { openSession, type Session } from './session.ts';

/** Linux namespaces around the whole of an agent, made by bubblewrap. */
export function openBwrap(input: IsolationInput): Isolation {
  let session: Session | null = null;
  return {
    name: 'bwrap',
    coversGitDir: true,
    reach: 'address',
    probe: () => probeBwrap(input, openBwrap),
    prepare: async (run) => {
      const bwrap = await findBwrap(input.env['PATH'], input.workspace.root);
      if (bwrap === null) {
        throw new UnavailableError({ what: 'bubblewrap is not installed', mend: await missingWays(input.env) });
      }
      if ('complaint' in bwrap) {
        const mend = await complaintWays(input.env);
        throw new UnavailableError({ what: 'bwrap cannot make a sandbox here', why: bwrap.complaint, mend });
      }
      session = await openSession(bwrap, input, run);
    },
    wrap: async (command) => {
      if (session === null) throw new Error('bwrap: wrap before prepare');
      return session.wrap(command);
    },
    dispose: async () => {
      await session?.close();
      session = null;
    },
  };
}
