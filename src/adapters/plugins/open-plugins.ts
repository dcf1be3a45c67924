import { basename } from 'node:path';
import { ConfigError, messageOf, type PluginSetting } from '../../contracts/index.ts';
import type { Answer, CommandRun, RunState } from '../../plugins/plugin.ts';
import {
  type Checked,
  checkAnalysis,
  checkIssues,
  checkJudgement,
  checkReason,
  type Found,
  type Judged,
  type Said,
  type ToldIssue,
} from '../../rules/plugins.ts';
import { codeFiles, findPlugin } from './find-plugin.ts';
import type { Doing, Provided, Question, ThreadStart } from './start-thread.ts';
import { type PluginThread, startThread } from './start-thread.ts';

interface PluginsInput {
  readonly settings: readonly PluginSetting[];
  /** Absolute: the work tree. */
  readonly root: string;
  readonly run: string;
  /** The whole environment of the plugins. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the work tree they load only these modules (path → SHA-256); absent: the files as they are now. */
  readonly files?: Readonly<Record<string, string>> | null;
  /** Program of their threads; default: the bundled one. */
  readonly program?: URL;
  /** Called once for each plugin that is left out from then on. Must not throw. */
  readonly onFailed: (failure: PluginFailure) => void;
  /** The output of plugins, line by line. Must not throw. */
  readonly onLine: (plugin: string, line: string) => void;
}

export interface PluginFailure {
  readonly use: string;
  readonly plugin: string;
  readonly doing: Doing;
  readonly message: string;
}

/** The report on a plugin that was loaded. */
export interface PluginRow {
  readonly use: string;
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Empty when it has failed. */
  readonly provides: readonly Provided[];
}

/** The plugins of a run, each in its own thread. Nothing here rejects or takes longer than a plugin's limits. */
export interface Plugins {
  /** In the order of the configuration. */
  readonly rows: () => readonly PluginRow[];
  readonly provides: (what: Provided) => boolean;
  readonly analyze: (answer: Answer) => Promise<readonly Said<Found>[]>;
  readonly exitWhen: (state: RunState) => Promise<Said<string> | null>;
  readonly judgeTests: (run: CommandRun) => Promise<Said<Judged> | null>;
  readonly importIssues: (source: string) => Promise<Said<readonly ToldIssue[]> | null>;
  /** @param json an event, secrets replaced */
  readonly offer: (json: string) => void;
  /** @returns the plugins that did not handle every event, and how many they missed */
  readonly close: () => Promise<readonly { readonly plugin: string; readonly missed: number }[]>;
}

interface Loaded {
  readonly use: string;
  readonly path: string;
  readonly thread: PluginThread;
}

const PROVIDED: readonly Provided[] = ['analyze', 'exitWhen', 'judgeTests', 'onEvent', 'importIssues'];

/** Loading has a time limit: many plugins that loop at once would leave no time for the others. */
const LOADED_AT_ONCE = 2;

/**
 * Loads the plugins of the configuration, a few at once. One that fails to load is reported and left out.
 * @throws ConfigError when a file or package that is named does not exist; then none is loaded
 */
export async function openPlugins(input: PluginsInput): Promise<Plugins> {
  const { settings, root } = input;
  const found = await Promise.all(
    settings.map(async ({ use, options }) => ({ ...(await findPlugin(root, use)), options: plain(use, options) })),
  );
  const entries = found.flatMap(({ inTree }) => (inTree === null ? [] : [inTree]));
  const held = { root, files: input.files ?? (await codeFiles(root, entries)) };
  const loaded = await mapped(found, LOADED_AT_ONCE, ({ use, path, options }, at) =>
    load(input, { use, path, at, options, held }),
  );

  async function askAll<T>(question: Question, argument: unknown, check: (reply: unknown) => Checked<T | null>) {
    const able = loaded.filter(({ thread }) => thread.provides(question));
    const said = await Promise.all(
      able.map(async ({ thread }): Promise<readonly Said<T>[]> => {
        const checked = check(await thread.ask(question, argument));
        if ('wrong' in checked) thread.reject(question, checked.wrong);
        return 'value' in checked && checked.value !== null ? [{ plugin: thread.name(), value: checked.value }] : [];
      }),
    );
    return said.flat();
  }

  return {
    rows: () =>
      loaded.map(({ use, path, thread }) => ({
        use,
        path,
        name: thread.name(),
        provides: PROVIDED.filter((one) => thread.provides(one)),
      })),
    provides: (what) => loaded.some(({ thread }) => thread.provides(what)),
    analyze: (answer) => askAll('analyze', answer, checkAnalysis),
    exitWhen: async (state) => (await askAll('exitWhen', state, checkReason))[0] ?? null,
    judgeTests: async (run) => (await askAll('judgeTests', run, checkJudgement))[0] ?? null,
    importIssues: async (source) => (await askAll('importIssues', source, checkIssues))[0] ?? null,
    offer: (json) => {
      for (const { thread } of loaded) thread.offer(json);
    },
    async close() {
      const closed = await Promise.all(
        loaded.map(async ({ thread }) => ({ plugin: thread.name(), missed: await thread.close() })),
      );
      return closed.filter(({ missed }) => missed > 0);
    },
  };
}

async function load(
  { root, run, env, onFailed, onLine, program }: PluginsInput,
  {
    use,
    path,
    at,
    options,
    held,
  }: Omit<Loaded, 'thread'> & { readonly at: number } & Pick<PluginSetting, 'options'> & Pick<ThreadStart, 'held'>,
): Promise<Loaded> {
  let name = basename(use).replace(/\.[cm]?[jt]s$/, '');
  const thread = await startThread({
    path,
    name,
    ...(program ? { program } : {}),
    start: { options, root, run },
    held,
    env,
    marker: `${run || 'ralph'}/plugin-${at + 1}`,
    onFailed: ({ doing, message }) => onFailed({ use, plugin: name, doing, message }),
    onLine: (line) => onLine(name, line),
  });
  name = thread.name();
  return { use, path, thread };
}

/** The result of `work` for each item, in order; it runs on at most `most` items at a time. */
async function mapped<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T, at: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  // All workers share one iterator: each takes the next item when it is done with its last one.
  async function take(): Promise<void> {
    for (const [at, item] of queue) results[at] = await work(item, at);
  }
  await Promise.all(Array.from({ length: most }, take));
  return results;
}

/** A configuration that is code may hold values that cannot be passed to a thread. */
function plain(use: string, options: PluginSetting['options']): PluginSetting['options'] {
  try {
    return JSON.parse(JSON.stringify(options)) as PluginSetting['options'];
  } catch (error) {
    throw new ConfigError({
      what: `the options of the plugin '${use}' are not plain data`,
      where: 'plugins of the configuration',
      why: messageOf(error),
      fix: ['use strings, numbers, lists and objects of them'],
    });
  }
}
