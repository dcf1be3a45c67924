import { chmod, readFile, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { READY, shell, write } from '../support/says.ts';

/** What of a person's environment reaches the agent and the checks. */

/** A shell as people have it: toolchain, settings, secrets of this project and of others. */
const PERSON = {
  LC_TIME: 'de_DE.UTF-8',
  NVM_DIR: '/home/ada/.nvm',
  HTTPS_PROXY: 'http://proxy.example:3128',
  DATABASE_URL: 'postgres://ada:geheim@db.example/shop',
  GITHUB_TOKEN: 'ghp_of_the_person',
  MISE_GITHUB_TOKEN: 'ghp_of_the_person',
  AWS_SECRET_ACCESS_KEY: 'aws_of_the_person',
  ANTHROPIC_API_KEY: 'anthropic_of_the_person',
  OPENAI_API_KEY: 'openai_of_the_person',
  SSH_AUTH_SOCK: '/nowhere/agent.sock',
  NODE_OPTIONS: '--no-warnings',
  BASH_ENV: '/nowhere/startup.sh',
} as const;
const ORDINARY = ['LC_TIME', 'NVM_DIR', 'HTTPS_PROXY'] as const;

let project: Project;
afterEach(() => project?.remove());

/** A project whose only check writes down what it sees; the scripted agent does the same. */
async function dumpingProject(): Promise<void> {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    verifyCommands: ['env > "$HOME/check.env"'],
    steps: [{ do: [shell('env > "$HOME/agent.env"'), write('whole.txt', 'whole\n'), READY] }],
  });
}

async function seenBy(who: 'agent' | 'check'): Promise<Readonly<Record<string, string>>> {
  const lines = (await readFile(`${project.outside}/${who}.env`, 'utf8')).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Which variables of the person's shell somebody saw, unchanged. */
async function passedTo(who: 'agent' | 'check'): Promise<readonly string[]> {
  const seen = await seenBy(who);
  return Object.entries(PERSON).flatMap(([name, value]) => (seen[name] === value ? [name] : []));
}

describe('the scripted agent and the checks', () => {
  test('see where the toolchain is, and none of the secrets', async () => {
    await dumpingProject();
    const { code, stdout } = await project.run(['-n', '1', '--skip-review'], PERSON);
    expect(code, stdout).toBe(0);
    expect(await passedTo('agent')).toEqual(ORDINARY);
    expect(await passedTo('check')).toEqual(ORDINARY);
    for (const who of ['agent', 'check'] as const) {
      const everything = JSON.stringify(await seenBy(who));
      expect(everything).not.toMatch(/of_the_person|geheim/);
      expect(await seenBy(who)).toMatchObject({ HOME: project.outside, PATH: process.env['PATH'] });
    }
  });

  test('see what env.pass names, secret or not', async () => {
    await dumpingProject();
    const pass = JSON.stringify(['DATABASE_URL', 'AWS_*']);
    expect((await project.run(['-n', '1', '--skip-review'], { ...PERSON, RALPH_ENV_PASS: pass })).code).toBe(0);
    const named = [...ORDINARY, 'DATABASE_URL', 'AWS_SECRET_ACCESS_KEY'];
    expect(await passedTo('agent')).toEqual(named);
    expect(await passedTo('check')).toEqual(named);
  });

  test("see nothing of the loop's settings; only the agent can reach the run", async () => {
    await dumpingProject();
    const env = { RALPH_STORY_MAX_ATTEMPTS: '2', RALPH_ENV_PASS: '["*"]', GIT_INDEX_FILE: '/nowhere/index' };
    await project.run(['-n', '1', '--skip-review'], env);
    const [agent, check] = [await seenBy('agent'), await seenBy('check')];
    expect(agent['RALPH_CONTROL_TOKEN']).toMatch(/./);
    expect(check['RALPH_CONTROL_TOKEN']).toBeUndefined();
    expect(check['RALPH_CONTROL_URL']).toBeUndefined();
    for (const seen of [agent, check]) {
      expect(seen['RALPH_STORY_MAX_ATTEMPTS']).toBeUndefined();
      expect(seen['RALPH_ENV_PASS']).toBeUndefined();
      expect(seen['GIT_INDEX_FILE']).toBeUndefined();
    }
  });
});

test('an agent sees its own login and variables, and not those of another', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  const client = `${project.outside}/claude`;
  await writeFile(client, `#!/bin/sh\n[ "$1" = --version ] && echo 2.1.0 && exit\nenv > "$HOME/agent.env"\nexit 1\n`);
  await chmod(client, 0o755);
  const env = {
    ...PERSON,
    RALPH_AGENTS_CLAUDE_COMMAND: client,
    RALPH_AGENTS_CLAUDE_ENV: JSON.stringify({ OPENAI_API_KEY: PERSON.OPENAI_API_KEY }),
    RALPH_AGENTS_CODEX_ENV: JSON.stringify({ DATABASE_URL: PERSON.DATABASE_URL }),
    RALPH_TRANSIENT_RETRIES: '0',
    IS_SANDBOX: '1',
  };
  await project.ralph(['run', '-n', '1', '--agent', 'claude'], env);
  expect(await passedTo('agent')).toEqual([...ORDINARY, 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY']);
});
