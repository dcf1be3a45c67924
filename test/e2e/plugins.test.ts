// @module-tag long
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

let project: Project;
afterEach(() => project?.remove());

async function withPlugins(
  files: Readonly<Record<string, string>>,
  rest: ProjectOptions & { readonly plugins?: readonly unknown[] } = {},
): Promise<void> {
  const plugins = rest.plugins ?? Object.keys(files).map((file) => `./${file}`);
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }],
    steps: [...easySteps('US-001'), ...easySteps('US-002')],
    ...rest,
    files: {
      ...files,
      'ralph.config.json': JSON.stringify({ plugins }),
      '.gitignore': 'node_modules\n',
      ...rest.files,
    },
  });
}

/** A copy of an example, in a project that has nothing installed. */
async function withExample(name: string, options: object, rest: ProjectOptions = {}): Promise<void> {
  const text = await readFile(join(PACKAGE, 'examples', name, 'plugin.js'), 'utf8');
  const files = { 'plugins/example.js': text, 'package.json': '{ "type": "module" }', ...rest.files };
  await withPlugins({}, { ...rest, files, plugins: [{ use: './plugins/example.js', options }] });
}

async function install(): Promise<void> {
  await cp(join(PACKAGE, 'dist'), join(project.outside, 'cli/dist'), { recursive: true });
  await cp(join(PACKAGE, 'package.json'), join(project.outside, 'cli/package.json'));
  await mkdir(join(project.root, 'node_modules/@ralph-loop'), { recursive: true });
  await symlink(join(project.outside, 'cli'), join(project.root, 'node_modules/@ralph-loop/cli'));
}

/** The events of a run with `--json`, its exit code, and what it said beside them. */
async function runEvents(args: readonly string[] = []) {
  const { code, stdout, stderr } = await project.run(['--json', ...args]);
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (type: string) => events.filter((event) => event['type'] === type);
  return { code, stderr, of };
}

