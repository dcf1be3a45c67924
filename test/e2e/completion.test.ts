import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { needs } from '../support/debian.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';

let project: Project;
let bin: string;

beforeAll(async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }, { id: 'epic:7' }, { id: '$(touch owned)' }, { id: '`touch owned`' }],
  });
  bin = join(project.outside, 'bin');
  await mkdir(bin);
  await chmod(RALPH, 0o755);
  await symlink(RALPH, join(bin, 'ralph'));
});
afterAll(() => project.remove());

/** Lines that a shell prints when it runs this script in the project, with `ralph` on its PATH. */
async function shell(file: string, args: readonly string[], script: string): Promise<readonly string[]> {
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: project.outside, LANG: 'C.UTF-8', TERM: 'dumb' };
  const { stdout, stderr } = await runCommand(file, [...args, script], { cwd: project.root, env, timeoutMs: 300_000 });
  expect(stderr.toString()).toBe('');
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

async function scriptOf(name: string): Promise<string> {
  const { stdout } = await project.ralph(['completion', name]);
  const file = join(project.outside, `ralph.${name}`);
  await writeFile(file, stdout);
  return file;
}

const LINES = [
  ['ralph stories sh', 'show'],
  ['ralph stories show US-00', 'US-001 US-002'],
  ['ralph stories show ', 'US-001 US-002 epic:7'],
  ['ralph run --rollback ne', 'never'],
  ['ralph config set skipReview t', 'true'],
  ['ralph config get maxAllowed', 'maxAllowedIterations'],
  ['ralph doctor --agent claude,co', 'claude,codex claude,copilot claude,command'],
  ['ralph completion fi', 'fish'],
] as const;

const sorted = (words: string) => words.split(' ').sort();

describe('bash', () => {
  const ask = async (line: string) => {
    const file = await scriptOf('bash');
    return shell(
      'bash',
      ['--norc', '-c'],
      `source '${file}'; COMP_LINE='${line}' COMP_POINT=${line.length}; _ralph; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  };

  it.each(LINES)('completes %s', async (line, words) => {
    expect([...(await ask(line))].sort()).toEqual(sorted(words));
  });

  it('gives only what stands behind a break of its own', async () => {
    expect(await ask('ralph run --rollback=ne')).toEqual(['never']);
    expect(await ask('ralph stories show epic:')).toEqual(['7']);
  });

  it('leaves files to itself', async () => {
    expect(await ask('ralph guard test READ')).toEqual([]);
  });

  it('registers the function', async () => {
    const file = await scriptOf('bash');
    expect(await shell('bash', ['--norc', '-c'], `source '${file}'; complete -p ralph`)).toEqual([
      'complete -o bashdefault -o default -F _ralph ralph',
    ]);
  });
});

const noZsh = await needs('zsh');
describe.skipIf(noZsh)('zsh', () => {
  it.each(LINES)('completes %s', async (line, words) => {
    const file = await scriptOf('zsh');
    const typed = line.split(' ').map((word) => `'${word}'`);
    const script = [
      'compdef() { : }',
      `source '${file}'`,
      'compadd() { print -rl -- $values }',
      `words=(${typed.join(' ')}) CURRENT=${typed.length}`,
      '_ralph',
    ].join('\n');
    expect([...(await shell('zsh', ['-f', '-c'], script))].sort()).toEqual(sorted(words));
  });
});

const noFish = await needs('fish');
describe.skipIf(noFish)('fish', () => {
  it.each(LINES)('completes %s', async (line, words) => {
    const file = await scriptOf('fish');
    const lines = await shell('fish', ['--no-config', '-c'], `source '${file}'; complete -C '${line}'`);
    expect(lines.map((one) => one.split('\t')[0]).sort()).toEqual(sorted(words));
  });
});

it('never runs what an agent called a story', async () => {
  expect(await project.git('status', '--porcelain')).not.toContain('owned');
  expect((await project.ralph(['completion', '--complete', '--', 'stories', 'show', ''])).stdout).not.toMatch(/[$`]/);
});
