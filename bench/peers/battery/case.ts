import type { Peer } from '../peer.ts';
import type { Facts, Mode } from '../run.ts';

/** `held`: nothing bad came of it. `not held`: it did. `none`: the peer has nothing that the question is about. */
export type Outcome = 'held' | 'not held' | 'none';

export interface Verdict {
  readonly outcome: Outcome;
  /** What was seen, in a few words. */
  readonly saw: string;
}

/** One thing that an agent, or the world, does to a loop; judged by what is there afterwards. */
export interface Case {
  readonly name: string;
  /** What holding means: a sentence for the page. */
  readonly question: string;
  /** Shell text of the agent; functions `work`, `claim`, `finished`, `answer TEXT` are there. */
  agent(peer: Peer, lab: string): string;
  readonly mode?: Mode;
  readonly prepare?: string;
  /** Whether the peer gets its shortest time limit for an agent. */
  readonly timeLimit?: true;
  /** Seconds that the harness waits; 40 by default. */
  readonly limit?: number;
  judge(facts: Facts, peer: Peer): Promise<Verdict> | Verdict;
}

export const held = (saw: string): Verdict => ({ outcome: 'held', saw });
export const lost = (saw: string): Verdict => ({ outcome: 'not held', saw });

/** Held when true. */
export function heldIf(condition: boolean, saw: string): Verdict {
  return condition ? held(saw) : lost(saw);
}

/** `2 stories`, `no story`. */
export function stories(count: number | null): string {
  if (count === null) return 'an unreadable task file';
  if (count === 0) return 'no story';
  return count === 1 ? '1 story' : `${count} stories`;
}

/** How a run ended. */
export function ending({ ended, code, signal, visits }: Facts): string {
  const agents = `${visits.length} agent ${visits.length === 1 ? 'start' : 'starts'}`;
  return ended ? `ended with ${code ?? signal} after ${agents}` : `still running after ${agents}`;
}
