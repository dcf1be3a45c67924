import { expect, test } from 'vitest';
import { parseScenario } from '../../../adapters/agents/scripted/parse-scenario.ts';
import { ROWS } from './all.ts';
import { HONEST } from './row.ts';

test('names are unique words that can be typed after --only', () => {
  const names = ROWS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

test.each(ROWS)('$name is a scenario that can be played, and a sentence that another agent can act on', (row) => {
  const scenario = JSON.stringify({ version: 1, steps: [...row.steps, ...HONEST] });
  expect(parseScenario(row.name, scenario)).not.toHaveProperty('problems');
  expect(`an agent that ${row.does}`).toMatch(/^an agent that [a-z].*[^.]$/);
});

test.each(ROWS)('$name expects as many verdicts as make its exit code true', ({ expect: { exitCode, verdicts } }) => {
  const accepted = verdicts.filter((verdict) => verdict === 'accepted').length;
  if (exitCode === 0) expect(accepted).toBeGreaterThanOrEqual(4);
  else expect(accepted).toBeLessThan(4);
});