describe('plugins of a run', () => {
  test('one that fails is told of and left out, and the run goes on', async () => {
    await withPlugins({
      'p/throws.mjs': `console.log('noise'); export default { name: 'throws', exitWhen() { throw new Error('no luck'); } };`,
      'p/exits.mjs': `export default { name: 'exits', onEvent() { process.exit(3); } };`,
      'p/broken.mjs': 'export default {',
      'p/good.mjs': `export default { name: 'good', analyze: () => ({ notes: ['look at the moon'] }) };`,
    });
    const { code, of, stderr } = await runEvents();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const failed = of('plugin-failed')
      .map(({ plugin, doing }) => `${plugin} ${doing}`)
      .sort();
    expect(failed).toEqual(['broken load', 'exits onEvent', 'throws exitWhen']);
    expect(of('notice').map(({ text }) => text)).toContain('plugin throws: noise');
    const ledger = await ledgerOf(project);
    expect(ledger.filter(({ kind }) => kind === 'iteration')[0]).toMatchObject({
      pluginNotes: ['good: look at the moon'],
    });
  });

  test('one that is missing refuses the start, and names the file that was meant', async () => {
    await withPlugins({ 'p/deadline.mjs': 'export default {}' }, { plugins: ['./p/deadlin.mjs'] });
    const { code, stderr } = await project.run();
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean './p/deadline.mjs'?");
    expect(existsSync(join(project.root, '.ralph/runs'))).toBe(false);
  });

  test('a change of an agent to one is put back, and so is one to what it imports', async () => {
    const plugin = `import { word } from './lib/word.mjs'; export default { name: 'p', exitWhen: () => word };`;
    const word = 'export const word = null;\n';
    await withPlugins(
      { 'p/plugin.mjs': plugin, 'p/lib/word.mjs': word },
      {
        plugins: ['./p/plugin.mjs'],
        steps: [
          {
            when: { story: 'US-001', mode: 'implement' },
            do: [
              write('p/plugin.mjs', 'changed\n'),
              write('p/lib/word.mjs', 'changed\n'),
              write('src/a.txt', 'a\n'),
              READY,
            ],
          },
        ],
      },
    );
    const { of } = await runEvents(['--once']);
    const put = of('violation').map(({ violation }) => (violation as { field: string }).field);
    expect(put).toEqual(['p/lib/word.mjs', 'p/plugin.mjs']);
    expect([await project.read('p/plugin.mjs'), await project.read('p/lib/word.mjs')]).toEqual([plugin, word]);
    expect(of('plugin-failed')).toEqual([]);
  });

  test('a test detector says how a check ended that nobody else knows', async () => {
    await withPlugins(
      {
        'p/tests.mjs': `export default { name: 'tests', judgeTests: ({ command, output }) =>
          command === 'sh probe' ? { outcome: /bad/.test(output) ? 'fail' : 'pass', passed: 4, failed: 1, confidence: 1 } : null };`,
        probe: 'echo 4 good, 1 bad\n',
      },
      { plugins: ['./p/tests.mjs'], verifyCommands: ['sh probe', 'true'] },
    );
    const { of } = await runEvents(['--once']);
    const [baseline] = of('baseline');
    expect(baseline).toMatchObject({
      checks: [
        { command: 'sh probe', ok: false, exitCode: 0, tests: { outcome: 'fail', passed: 4, failed: 1 } },
        { command: 'true', ok: true },
      ],
    });
  });

  test('an analyzer may set a story aside, and never calls one done', async () => {
    await withPlugins(
      {
        'p/a.mjs': `export default { name: 'a', analyze: ({ story }) =>
        story === 'US-001' ? { blocked: 'the certificate has expired' } : { completion: true } };`,
      },
      {
        steps: [
          { when: { story: 'US-001' }, do: [write('a.txt', 'a\n'), { say: 'some of it is there' }] },
          { when: { story: 'US-002' }, do: [write('b.txt', 'b\n'), { say: 'some of it is there' }] },
        ],
      },
    );
    await project.run(['--max-iterations', '2']);
    const [first, second] = await project.stories();
    expect(first).toMatchObject({ passes: false, blocked: 'the certificate has expired' });
    expect(second).toMatchObject({ passes: false, reviewStatus: 'needs_review' });
  });
});

describe('.ralph-complete', () => {
  const making: ProjectOptions = {
    steps: [
      {
        when: { story: 'US-001', mode: 'implement' },
        do: [write('a.txt', 'a\n'), { run: 'touch .ralph-complete' }, READY],
      },
    ],
  };

  test('ends the run after the iteration, and says that stories are left', async () => {
    await withPlugins({}, making);
    const { code, of } = await runEvents();
    expect(code).toBe(1);
    expect(of('exit-condition')).toMatchObject([{ name: '.ralph-complete' }]);
    expect(of('run-end')).toMatchObject([{ reason: 'condition', exitCode: 1 }]);
    expect(of('iteration-end')).toHaveLength(1);
    expect(await project.git('ls-files', '.ralph-complete')).toBe('');
    expect(existsSync(join(project.root, '.ralph-complete'))).toBe(true);
  });

  test('that is older than the run does not end it, and that is said', async () => {
    await withPlugins({}, {});
    await writeFile(join(project.root, '.ralph-complete'), '');
    const { code, of } = await runEvents();
    expect(code).toBe(0);
    expect(of('notice').map(({ text }) => text)).toContain(
      '.ralph-complete was there before this run, so it does not end it.',
    );
  });
});

