import { expect, test } from 'vitest';
import { scenarioSchema } from '../../adapters/agents/scripted/scenario-schema.ts';
import type { AgentEvent } from '../../contracts/agent.ts';
import type { EventBody, RalphEvent } from '../../contracts/events.ts';
import { blobId } from './project.ts';
import { writtenBy } from './written.ts';

const SCENARIO = scenarioSchema.parse({
  version: 1,
  steps: [
    { when: { attempt: 1 }, do: [{ write: { path: 'a.js', content: 'first {{ITERATION}}' } }] },
    { do: [{ run: 'true' }, { write: { path: 'a.js', content: 'second' } }] },
  ],
});

const at = (iteration: number, body: EventBody): RalphEvent => ({ ts: '', run: 'r1', iteration, ...body });
const agent = (iteration: number, event: AgentEvent): RalphEvent => at(iteration, { type: 'agent', event });

const started = (iteration: number, attempt: number): readonly RalphEvent[] => [
  at(iteration, { type: 'select', mode: 'implement', story: 'US-001', title: '', attempt, reviewCount: 0 }),
  at(iteration, { type: 'agent-start', agent: 'scripted', model: null, pid: 1, try: 1 }),
];

const wrote = (iteration: number, id: string, ok: boolean): readonly RalphEvent[] => [
  agent(iteration, { type: 'tool-call', id, name: 'Write', summary: 'a.js' }),
  agent(iteration, { type: 'tool-result', id, ok, summary: '' }),
];

const blobs = (...texts: readonly string[]) => new Map(texts.map((text) => [blobId(Buffer.from(text)), 'a.js']));

test('what was written is known from the step that was chosen and the events of its calls', () => {
  const events = [...started(1, 1), ...wrote(1, 'call-1', true), ...started(2, 2), ...wrote(2, 'call-2', true)];
  expect(writtenBy(SCENARIO, events)).toEqual(blobs('first 1', 'second'));
});

test('what failed, or was never come to, was not written', () => {
  expect(writtenBy(SCENARIO, [...started(1, 1), ...wrote(1, 'call-1', false)])).toEqual(new Map());
  expect(writtenBy(SCENARIO, started(1, 2))).toEqual(new Map());
});

test('the same name is given to contents as git gives', () => {
  expect(blobId(Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
});
