import { openLimits } from '../limits/open.ts';
import type { Isolation, IsolationInput, Probe } from '../port.ts';
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
  const lacking = [...unfiltered(bwrap, process.arch), ...(await unlimited(input))];
  const detail = [`bubblewrap ${bwrap.version}`, ...lacking].join('; ');
  if (broken.length === 0) return { available: true, detail, mend: [], claims };
  return { available: false, detail: `${detail}; it did not hold: ${broken[0]?.claim}`, mend: [], claims };
}

/** Why calls of the system are not filtered here, if so; `machine` as Node names it. Pure. */
export function unfiltered({ filter }: Pick<Bwrap, 'filter'>, machine: string): readonly string[] {
  if (filter !== null) return [];
  const why = seccompFilter(machine) === null ? `no filter is known for ${machine}` : 'none can be set';
  return [`system calls are not filtered here (${why})`];
}

/** What cannot be limited here. An ordinary user is held to a number of processes in any case. */
async function unlimited({ policy, env }: IsolationInput): Promise<readonly string[]> {
  const limits = await openLimits(policy, env);
  await limits.close();
  const { memory, processes } = limits.held;
  return [
    ...(memory ? [] : ['memory is not limited here (no control groups for us, no systemd of the user)']),
    ...(processes || process.getuid?.() !== 0 ? [] : ['processes are not limited here (no control groups for us)']),
  ];
}
