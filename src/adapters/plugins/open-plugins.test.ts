import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BundledThread, bundleThread } from '../../../test/support/plugin-thread.ts';
import type { Answer, CommandRun, RunState } from '../../plugins/plugin.ts';
import { openPlugins, type PluginFailure, type Plugins } from './open-plugins.ts';

let thread: BundledThread;
beforeAll(async () => {
  thread = await bundleThread();
});
afterAll(() => thread.remove());

let root = '';
let failures: PluginFailure[] = [];
let lines: string[] = [];
let opened: Plugins | undefined;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ralph-plugins-')));
  failures = [];
  lines = [];
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Opens plugins by the text of their modules. */
async function open(...modules: readonly string[]): Promise<Plugins> {
  await Promise.all(modules.map((text, at) => put(`plugins/p${at + 1}.mjs`, text)));
  return openNamed(modules.map((_, at) => ({ use: `./plugins/p${at + 1}.mjs`, options: { at } })));
}

async function openNamed(settings: Parameters<typeof openPlugins>[0]['settings'], env: Record<string, string> = {}) {
  opened = await openPlugins({
    settings,
    root,
    run: 'run-1',
    program: thread.program,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    onFailed: (failure) => failures.push(failure),
    onLine: (plugin, line) => lines.push(`${plugin}: ${line}`),
  });
  return opened;
}

const ANSWER: Answer = {
  run: 'run-1',
  root: '/project',
  iteration: 1,
  mode: 'implement',
  story: 'US-001',
  title: 'a story',
  text: 'I could not run the tests.',
  ok: true,
  changedFiles: [],
  tests: null,
  lonePrompt: false,
};
const STATE: RunState = {
  run: 'run-1',
  root: '/project',
  startedAt: 0,
  iteration: 1,
  verdicts: [],
  stories: [],
  costUsd: 0,
  lonePrompt: false,
};
const RUN: CommandRun = { command: 'sh test.sh', output: 'all 3 fine', exitCode: 0, root: '/project' };

