import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { runCommand } from '../../src/platform/index.ts';
import { easySteps, environmentIn, makeProject, type Project } from '../support/project.ts';

/** The action for GitHub, and the jobs for GitLab that docs/ci.md has: their shell steps are run here as a runner does. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** "Metadata syntax for GitHub Actions", as far as composite actions go. */
const shell = z.strictObject({
  name: z.string(),
  id: z.optional(z.string()),
  if: z.optional(z.string()),
  shell: z.literal('bash'),
  env: z.optional(z.record(z.string().check(z.regex(/^[A-Z_]+$/)), z.string())),
  run: z.string(),
});
const uses = z.strictObject({
  name: z.string(),
  if: z.optional(z.string()),
  uses: z.string().check(z.regex(/^actions\/[\w-]+@v\d+$/)),
  with: z.record(z.string(), z.string()),
});
const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(z.union([shell, uses])) }),
});
const action = async () => z.parse(actionSchema, parse(await readFile(join(ROOT, 'action.yml'), 'utf8')));

let project: Project;
afterEach(() => project?.remove());

const GH = `#!/bin/sh
echo "$*" >>"$LOG"
[ "$GH_TOKEN" = geheim ] || exit 4
case "$1 $2" in
'pr list') [ ! -e "$LOG.open" ] || echo 'https://github.com/una/app/pull/7' ;;
'pr create') cat >"$LOG.body"; touch "$LOG.open"; echo 'https://github.com/una/app/pull/7' ;;
'pr edit') cat >"$LOG.body" ;;
*) exit 9 ;;
esac
`;

/** A runner: a checkout of a branch whose remote is a folder, with ralph, npm and gh on its path. */
async function runner(remote: string) {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: easySteps('US-001'),
    verifyCommands: ['true'],
    branchName: 'ralph/login',
  });
  const at = (name: string) => join(project.outside, name);
  await mkdir(at('bin'));
  const programs = {
    gh: GH,
    npm: '#!/bin/sh\necho "npm $*" >>"$LOG"\n',
    ralph: `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, 'bin/ralph.js'))} "$@"\n`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(at(`bin/${name}`), text);
    await chmod(at(`bin/${name}`), 0o755);
  }
  await project.git('init', '-q', '--bare', at('remote.git'));
  await project.git('-C', at('remote.git'), 'config', 'receive.advertisePushOptions', 'true');
  await project.git('remote', 'add', 'origin', at('remote.git'));
  await project.git('push', '-q', 'origin', 'main');
  await project.git('remote', 'set-head', 'origin', 'main');
  await writeFile(
    at('gitconfig'),
    `[user]\n name = A\n email = a@example.org\n[url "${at('remote.git')}"]\n insteadOf = ${remote}\n`,
  );
  const env = environmentIn(project.outside, {
    PATH: `${at('bin')}:${process.env['PATH']}`,
    LOG: at('log'),
    GIT_CONFIG_GLOBAL: at('gitconfig'),
    RALPH_AGENT: 'scripted',
    RALPH_SCRIPTED_SCENARIO: project.scenario,
  });
  const bash = async (script: string, more: Readonly<Record<string, string>> = {}) => {
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const ended = await runCommand('bash', args, { cwd: project.root, env: { ...env, ...more }, timeoutMs: 300_000 });
    return { code: ended.exitCode, stdout: ended.stdout.toString(), stderr: ended.stderr.toString() };
  };
  const text = (name: string) => readFile(at(name), 'utf8').catch(() => '');
  return { at, bash, text };
}

test('the action never puts a value into a script, and gives its token to one step only', async () => {
  const { runs, inputs, outputs } = await action();
  for (const step of runs.steps) if ('run' in step) expect(step.run).not.toContain('${{');
  const named = JSON.stringify([runs, outputs]).match(/inputs\.[\w-]+/g) ?? [];
  expect([...new Set(named)].sort()).toEqual(
    Object.keys(inputs)
      .map((name) => `inputs.${name}`)
      .sort(),
  );
  const withToken = runs.steps.filter((step) => JSON.stringify(step).includes('inputs.token'));
  expect(withToken.map(({ name }) => name)).toEqual(['Pull request']);
});

