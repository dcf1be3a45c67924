import { spawnSync } from 'node:child_process';
import { median } from '../support/statistics.ts';
import type { Installed, Peer } from './peer.ts';
import { runPeer } from './run.ts';
import { HONEST } from './stub.ts';

/** What a peer costs beside its agent. Times are milliseconds, null: not seen. */
export interface Figures {
  /** `--version`, as a multiple of bare Node on this machine at that moment. */
  readonly version: number;
  /** From the start of the loop to that of the first agent, as a multiple of bare Node. */
  readonly toFirstAgent: number | null;
  /** From the end of an agent to the start of the next, median. */
  readonly between: number | null;
  /** Processes and threads started between two agents, median. */
  readonly processes: number | null;
  /** Resident memory of all its processes while agents start, the most. */
  readonly memoryMb: number;
  /** Agents that it started for the stories, and stories done. */
  readonly agents: number;
  readonly done: number | null;
}

const STORIES = 8;
const ROUNDS = 9;

/** Measures a peer with an honest agent on a backlog of {@link STORIES} stories. */
export async function measure(peer: Peer, installed: Installed): Promise<Figures> {
  const bare: number[] = [];
  const version: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(timeOf([process.execPath, '-e', '0']));
    version.push(timeOf(peer.version(installed)));
  }
  const facts = await runPeer(peer, installed, { agent: () => HONEST, mode: 'plain', stories: STORIES, limit: 60 });
  await facts.remove();
  // A loop that does not know when it is ready goes on: what it does then is not counted.
  const visits = facts.ended ? facts.visits : facts.visits.slice(0, STORIES);
  const gaps: number[] = [];
  const processes: number[] = [];
  for (const [index, { start, pidsAtStart }] of visits.entries()) {
    const before = visits[index - 1];
    if (before === undefined || before.end === null || before.pidsAtEnd === null) continue;
    gaps.push(start - before.end);
    processes.push(pidsAtStart - before.pidsAtEnd);
  }
  const first = visits[0];
  return {
    version: median(version) / median(bare),
    toFirstAgent: first === undefined ? null : (first.start - facts.began) / median(bare),
    between: gaps.length === 0 ? null : median(gaps),
    processes: processes.length === 0 ? null : median(processes),
    memoryMb: Math.max(0, ...visits.map(({ memoryMb }) => memoryMb)),
    agents: visits.length,
    done: facts.done,
  };
}

/** Without a network, like everything that peers do here: the same for bare Node. */
function timeOf(command: readonly string[]): number {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const started = performance.now();
  const { status } = spawnSync('unshare', [...user, '--net', ...command], { stdio: 'ignore' });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  return took;
}