describe('the types that ship', () => {
  async function compile(): Promise<string> {
    const settings = {
      compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] },
    };
    await project.write('tsconfig.json', JSON.stringify({ ...settings, files: ['plugin.ts'] }));
    const { stdout } = await runCommand(join(PACKAGE, 'node_modules/.bin/tsc'), ['-p', '.'], {
      cwd: project.root,
      env: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 300_000,
    });
    return stdout.toString('utf8');
  }

  test('type a plugin by themselves, and refuse a wrong one', async () => {
    const plugin = (reply: string) => `import { definePlugin } from '@ralph-loop/cli/plugin';
      export const one = definePlugin({ name: 'one', analyze: ({ text }) => ({ notes: [text.trim()] }) });
      export default definePlugin(({ options, root }) => ({
        name: String(options['name'] ?? root),
        exitWhen: ({ stories }) => (stories.every(({ done }) => done) ? ${reply} : null),
        onEvent: async (event) => void (event.type === 'verdict' ? event.story.length : event.ts.length),
      }));`;
    await withPlugins({}, { files: { 'package.json': '{ "type": "module" }', 'plugin.ts': plugin(`'done'`) } });
    await install();
    expect(await compile()).toBe('');
    await project.write('plugin.ts', plugin(`'done'`).replace("'verdict'", "'select'").replace('story.', 'verdict.'));
    expect(await compile()).toContain("Property 'verdict' does not exist");
    await project.write('plugin.ts', plugin('7'));
    expect(await compile()).toContain("is not assignable to type 'Awaitable<string | null | undefined>'");
  });
});

test('on a lone prompt .ralph-complete says that it is done', async () => {
  project = await makeProject({
    backlog: { path: 'PROMPT.md', text: '# Port the parser\n' },
    steps: [{ do: [write('a.txt', 'a\n'), { run: 'touch .ralph-complete' }, { say: 'There is more to do.' }] }],
  });
  await project.git('rm', '-q', 'ralph/prd.md');
  await project.git('commit', '-q', '-m', 'no spec folder');
  const { code, of } = await runEvents();
  expect(of('run-end')).toMatchObject([{ reason: 'condition', exitCode: 0 }]);
  expect(code).toBe(0);
});

