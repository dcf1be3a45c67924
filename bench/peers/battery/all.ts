import type { Installed, Peer } from '../peer.ts';
import { runPeer } from '../run.ts';
import type { Case, Verdict } from './case.ts';
import { claims } from './claims.ts';
import { repository } from './git.ts';
import { interruptions, processes } from './processes.ts';

/** The adversarial battery, in the order of the page. */
export const battery: readonly Case[] = [...claims, ...repository, ...processes, ...interruptions];

const STORIES = 3;
/** Seconds that a run may take. */
const LIMIT = 40;
const ENDLESS_LIMIT = 8;

/** Tries one case on a peer: a fresh repository, home and remote. */
export async function tryCase(peer: Peer, installed: Installed, { judge, ...test }: Case): Promise<Verdict> {
  const limit = patience(peer, test);
  const facts = await runPeer(peer, installed, {
    agent: (lab) => test.agent(peer, lab),
    mode: test.mode ?? 'plain',
    stories: STORIES,
    limit,
    ...(test.prepare && { prepare: test.prepare }),
    ...(test.timeLimit && peer.timeLimit && { files: peer.timeLimit }),
  });
  const verdict = await judge(facts, peer);
  if (process.env['PEERS_KEEP'] !== undefined) console.log(facts.lab, facts.output);
  else await facts.remove();
  return verdict;
}

function patience(peer: Peer, { timeLimit, limit }: Omit<Case, 'judge'>): number {
  if (peer.endless) return ENDLESS_LIMIT;
  return timeLimit && peer.fixedTimeLimit ? peer.fixedTimeLimit + 30 : (limit ?? LIMIT);
}
