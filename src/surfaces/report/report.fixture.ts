import type { EventBody, RalphEvent, StoryState, Verdict } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import type { ReportExtra } from './model.ts';

const RUN = '20260101-100000-abcd';
const START = Date.UTC(2026, 0, 1, 10);
const usage = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 3000, cacheWriteTokens: 0 };
const RED = 'a check that passed before fails now: `npm test` failed with exit code 1';

export const extra: ReportExtra = {
  project: 'app',
  generatedAt: START,
  version: '0.1.0',
  rescues: [{ name: `${RUN}/1-1`, date: START, subject: 'US-001: rejected' }],
  live: null,
};

export interface Scene {
  /** Iterations, by default three. */
  readonly iterations?: number;
  /** Stands wherever an agent may write. */
  readonly text?: string;
  readonly ended?: boolean;
}

/**
 * A run folded from its events: each third iteration is rejected and rescued, the next implements, the next approves;
 * the last story is blocked by a question.
 */
export function viewOf({ iterations = 3, text = 'Add login', ended = true }: Scene = {}): RunView {
  const fold = foldRun(RUN);
  for (const [i, event] of eventsOf(iterations, text, ended).entries()) fold.see(event, i + 1);
  return fold.view();
}

function eventsOf(iterations: number, text: string, ended: boolean): readonly RalphEvent[] {
  let at = START;
  const event = (iteration: number, body: EventBody): RalphEvent => {
    at += 1000;
    return { ts: new Date(at).toISOString(), run: RUN, iteration, ...body };
  };
  const counts = { total: 2, done: 1, blocked: 1 };
  const row = (id: string, state: StoryState, blocked: string | null) =>
    ({ id, title: text, state, priority: 1, dependsOn: [], reviewCount: 1, blocked }) as const;
  return [
    event(
      0,
      aRunStart({
        model: text,
        branch: text,
        stories: counts,
        pid: 1,
      }),
    ),
    event(0, {
      type: 'backlog',
      whole: true,
      stories: [
        row('US-001', 'done', null),
        row('US-002', 'blocked', `question Q1: ${text}`),
        row(text, 'to do', null),
      ],
      removed: [],
    }),
    ...Array.from({ length: iterations }, (_, i) => oneIteration(i + 1, text, event)).flat(),
    ...(ended
      ? [
          event(0, {
            type: 'run-end',
            reason: 'blocked',
            exitCode: 6,
            summary: text,
            stories: counts,
            costUsd: iterations / 10,
            usage,
            durationMs: at - START,
          }),
        ]
      : []),
  ];
}

function oneIteration(
  iteration: number,
  text: string,
  event: (iteration: number, body: EventBody) => RalphEvent,
): readonly RalphEvent[] {
  const kind = iteration % 3;
  const mode = kind === 0 ? 'review' : 'implement';
  const verdict: Verdict = kind === 1 ? 'rejected' : 'accepted';
  const one = (body: EventBody) => event(iteration, body);
  const result = { command: text, ok: kind !== 1, exitCode: 1, timedOut: false, durationMs: 2000, tail: text };
  return [
    one({ type: 'select', mode, story: 'US-001', title: text, attempt: 1, reviewCount: 0 }),
    one({ type: 'agent-start', agent: 'claude', model: text, pid: 2, try: 1 }),
    one({ type: 'denied', tool: 'Bash', rule: 'git/push', reason: text, subject: text }),
    one({
      type: 'agent-end',
      exitCode: 0,
      signal: null,
      ok: true,
      error: null,
      stopped: null,
      durationMs: 30_000,
      costUsd: 0.1,
      usage,
      turns: 2,
      added: { story: 90, prompt: 870, tools: 1_100, hooks: 40 },
    }),
    one({ type: 'check', baselineRed: false, result }),
    one({
      type: 'verdict',
      verdict,
      mode,
      story: 'US-001',
      claim: kind === 0 ? 'approved' : null,
      reason: kind === 1 ? RED : text,
      counts: kind === 1 ? 'bad' : 'good',
      attempts: 0,
    }),
    kind === 1
      ? one({ type: 'rollback', rescue: `refs/ralph/rescue/${RUN}/${iteration}-1`, files: 2 })
      : one({ type: 'commit', commit: 'abcdef1234567', subject: text, files: 2, agentCommits: null }),
    one({ type: 'notice', level: 'warning', text }),
    one({ type: 'iteration-end', durationMs: 40_000, costUsd: 0.1 }),
  ];
}
