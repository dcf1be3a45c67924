import type { EventBody, Usage } from '../../src/contracts/index.ts';

/** What an agent says and does in one iteration. */
const TALK = 990;

const usage: Usage = { inputTokens: 1_000, outputTokens: 2_100, cacheReadTokens: 30_000, cacheWriteTokens: 500 };
const OUTPUT = 'src/app.ts:12: export function login(name: string): Session — 3 tests, 2 passed, 1 failed in 1.2 s';

/** The lines of one iteration in an event log, about a thousand. */
export function eventLines(run: string, iteration: number): readonly string[] {
  const story = `US-${String((iteration % 40) + 1).padStart(3, '0')}`;
  const bodies: readonly EventBody[] = [
    { type: 'select', mode: 'implement', story, title: `Story ${story}`, attempt: 1, reviewCount: 0 },
    { type: 'checkpoint', head: 'abcdef1234', tree: 'fedcba4321', durationMs: 31 },
    { type: 'agent-start', agent: 'claude', model: 'opus', pid: 12, try: 1 },
    ...Array.from({ length: TALK }, (_, i) => talk(i)),
    { type: 'denied', tool: 'Bash', rule: 'git/push', reason: 'pushing is the loop’s business', subject: 'git push' },
    {
      type: 'agent-end',
      exitCode: 0,
      signal: null,
      ok: true,
      error: null,
      stopped: null,
      durationMs: 60_000,
      costUsd: 0.12,
      usage,
      turns: 30,
    },
    { type: 'check-start', command: 'npm test' },
    {
      type: 'verdict',
      verdict: 'accepted',
      mode: 'implement',
      story,
      claim: null,
      reason: '',
      counts: 'good',
      attempts: 0,
    },
    { type: 'commit', commit: 'abcdef1234', subject: `feat: ${story}`, files: 3, agentCommits: null },
    { type: 'iteration-end', durationMs: 65_000, costUsd: 0.12 },
  ];
  const start = Date.UTC(2026, 0, 1) + iteration * 65_000;
  return bodies.map((body, i) =>
    JSON.stringify({ ts: new Date(start + i * 60).toISOString(), run, iteration, ...body }),
  );
}

function talk(i: number): EventBody {
  const id = `toolu_${String(i).padStart(20, '0')}`;
  if (i % 3 === 0)
    return { type: 'agent', event: { type: 'tool-call', id, name: 'Bash', summary: 'npm test -- src/app' } };
  if (i % 3 === 1) return { type: 'agent', event: { type: 'tool-result', id, ok: true, summary: OUTPUT } };
  if (i % 30 === 2) return { type: 'agent', event: { type: 'usage', usage, contextTokens: 60_000 + i } };
  return { type: 'agent', event: { type: 'text', text: `${OUTPUT}. I look at what fails and fix it next.` } };
}
