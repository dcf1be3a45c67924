import { expect, test } from 'vitest';
import { freshRepository } from '../../test/support/command-repository.ts';
import { memoryIo } from '../surfaces/terminal/io.fixture.ts';
import { runCli } from './cli.ts';

test('ralph config tells values and their sources', async () => {
  const repo = await freshRepository();
  expect((await repo.ralph('config')).out).toMatch(/^maxIterations +15 +default$/m);
  expect((await repo.ralph('config', 'get', 'reviewCap')).out).toBe('5\n');
  expect((await repo.ralph('config', 'get', 'maxIteration')).err).toContain(
    "there is no setting 'maxIteration'; did you mean maxIterations?",
  );
});

test('of a group, get shows every setting', async () => {
  const repo = await freshRepository();
  const { code, out } = await repo.ralph('config', 'get', 'circuit');
  expect(code).toBe(0);
  expect(out).toMatch(/^circuit\.noProgress +3 +default$/m);
  expect(JSON.parse((await repo.ralph('config', 'get', 'guard', '--json')).out)).toEqual([
    { key: 'guard.allow', value: [], source: 'default', where: '' },
    { key: 'guard.deny', value: [], source: 'default', where: '' },
  ]);
});

test('what is set counts at once, with its line, until it is removed', async () => {
  const repo = await freshRepository();
  const { code, out } = await repo.ralph('config', 'set', 'checks.timeout', '90s');
  expect({ code, out }).toEqual({ code: 0, out: 'checks.timeout = 90s   (ralph.config.json:4)\n' });
  expect((await repo.ralph('config')).out).toMatch(/^checks\.timeout +90s +file ralph\.config\.json:4$/m);
  expect((await repo.ralph('config', 'set', 'checks.timeout', '--unset')).out).toBe(
    'checks.timeout removed from ralph.config.json\n',
  );
  expect(JSON.parse((await repo.read('ralph.config.json')) ?? '')).toEqual({ $schema: expect.any(String) });
});

test('a variable that wins over the file is named', async () => {
  const repo = await freshRepository();
  const io = memoryIo({ cwd: repo.root, env: { ...process.env, RALPH_REVIEW_CAP: '7' } });
  expect(await runCli(['config', 'set', 'reviewCap', '2'], io)).toBe(0);
  expect(io.err()).toBe('warning: RALPH_REVIEW_CAP is also set and overrides the file\n');
});

test('nothing is written for a value that the setting does not take', async () => {
  const repo = await freshRepository();
  const { code, err } = await repo.ralph('config', 'set', 'dirty', 'stas');
  expect(code).toBe(2);
  expect(err).toContain("'dirty' must be one of 'refuse', 'stash', 'keep', not 'stas'; did you mean stash?");
  expect(await repo.read('ralph.config.json')).toBeNull();
  expect((await repo.ralph('config', 'set', 'dirty')).err).toContain("give a value for 'dirty', or --unset");
});

test('a configuration that is code is left to a person, with what to write', async () => {
  const repo = await freshRepository({ 'ralph.config.js': 'export default { maxIterations: 3 };\n' });
  const { code, err } = await repo.ralph('config', 'set', 'checks.timeout', '5m');
  expect(code).toBe(2);
  expect(err).toContain('ralph.config.js is code: ralph cannot edit it');
  expect(err).toContain('add to it: checks: { timeout: "5m" }');
});
