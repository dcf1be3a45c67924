import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, exitOf, type Program } from './built.fixture.ts';

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL('crashpoint.fixture.ts', import.meta.url));
});
afterAll(() => program.dispose());

async function run(armed: string) {
  const child = program.start([], { RALPH_CRASHPOINT: armed });
  const exited = exitOf(child);
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return { ...(await exited), output };
}

test.each([
  ['here', 'before 1\n'],
  ['here#1', 'before 1\n'],
  ['here#3', 'before 1\nbefore 2\nbefore 3\n'],
])('%s dies as by kill -9', async (armed, output) => {
  expect(await run(armed)).toEqual({ code: null, signal: 'SIGKILL', output });
});

test.each(['', 'elsewhere', 'here#4', 'her'])('%j changes nothing', async (armed) => {
  expect(await run(armed)).toEqual({ code: 0, signal: null, output: 'before 1\nbefore 2\nbefore 3\nend\n' });
});