describe('plugins', () => {
  test('answer every kind of question, as an object or made by a function', async () => {
    const plugins = await open(
      `export default { name: 'one', analyze: ({ text }) => ({ notes: [text.slice(0, 7)] }), exitWhen: () => null }`,
      `export default async ({ options, root, run }) => ({
        name: 'two',
        exitWhen: async () => JSON.stringify({ options, run, root }),
        judgeTests: ({ output }) => ({ outcome: 'pass', passed: Number(/\\d+/.exec(output)[0]) }),
      })`,
    );
    expect(plugins.rows()).toMatchObject([
      { use: './plugins/p1.mjs', name: 'one', provides: ['analyze', 'exitWhen'] },
      { name: 'two', provides: ['exitWhen', 'judgeTests'] },
    ]);
    expect(await plugins.analyze(ANSWER)).toEqual([
      { plugin: 'one', value: { completion: false, blocked: null, notes: ['I could'] } },
    ]);
    const met = await plugins.exitWhen(STATE);
    expect(met?.plugin).toBe('two');
    expect(JSON.parse(met?.value ?? '')).toEqual({ options: { at: 1 }, run: 'run-1', root });
    const { value } = (await plugins.judgeTests(RUN)) ?? {};
    expect(value).toEqual({ outcome: 'pass', passed: 3, failed: null, confidence: 0.9 });
    expect(failures).toEqual([]);
  });

  test.each([
    ['throws', `() => { throw new Error('no luck') }`, 'no luck'],
    ['rejects', `async () => { throw 'a text' }`, 'a text'],
    ['never answers', '() => new Promise(() => {})', 'it took longer than 2 seconds'],
    ['runs for ever', '() => { for (;;); }', 'it took longer than 2 seconds'],
    ['waits for a program', `() => execSync('sleep 60')`, 'it took longer than 2 seconds'],
    ['ends its process', '() => process.exit(0)', 'it ended its thread with code 0'],
    ['replies with the wrong thing', '() => 7', 'an analysis is an object or null, not a number'],
    ['replies with what is no data', '() => ({ notes: 10n })', 'BigInt'],
    [
      'forgets a rejection',
      `() => { Promise.reject(new Error('forgotten')); return new Promise(() => {}) }`,
      'forgotten',
    ],
    ['throws later', `() => { setTimeout(() => { throw new Error('later') }); return new Promise(() => {}) }`, 'later'],
    ['needs all memory', '() => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) }', 'MB of memory'],
  ])('one that %s is left out, and the others answer', async (_, analyze, message) => {
    const plugins = await open(
      `import { execSync } from 'node:child_process'; export default { name: 'bad', analyze: ${analyze}, exitWhen: () => 'never heard' }`,
      `export default { name: 'good', analyze: () => ({ completion: true }) }`,
    );
    expect((await plugins.analyze(ANSWER)).map(({ plugin }) => plugin)).toEqual(['good']);
    expect((await plugins.analyze(ANSWER)).map(({ plugin }) => plugin)).toEqual(['good']);
    expect(await plugins.exitWhen(STATE)).toBeNull();
    expect(failures).toEqual([
      { use: './plugins/p1.mjs', plugin: 'bad', doing: 'analyze', message: expect.stringContaining(message) },
    ]);
    await plugins.close();
    expect(failures).toHaveLength(1);
  });

  test.each([
    ['throws', `throw new Error('at once')`, 'at once'],
    ['is no JavaScript', 'export default {', 'SyntaxError'],
    ['has no default export', 'export const plugin = {}', 'its default export is no plugin'],
    ['can do nothing', `export default { name: 'x' }`, 'it has none of'],
    ['is for a later version', `export default { name: 'x', api: 99, exitWhen() {} }`, 'it needs version 99'],
    ['imports what is not there', `import './gone.mjs'`, 'gone.mjs'],
  ])('one that %s while it is loaded is left out', async (_, text, message) => {
    const plugins = await open(text, `export default { name: 'good', exitWhen: () => 'enough' }`);
    expect(failures).toEqual([expect.objectContaining({ doing: 'load', message: expect.stringContaining(message) })]);
    expect(await plugins.exitWhen(STATE)).toEqual({ plugin: 'good', value: 'enough' });
  });

  test('get every event in order, also those that come while one is dealt with', async () => {
    const plugins = await open(
      `import { appendFileSync } from 'node:fs';
      export default ({ root }) => ({
        name: 'sink',
        async onEvent({ at }) { await new Promise((r) => setTimeout(r, 1)); appendFileSync(root + '/seen', at + ' ') },
      })`,
    );
    for (let at = 0; at < 100; at++) plugins.offer(JSON.stringify({ at }));
    expect(await plugins.close()).toEqual([]);
    const { readFile } = await import('node:fs/promises');
    expect((await readFile(join(root, 'seen'), 'utf8')).trim().split(' ').map(Number)).toEqual([...Array(100).keys()]);
    expect(failures).toEqual([]);
  });

  test('that are slow miss events, and are told of at the end', async () => {
    const plugins = await open(
      `export default { name: 'slow', onEvent: () => new Promise((r) => setTimeout(r, 300)) }`,
    );
    const before = performance.now();
    for (let at = 0; at < 10_100; at++) plugins.offer('{}');
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(await plugins.close()).toEqual([{ plugin: 'slow', dropped: 100 }]);
  });

  test('have no other environment than theirs, and print to nobody', async () => {
    await put(
      'env.mjs',
      `console.log('hello'); export default { name: 'env', exitWhen: () => Object.keys(process.env).sort().join() }`,
    );
    const plugins = await openNamed([{ use: './env.mjs', options: {} }], { HOME: root });
    expect((await plugins.exitWhen(STATE))?.value).toBe('HOME,PATH,RALPH_RUN_ID');
    expect(lines).toEqual(['env: hello']);
  });

  test('may be packages, also those for import alone', async () => {
    await put('node_modules/for-import/package.json', '{"type":"module","exports":{".":{"import":"./main.js"}}}');
    await put('node_modules/for-import/main.js', `export default { name: 'a', exitWhen: () => null }`);
    await put('node_modules/@acme/common/package.json', '{"main":"lib.js"}');
    await put('node_modules/@acme/common/lib.js', `module.exports = { name: 'b', exitWhen: () => null }`);
    const plugins = await openNamed([
      { use: 'for-import', options: {} },
      { use: '@acme/common', options: {} },
    ]);
    expect(plugins.rows().map(({ name }) => name)).toEqual(['a', 'b']);
    expect(failures).toEqual([]);
  });

  test.each([
    ['./plugins/deadlin.mjs', "did you mean './plugins/deadline.mjs'?"],
    ['./plugins/deadline', "did you mean './plugins/deadline.mjs'?"],
    ['ralph-plugin-nowhere', 'npm install --save-dev ralph-plugin-nowhere'],
  ])('that are missing are refused: %s', async (use, mend) => {
    await put('plugins/deadline.mjs', '');
    const refusal = await openNamed([{ use, options: {} }]).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ exitCode: 2, facts: { what: `the plugin '${use}' cannot be found` } });
    expect((refusal as { facts: { mend: readonly string[] } }).facts.mend).toContain(mend);
  });
});
