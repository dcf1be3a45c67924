import { UnavailableError } from '../../../contracts/errors.ts';
import type { Isolation, IsolationInput, Probe } from '../port.ts';
import { tryClaims } from '../view/canary.ts';
import { findSrt } from './find.ts';
import { openSession, type Session } from './session.ts';

/**
 * `@anthropic-ai/sandbox-runtime`: macOS's Seatbelt, and bubblewrap on Linux. It hides folders instead of showing some,
 * does not limit memory or processes, and shows the names of the host's processes on macOS.
 */
export function openSrt(input: IsolationInput): Isolation {
  let session: Session | null = null;
  return {
    name: 'srt',
    coversGitDir: false,
    reach: 'address',
    probe: () => probeSrt(input),
    prepare: async (run) => {
      const srt = await findSrt(input.env, input.workspace.root);
      if ('problem' in srt) throw new UnavailableError({ what: srt.problem, mend: srt.mend });
      session = await openSession(srt.file, input, run);
    },
    wrap: async (command) => {
      if (session === null) throw new Error('srt: wrap before prepare');
      return session.wrap(command);
    },
    dispose: async () => {
      await session?.close();
      session = null;
    },
  };
}

async function probeSrt(input: IsolationInput): Promise<Probe> {
  const srt = await findSrt(input.env, input.workspace.root);
  if ('problem' in srt) return { available: false, detail: srt.problem, mend: srt.mend, claims: [] };
  const claims = await tryClaims(openSrt, input);
  const broken = claims.find(({ held }) => !held);
  const detail = [
    `srt ${srt.version}`,
    ...(broken ? [`it did not hold: ${broken.claim} (${broken.detail})`] : []),
    'memory and processes are not limited',
    ...(input.policy.localPorts.length > 0 ? ["isolation.localPorts opens all of this machine's loopback"] : []),
  ].join('; ');
  return { available: broken === undefined, detail, mend: [], claims, unlimited: ['memory', 'processes'] };
}
