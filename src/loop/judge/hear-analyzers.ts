import type { Claim } from '../../contracts/model.ts';
import type { SeenTests } from '../../contracts/state/agent-outcome.ts';
import type { Answer } from '../../plugins/plugin.ts';
import type { Found } from '../../rules/plugins/replies.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from './ended.ts';

const NOTHING: Found = { completion: false, blocked: null, notes: [] };

/** What the analyzers of plugins find in the agent's last message. @param work paths that the iteration changed */
export async function hearAnalyzers(
  { plugins }: RunContext,
  { header, snapshot, outcome }: Ended,
  work: readonly string[],
): Promise<Found> {
  const { result, desk } = outcome;
  const text = result.text.trim() === '' ? (desk?.statusMessage ?? '') : result.text;
  // A message that was cut short says nothing about the work.
  if (outcome.verifyOnly || outcome.stopped !== null || text === '') return NOTHING;
  const story = snapshot.document?.backlog.stories.find(({ id }) => id === header.story);
  const { iteration, mode } = header;
  return plugins.analyze({
    iteration,
    mode,
    story: header.story,
    title: story?.title ?? '',
    text,
    ok: result.ok,
    changedFiles: work,
    tests: desk?.tests ? toldOf(desk.tests) : null,
    lonePrompt: snapshot.document?.format === 'prompt',
  });
}

function toldOf({ command, outcome, passed, failed }: SeenTests): NonNullable<Answer['tests']> {
  return { command, outcome, passed, failed };
}

/** A plugin that says why the agent cannot go on is heard where the agent itself made no claim but by its words. */
export function claimWith(claim: Claim | null, { blocked }: Found): Claim | null {
  if (blocked === null || (claim !== null && claim.source !== 'words')) return claim;
  return { kind: 'blocked', source: 'words', reason: blocked };
}