test('a night on GitHub: report, summary, outputs, one draft pull request, also the second time', async () => {
  const { at, bash, text } = await runner('https://x-access-token:geheim@github.com/una/app');
  const { runs, inputs } = await action();
  const given = (text: string) =>
    text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, name: string) =>
      name === 'token' ? 'geheim' : (inputs[name]?.default ?? ''),
    );
  const play = async (name: string) => {
    const step = runs.steps.find((one) => one.name === name);
    if (step === undefined || !('run' in step)) throw new Error(`there is no step ${name}`);
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([key, value]) => [key, given(value)]));
    const files = { GITHUB_OUTPUT: at('output'), GITHUB_STEP_SUMMARY: at('summary') };
    const where = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'una/app', RUNNER_TEMP: at('temp') };
    return bash(step.run, { ...env, ...files, ...where });
  };
  await mkdir(at('temp'));
  expect(await play('Install')).toMatchObject({ code: 0 });
  expect(await text('log')).toBe('npm install --global --no-audit --no-fund @ralph-loop/cli\n');
  expect(await play('Pull request')).toMatchObject({ code: 0, stdout: 'nothing to propose\n' });
  expect(await play('Run')).toMatchObject({ code: 0 });
  expect(await text('output')).toBe(`report=${at('temp/ralph-report')}\nexit-code=0\n`);
  expect(await text('temp/ralph-report/events.jsonl')).toContain('"type":"run-end"');
  expect(await text('temp/ralph-report/report.html')).toContain('<html');
  expect(await text('summary')).toContain('US-001');

  expect(await play('Pull request')).toMatchObject({ code: 0 });
  const head = (await project.git('rev-parse', 'ralph/login')).trim();
  expect(await project.git('ls-remote', at('remote.git'), 'refs/heads/ralph/login')).toContain(head);
  expect(await text('log')).toMatch(/^pr create --draft --head ralph\/login --base main --title .+ --body-file -$/m);
  expect(await text('log.body')).toContain('## Stories');
  expect(await play('Pull request')).toMatchObject({ code: 0 });
  expect((await text('log')).trim().split('\n').at(-1)).toBe('pr edit https://github.com/una/app/pull/7 --body-file -');
  expect(await text('output')).toContain('url=https://github.com/una/app/pull/7\n');

  // A wrong setup fails the job, with a report where there is one.
  await project.write('ralph.config.json', '{"maxIterations": "many"}');
  expect(await play('Run')).toMatchObject({ code: 2 });
  expect(await text('output')).toContain('exit-code=2');
});

test('a night on GitLab, as docs/ci.md has it: the branch arrives as a draft', async () => {
  const { at, bash, text } = await runner('https://ralph:geheim@gitlab.example/una/app.git');
  const page = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
  const block = /## GitLab[\s\S]*?```yaml[^\n]*\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const jobs = parse(block) as Record<string, { script: readonly string[] }>;
  const script = (job: string) => jobs[job]?.script.join('\n') ?? 'false';
  await writeFile(
    at('remote.git/hooks/post-receive'),
    `#!/bin/sh\ncat >/dev/null\nenv | grep ^GIT_PUSH_OPTION >"${at('options')}"\n`,
  );
  await chmod(at('remote.git/hooks/post-receive'), 0o755);
  for (const night of [1, 2]) {
    expect(await bash(script('night')), String(night)).toMatchObject({ code: 0 });
    expect(await project.read('report.html')).toContain('<html');
    // Git may die of a closed pipe where it has only options to push to a folder: each night has something new.
    await project.git('commit', '-q', '--allow-empty', '-m', 'by hand');
    await project.git('bundle', 'create', '-q', 'work.bundle', 'ralph/login');
    const pushed = { PUSH_TOKEN: 'geheim', CI_SERVER_HOST: 'gitlab.example', CI_PROJECT_PATH: 'una/app' };
    await project.git('switch', '-q', '--detach', 'main');
    expect(await bash(script('propose'), { ...pushed, CI_DEFAULT_BRANCH: 'main' })).toMatchObject({ code: 0 });
    const head = (await project.git('rev-parse', 'ralph/login')).trim();
    expect(await project.git('ls-remote', at('remote.git'), 'refs/heads/ralph/login')).toContain(head);
    if (night === 1) {
      const options = await text('options');
      for (const option of ['merge_request.create', 'merge_request.draft', 'merge_request.target=main'])
        expect(options).toContain(`=${option}\n`);
    }
  }
});
