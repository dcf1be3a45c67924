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
    ['replies with the wrong thing', '() => 7', 'an analysis must be an object or null, not a number'],
    ['replies with what is no data', '() => ({ notes: 10n })', 'BigInt'],
    [
      'forgets a rejection',
      `() => { Promise.reject(new Error('forgotten')); return new Promise(() => {}) }`,
      'forgotten',
    ],
    ['throws later', `() => { setTimeout(() => { throw new Error('later') }); return new Promise(() => {}) }`, 'later'],
    // A busy machine ends it by its two seconds.
    [
      'needs all memory',
      '() => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) }',
      /MB of memory|longer/,
    ],
  ])('one that %s is left out, and the others answer', async (_, analyze, message) => {
    const plugins = await open(
      `import { execSync } from 'node:child_process'; export default { name: 'bad', analyze: ${analyze}, exitWhen: () => 'never heard' }`,
      `export default { name: 'good', analyze: () => ({ completion: true }) }`,
    );
    expect((await plugins.analyze(ANSWER)).map(({ plugin }) => plugin)).toEqual(['good']);
    expect((await plugins.analyze(ANSWER)).map(({ plugin }) => plugin)).toEqual(['good']);
    expect(await plugins.exitWhen(STATE)).toBeNull();
    expect(failures).toEqual([
      { use: './plugins/p1.mjs', plugin: 'bad', doing: 'analyze', message: expect.stringMatching(message) },
    ]);
    await plugins.close();
    expect(failures).toHaveLength(1);
  });

  test.each([
    ['throws', `throw new Error('at once')`, 'at once'],
    ['is no JavaScript', 'export default {', 'SyntaxError'],
    ['has no default export', 'export const plugin = {}', 'its default export is not a plugin'],
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
    const { readFile } = await import('node:fs/promises');
    const seen = async () => (await readFile(join(root, 'seen'), 'utf8')).trim().split(' ').map(Number);
    await expect.poll(seen, { timeout: 600_000 }).toEqual([...Array(100).keys()]);
    expect(await plugins.close()).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('that are slow miss events, and are told of at the end', async () => {
    const plugins = await open(
      `export default { name: 'slow', onEvent: () => new Promise((r) => setTimeout(r, 300)) }`,
    );
    for (let at = 0; at < 10_100; at++) plugins.offer('{}');
    const [slow] = await plugins.close();
    expect(slow?.plugin).toBe('slow');
    // A hundred had no room, and of the others few were dealt with.
    expect(slow?.missed).toBeGreaterThan(10_000);
    expect(slow?.missed).toBeLessThan(10_100);
  });

  test('that lag behind at the end have two seconds, and what they missed then is told', async () => {
    const plugins = await open(
      `export default { name: 'lag', onEvent: () => new Promise((r) => setTimeout(r, 4000)) }`,
      `export default { name: 'short', onEvent: () => new Promise((r) => setTimeout(r, 50)) }`,
    );
    for (let at = 0; at < 3; at++) plugins.offer('{}');
    expect(await plugins.close()).toEqual([{ plugin: 'lag', missed: 3 }]);
  });

  test('that loop while they are loaded do not keep the others from it', async () => {
    const good = Array.from({ length: 5 }, (_, at) => `export default { name: 'good${at}', exitWhen: () => null }`);
    const plugins = await open('for (;;);', ...good);
    expect(failures).toMatchObject([
      { use: './plugins/p1.mjs', doing: 'load', message: 'it took longer than 10 seconds' },
    ]);
    expect(plugins.rows().map(({ name }) => name)).toEqual(['p1', 'good0', 'good1', 'good2', 'good3', 'good4']);
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

  test.each([
    ['an import', 'p.mjs', `import { definePlugin } from '@ralph-loop/cli/plugin'; export default definePlugin(`],
    ['one that is behind another', 'p.mjs', `import { definePlugin } from './lib.mjs'; export default definePlugin(`],
    [
      'a lazy one',
      'p.mjs',
      `const { definePlugin } = await import('@ralph-loop/cli/plugin'); export default definePlugin(`,
    ],
  ])('find the package of this ralph, which no folder above them has: %s', async (_, file, begin) => {
    await put('lib.mjs', `export { definePlugin } from '@ralph-loop/cli/plugin';`);
    await put(file, `${begin}{ name: 'typed', exitWhen: () => 'enough' })`);
    const plugins = await openNamed([{ use: `./${file}`, options: {} }]);
    expect(failures).toEqual([]);
    expect(await plugins.exitWhen(STATE)).toEqual({ plugin: 'typed', value: 'enough' });
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
    ['plugins/deadline.mjs', "a path in the project starts with ./: did you mean './plugins/deadline.mjs'?"],
    ['@acme/nowhere', 'if there is such a package, and it is the one you mean: npm install --save-dev @acme/nowhere'],
  ])('that are missing are refused: %s', async (use, fix) => {
    await put('plugins/deadline.mjs', '');
    const refusal = await openNamed([{ use, options: {} }]).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ exitCode: 2, facts: { what: `the plugin '${use}' cannot be found` } });
    expect((refusal as { facts: { fix: readonly string[] } }).facts.fix).toContain(fix);
  });

  test('that are a folder are refused with the files in it', async () => {
    await put('p/one.mjs', '');
    await put('p/notes.txt', '');
    const refusal = await openNamed([{ use: './p', options: {} }]).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      facts: { what: "the plugin './p' is a folder", fix: ['name the file in it: ./p/one.mjs'] },
    });
  });

  test('that are packages nobody installed may be a slip of the pen first', async () => {
    const refusal = await openNamed([{ use: 'nowhere', options: {} }]).catch((error: unknown) => error);
    expect((refusal as { facts: { fix: readonly string[] } }).facts.fix[0]).toBe(
      'a path in the project starts with ./',
    );
  });
});
