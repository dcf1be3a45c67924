import { describe, expect, it } from 'vitest';
import { describeError } from '../../../contracts/index.ts';
import { parseScenario } from './parse-scenario.ts';
import { loadScenario } from './scenario.ts';

function problems(source: string): string[] {
  const parsed = parseScenario('s.yaml', source);
  if (!('problems' in parsed)) throw new Error('expected problems');
  return parsed.problems.map((problem) => `${problem.file}:${problem.line}: ${problem.message}`);
}

function scenario(source: string) {
  const parsed = parseScenario('s.yaml', source);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

describe('parseScenario', () => {
  it('fills in defaults and short forms', () => {
    const { steps, backlog, model } = scenario(`
version: 1
steps:
  - when: { story: US-001, attempt: [1, 2] }
    do:
      - run: npm test
      - sleep: 1.5s
      - tick: true
      - usage: { input: 3 }
      - limit: {}
`);
    expect(model).toBe('scripted');
    expect(backlog).toBe('ralph/tasks.json');
    expect(steps[0]?.when).toEqual({ story: ['US-001'], attempt: [1, 2] });
    expect(steps[0]?.do).toEqual([
      { name: 'run', input: { command: 'npm test', expect: 'any' } },
      { name: 'sleep', input: 1500 },
      { name: 'tick', input: { text: null } },
      { name: 'usage', input: { input: 3, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, context: null } },
      { name: 'limit', input: { kind: 'rate_limit', status: 'rejected' } },
    ]);
  });

  it('names line and place of every problem', () => {
    expect(
      problems(`version: 1
colour: red
steps:
  - when: { mode: fix }
    do:
      - say: hello
      - dance: true
      - say: a
        write: { path: x, content: y }
      - write: { path: x }
      - sleep: soon
`),
    ).toMatchInlineSnapshot(`
      [
        "s.yaml:2: unknown 'colour'",
        "s.yaml:4: steps.0.when.mode: Invalid option: expected one of "implement"|"review"|"review-fix"",
        "s.yaml:7: steps.0.do.1: unknown 'dance'",
        "s.yaml:8: steps.0.do.2: an action is one name with its value",
        "s.yaml:10: steps.0.do.3.write.content: is missing",
        "s.yaml:11: steps.0.do.4.sleep: a duration is a number of milliseconds or e.g. 250ms, 2s, 5m, 1h",
      ]
    `);
  });

  it.each([
    ['an empty file', ''],
    ['a list', '- a'],
    ['a later version', 'version: 2\nsteps: []'],
    ['no steps', 'version: 1'],
    ['broken YAML', 'version: 1\nsteps: [\n  a: b: c'],
    ['a duplicate key', 'version: 1\nversion: 1\nsteps: []'],
    ['binary data', '\u0000\u0001\u0002'],
  ])('refuses %s', (_name, source) => {
    expect(problems(source)).toMatchSnapshot();
  });
});

describe('loadScenario', () => {
  it('says which file is missing and what to do', async () => {
    const error: unknown = await loadScenario('/nowhere/scenario.yaml').catch((e: unknown) => e);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(describeError(error)).toMatchInlineSnapshot(`
      "Error: the scenario cannot be played
        where: /nowhere/scenario.yaml
        /nowhere/scenario.yaml:1: the file does not exist
          fix: name an existing file with --scenario"
    `);
  });
});
