import { openLimits } from '../limits/open.ts';
import type { Isolation, IsolationInput, Limit, Probe } from '../port.ts';
import { tryClaims } from '../view/canary.ts';
import { type Bwrap, findBwrap } from './find.ts';
import { complaintWays, missingWays } from './mend.ts';
import { seccompFilter } from './seccomp.ts';

/** Is it there, does it work, and does it hold what it promises? Never rejects. */
export async function probeBwrap(input: IsolationInput, open: (input: IsolationInput) => Isolation): Promise<Probe> {
  const { env } = input;
  if (process.platform !== 'linux') {
    return { available: false, detail: 'bubblewrap is for Linux', mend: await missingWays(env), claims: [] };
  }
  const bwrap = await findBwrap(env['PATH'], input.workspace.root);
  if (bwrap === null) {
    return { available: false, detail: 'bubblewrap is not installed', mend: await missingWays(env), claims: [] };
  }
  if ('complaint' in bwrap) {
    const detail = `bwrap cannot make a sandbox here: ${bwrap.complaint}`;
    return { available: false, detail, mend: await complaintWays(env), claims: [] };
  }
  const claims = await tryClaims(open, input);
  const broken = claims.filter(({ held }) => !held);
  const unlimited = await unlimitedHere(input);
  const lacking = [...unfiltered(bwrap, process.arch), ...unlimited.map((limit) => UNLIMITED[limit])];
  const detail = [`bubblewrap ${bwrap.version}`, ...lacking].join('; ');
  if (broken.length === 0) return { available: true, detail, mend: [], claims, unlimited };
  const complaint = `${detail}; it did not hold: ${broken[0]?.claim}`;
  return { available: false, detail: complaint, mend: await complaintWays(env), claims, unlimited };
}

/** Why calls of the system are not filtered here, if so; `machine` as Node names it. Pure. */
export function unfiltered({ filter }: Pick<Bwrap, 'filter'>, machine: string): readonly string[] {
  if (filter !== null) return [];
  const why = seccompFilter(machine) === null ? `no filter is known for ${machine}` : 'none can be set';
  return [`system calls are not filtered here (${why})`];
}

const UNLIMITED: Readonly<Record<Limit, string>> = {
  memory: 'memory is not limited here (no control groups for us, no systemd of the user)',
  processes: 'processes are not limited here (no control groups for us)',
};

/** What cannot be limited here. An ordinary user is held to a number of processes in any case. */
async function unlimitedHere({ policy, env }: IsolationInput): Promise<readonly Limit[]> {
  const limits = await openLimits(policy, env);
  await limits.close();
  const { memory, processes } = limits.held;
  return [
    ...(memory ? [] : ['memory' as const]),
    ...(processes || process.getuid?.() !== 0 ? [] : ['processes' as const]),
  ];
}