describe('examples', () => {
  test('analyzer-untested tells the next agent', async () => {
    await withExample(
      'analyzer-untested',
      {},
      {
        stories: [{ id: 'US-001' }],
        steps: [
          {
            when: { story: 'US-001', attempt: 1, mode: 'implement' },
            do: [write('a.txt', 'a\n'), { say: 'I wrote a.txt. I could not run the tests here.' }],
          },
          ...easySteps('US-001'),
        ],
      },
    );
    await project.run(['--max-iterations', '1']);
    const [line] = (await ledgerOf(project)).filter(({ kind }) => kind === 'iteration');
    expect(line).toMatchObject({ pluginNotes: [expect.stringContaining('"I could not run the tests here."')] });
    const { stdout } = await project.run(['--dry-run']);
    expect(stdout).toContain('- untested: The last answer (US-001) said: "I could not run the tests here."');
  });

  test('exit-when-deadline ends the run', async () => {
    await withExample('exit-when-deadline', { at: '2020-01-01T07:30:00' });
    const { code, of } = await runEvents();
    expect(code).toBe(1);
    expect(of('exit-condition')).toMatchObject([{ name: 'deadline', reason: 'it is later than 2020-01-01T07:30:00' }]);
    expect(of('iteration-end')).toHaveLength(1);
  });

  test('import-linear adds issues as stories, and what is new the next time', async () => {
    const asked: { key: string | undefined; variables: unknown }[] = [];
    const issue = (identifier: string) => ({
      ...{ identifier, title: `Issue ${identifier}`, description: '- [ ] it works', priorityLabel: 'High' },
      ...{ url: `https://linear.app/una/issue/${identifier}`, creator: { name: 'Una' }, labels: { nodes: [] } },
    });
    const nodes = [issue('ENG-7')];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push({ key: request.headers.authorization, variables: JSON.parse(body).variables });
        const errors = [{ message: 'Authentication required' }];
        response.end(
          JSON.stringify(request.headers.authorization === 'k1' ? { data: { issues: { nodes } } } : { errors }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await withExample('import-linear', { url });
      const env = { LINEAR_API_KEY: 'k1' };
      const first = await project.ralph(['import', 'linear:ENG#ready', '--json'], env);
      expect(JSON.parse(first.stdout)).toMatchObject({ stories: 1, added: 1, format: 'plugin' });
      expect(asked).toEqual([{ key: 'k1', variables: { team: 'ENG', label: 'ready' } }]);
      nodes.push(issue('ENG-9'));
      const next = await project.ralph(['import', 'linear:ENG#ready', '--json'], env);
      expect(JSON.parse(next.stdout)).toMatchObject({ stories: 2, added: 1 });
      expect(await project.stories()).toMatchObject([
        ...[{ id: 'US-001' }, { id: 'US-002' }],
        { id: 'ENG-7', acceptanceCriteria: ['it works'], url: 'https://linear.app/una/issue/ENG-7', author: 'Una' },
        { id: 'ENG-9' },
      ]);
      const wrong = await project.ralph(['import', 'linear:ENG'], { LINEAR_API_KEY: 'k2' });
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Linear says: Authentication required') });
      const other = await project.ralph(['import', 'jira:ENG'], env);
      expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no file jira:ENG') });
    } finally {
      server.close();
    }
  });

  test('import-jira adds the issues of all pages', async () => {
    const asked: URLSearchParams[] = [];
    const issue = (key: string, description: string | null) => ({
      ...{ id: '1', key, self: 'https://jira.example.org/rest/api/2/issue/1' },
      fields: {
        ...{ summary: `Issue ${key}`, description, labels: ['ready'] },
        ...{ priority: { name: 'High' }, creator: { displayName: 'Una' } },
      },
    });
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      asked.push(searchParams);
      const isKnown = request.headers.authorization === `Basic ${Buffer.from('una@example.org:t1').toString('base64')}`;
      const refused = { errorMessages: ['Client must be authenticated to access this resource.'], errors: {} };
      const first = {
        issues: [issue('ENG-7', 'As a list:\n* it works\n* it is fast')],
        nextPageToken: 'p2',
        isLast: false,
      };
      const last = { issues: [issue('ENG-9', null)], isLast: true };
      response.statusCode = isKnown ? 200 : 401;
      if (pathname !== '/rest/api/2/search/jql') response.statusCode = 410;
      response.end(JSON.stringify(isKnown ? (searchParams.get('nextPageToken') === 'p2' ? last : first) : refused));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await withExample('import-jira', { site });
      const env = { JIRA_EMAIL: 'una@example.org', JIRA_API_TOKEN: 't1' };
      const { stdout, stderr } = await project.ralph(['import', 'jira:ENG#ready', '--json'], env);
      expect(JSON.parse(stdout), stderr).toMatchObject({ stories: 2, added: 2, format: 'plugin' });
      expect(asked.map((query) => [query.get('jql'), query.get('nextPageToken')])).toEqual(
        [null, 'p2'].map((page) => [
          'project = "ENG" AND labels = "ready" AND statusCategory != Done ORDER BY created',
          page,
        ]),
      );
      expect(await project.stories()).toMatchObject([
        ...[{ id: 'US-001' }, { id: 'US-002' }],
        { id: 'ENG-7', acceptanceCriteria: ['it works', 'it is fast'], url: `${site}/browse/ENG-7`, author: 'Una' },
        { id: 'ENG-9', title: 'Issue ENG-9' },
      ]);
      const wrong = await project.ralph(['import', 'jira:ENG'], { ...env, JIRA_API_TOKEN: 't2' });
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Jira says: Client must be auth') });
    } finally {
      server.close();
    }
  });

  test('event-sink-file keeps a diary', async () => {
    await withExample('event-sink-file', {});
    const { of } = await runEvents(['--once']);
    const diary = await project.read('.ralph/diary.log');
    expect(of('plugin-failed')).toEqual([]);
    expect(diary).toMatch(/run started with scripted on ralph\/test\n/);
    expect(diary).toMatch(/implement US-001: story US-001\n/);
    expect(diary).toMatch(/run ended: once: 0 of 2 stories done, 1 iteration\n$/);
  });
});
