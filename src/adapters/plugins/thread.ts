/** The program of a plugin's thread, `dist/plugin-host.js`: loads one plugin and passes it the loop's questions. */
import * as nodeModule from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { holdModules } from '../../platform/index.ts';
import { PLUGIN_API, type Plugin, type RunEvent } from '../../plugins/plugin.ts';
import type { Doing, FromThread, Provided, Question, ThreadStart, ToThread } from './start-thread.ts';

/** The package that plugins import for their types. */
const NAME = '@ralph-loop/cli/plugin';

type Resolve = (specifier: string, context: unknown, next: (specifier: string, context: unknown) => unknown) => unknown;

/** Since Node.js 22.15. */
interface NewerModule {
  readonly registerHooks?: (hooks: { readonly resolve: Resolve }) => unknown;
}

/** For Node.js 20, where hooks are a module with its own thread. */
const HOOKS = `let own;
export const initialize = (data) => void (own = data);
export const resolve = (specifier, context, next) =>
  specifier === own.name ? { url: own.url, shortCircuit: true } : next(specifier, context);`;

/**
 * From here on this thread resolves the package to the running ralph, wherever that is installed: a project need not
 * depend on it, and where it does, the running version is the one that counts.
 */
function provideOwnPackage(): void {
  const url = new URL('./plugin.js', import.meta.url).href;
  const { registerHooks } = nodeModule as NewerModule;
  if (registerHooks) {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === NAME ? { url, shortCircuit: true } : next(specifier, context),
    });
  } else {
    nodeModule.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { name: NAME, url } });
  }
}

const PROVIDED: readonly Provided[] = ['analyze', 'exitWhen', 'judgeTests', 'onEvent', 'importIssues'];

/** Longer replies are not accepted. */
const MOST_REPLY_CHARACTERS = 1_000_000;

const { module, name, start, held } = workerData as ThreadStart;

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

function fail(doing: Doing, error: unknown): void {
  say({ kind: 'failed', doing, message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
}

try {
  provideOwnPackage();
  holdModules(held);
  serve(await load());
} catch (error) {
  fail('load', error);
}

async function load(): Promise<Plugin> {
  const found = exported(await import(module));
  const plugin: unknown = typeof found === 'function' ? await found(start) : found;
  if (typeof plugin !== 'object' || plugin === null) {
    throw new TypeError('its default export is not a plugin (an object, or a function that returns one)');
  }
  const { api = PLUGIN_API } = plugin as Partial<Plugin>;
  if (api > PLUGIN_API) throw new TypeError(`it needs version ${api} of the plugin API; this ralph has ${PLUGIN_API}`);
  const wrong = PROVIDED.find((one) => !['undefined', 'function'].includes(typeof (plugin as Partial<Plugin>)[one]));
  if (wrong) throw new TypeError(`its ${wrong} is not a function`);
  return plugin as Plugin;
}

/** The default export; CommonJS compiled from a module has it one level deeper. */
function exported(loaded: { readonly default?: unknown }): unknown {
  const value = loaded.default;
  const isCompiled = typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value;
  return isCompiled ? value.default : value;
}

function serve(plugin: Plugin): void {
  const provides = PROVIDED.filter((one) => plugin[one] !== undefined);
  if (provides.length === 0) throw new TypeError(`it has none of ${PROVIDED.join(', ')}`);
  const events: string[] = [];
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'ask') void answer(plugin, message.id, message.question, message.json);
    else if (events.push(message.json) === 1) void deliver(plugin, events);
  });
  const given: unknown = plugin.name;
  say({ kind: 'loaded', name: typeof given === 'string' && given.trim() ? given.trim().slice(0, 80) : name, provides });
}

async function answer(plugin: Plugin, id: number, question: Question, json: string): Promise<void> {
  try {
    const reply: unknown = await plugin[question]?.(JSON.parse(json));
    const text = JSON.stringify(reply) ?? 'null';
    if (text.length > MOST_REPLY_CHARACTERS) throw new TypeError('its reply is longer than a million characters');
    say({ kind: 'reply', id, json: text });
  } catch (error) {
    fail(question, error);
  }
}

/** One event after the other; questions are answered in between. */
async function deliver(plugin: Plugin, events: string[]): Promise<void> {
  try {
    for (let json = events[0]; json !== undefined; json = events[0]) {
      await plugin.onEvent?.(JSON.parse(json) as RunEvent);
      events.shift();
      say({ kind: 'seen' });
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    fail('onEvent', error);
  }
}
