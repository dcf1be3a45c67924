import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';
import { exists, list, remove } from '../../platform/index.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { renderExamination } from './render.ts';

test('ralph doctor names what keeps a run from starting, with the exit code of the worst', async () => {
  const repo = await freshRepository();
  const without = await repo.ralph('doctor', '--agent', 'scripted');
  expect(without.code).toBe(2);
  expect(without.out).toMatch(/✗ spec folder .*\n +fix: .*ralph/);
  await repo.write('ralph/tasks.json', backlogText);
  await repo.write('ralph.config.json', '{"agents":{"claude":{"command":"/nowhere/claude"}}}');
  const agent = await repo.ralph('doctor', '--agent', 'claude');
  expect(agent.code).toBe(7);
  expect(agent.out).toContain('✗ agent claude');
  expect(agent.out).toMatch(/! isolation none +no isolation/);
});

test('it makes and changes nothing, also where the state folder is a file', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  await repo.write('.ralph', 'a file');
  await remove(`${repo.root}/.git/ralph`);
  const { code, out } = await repo.ralph('doctor', '--agent', 'scripted');
  expect(code).toBe(2);
  expect(out).toMatch(/✗ disk +a file is where a folder should be: \S+\/\.ralph\n/);
  expect(await list(repo.root)).toContain('.ralph');
  expect(await exists(`${repo.root}/.git/ralph`)).toBe(false);
});

test('a configuration that cannot be read is told with the reason, and the agent is looked at all the same', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText, 'ralph.config.json': '{"a":' });
  const { out } = await repo.ralph('doctor', '--agent', 'scripted');
  expect(out).toMatch(/✗ config .*\(ralph\.config\.json:1\): it is not JSON/);
  expect(out).toMatch(/✗ agent scripted +the scripted agent needs a scenario/);
  expect((await repo.ralph('doctor', '--agent', 'clade')).code).toBe(2);
});

test("a broken settings file of the client's is told", async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText, '.claude/settings.json': '{"hooks": ' });
  expect((await repo.ralph('doctor', '--agent', 'scripted')).out).toMatch(/! hooks .*\.claude\/settings\.json:1/);
});

test('ralph doctor shows what the configured agents can do, with --agents what all can', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const mine = await repo.ralph('doctor', '--agent', 'scripted');
  expect(mine.out).toMatch(/^agent +hooks +tools +limits +cost +tokens +budget +ready\nscripted +-/m);
  expect(mine.out).not.toMatch(/^claude /m);
  const all = await repo.ralph('doctor', '--agent', 'scripted', '--agents');
  expect(all.out).toMatch(/^scripted +-.*\nclaude +yes/m);
});

test('--json has findings, every agent, and the names of the variables that agents do not get', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { findings, agents, withheld } = JSON.parse((await repo.ralph('doctor', '--json')).out);
  expect(findings[0]).toMatchObject({ name: 'node', state: 'ok' });
  expect(agents).toContainEqual(expect.objectContaining({ name: 'scripted', can: expect.anything() }));
  expect(withheld).toEqual([...withheld].sort());
});

test('renders the variables that agents do not get only when asked', () => {
  const found = { findings: [], agents: [], withheld: ['DATABASE_URL', 'SSH_AUTH_SOCK'] };
  const lines = (verbose: boolean) => renderExamination(found, { paint: plain, columns: 80, verbose }).join('\n');
  expect(lines(true)).toContain(
    'agents and checks do not get 2 variables that are set here:\n  DATABASE_URL SSH_AUTH_SOCK',
  );
  expect(lines(false)).not.toContain('DATABASE_URL');
});

test('agents without hooks are named, with what that means', () => {
  const can = { hooks: false, tools: false, limits: true, cost: false, tokens: true, budget: false };
  const missing = {
    name: 'other',
    ok: false,
    version: null,
    detail: 'not found',
    can,
    rulesHold: 'settle' as const,
    tested: 'by hand',
    environment: [],
  };
  const found = { findings: [], agents: [missing], withheld: [] };
  expect(renderExamination(found, { paint: plain, columns: 80, verbose: false }).slice(0, 4)).toEqual([
    '',
    'agent  hooks  tools  limits  cost  tokens  budget  ready',
    'other  -      -      yes     -     yes     -       no',
    'without hooks (other) rules are enforced only after the agent has ended',
  ]);
});
