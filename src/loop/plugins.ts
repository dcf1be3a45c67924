import { passedEnvironment } from '../adapters/agents/index.ts';
import { COMPLETE_FILE, type Plugins, ralphComplete } from '../adapters/plugins/index.ts';
import { heldFiles, redactedJson } from '../adapters/workspace/index.ts';
import type { Config, RalphEvent } from '../contracts/index.ts';
import { exists } from '../platform/index.ts';
import { joined } from '../rules/plugins.ts';
import type { RunContext } from './context.ts';
import type { RunPlugins } from './ports.ts';

interface PluginSettings extends Pick<RunContext, 'env' | 'emit' | 'run'> {
  readonly config: Pick<Config, 'plugins' | 'env' | 'agents'>;
  readonly root: string;
}

/** Events from before the plugins are loaded: the recovery of a crash emits some. */
const MOST_EARLY = 1_000;
/**
 * Lines of a plugin's output that are shown; a plugin that prints at every event would otherwise answer itself forever.
 */
const MOST_LINES = 20;

/** Without configured plugins nothing is loaded and nothing is done. */
export function runPlugins({ config, root, env, emit, run }: PluginSettings): RunPlugins {
  const settings = config.plugins;
  const early: RalphEvent[] = [];
  const printed = new Map<string, number>();
  let plugins: Plugins | null = null;
  let marker: Awaited<ReturnType<typeof ralphComplete>> | null = null;

  function print(plugin: string, line: string): void {
    const count = (printed.get(plugin) ?? 0) + 1;
    printed.set(plugin, count);
    if (count > MOST_LINES) return;
    const text = count < MOST_LINES ? line : 'more output is not shown';
    emit(0, { type: 'notice', level: 'info', text: `plugin ${plugin}: ${text}` });
  }

  function see(event: RalphEvent): void {
    if (plugins?.provides('onEvent')) plugins.offer(redactedJson(event));
    else if (plugins === null && settings.length > 0 && early.length < MOST_EARLY) early.push(event);
  }

  return {
    see,
    async open() {
      marker = await ralphComplete({ options: {}, root, run });
      if (await exists(`${root}/${COMPLETE_FILE}`)) {
        const text = `${COMPLETE_FILE} was there before this run, so it does not end it.`;
        emit(0, {
          type: 'notice',
          level: 'warning',
          text,
          fix: `rm ${COMPLETE_FILE}, and create it again to end the run`,
        });
      }
      if (settings.length === 0) return;
      const { openPlugins } = await import('../adapters/plugins/open-plugins.ts');
      plugins = await openPlugins({
        settings,
        root,
        files: await heldFiles(root),
        run,
        env: passedEnvironment(env, config, []),
        onFailed: ({ plugin, doing, message }) => emit(0, { type: 'plugin-failed', plugin, doing, message }),
        onLine: print,
      });
      for (const event of early.splice(0)) see(event);
    },
    async analyze(answer) {
      const said = (await plugins?.analyze({ ...answer, run, root })) ?? [];
      return joined(
        said.map(({ plugin, value }) => ({ ...value, notes: value.notes.map((note) => `${plugin}: ${note}`) })),
      );
    },
    async exitWhen(stateNow) {
      const made = (await marker?.exitWhen()) ?? null;
      if (marker && made !== null) return { plugin: marker.name, value: made };
      return (await plugins?.exitWhen({ ...stateNow(), run, root })) ?? null;
    },
    judgeTests: async (ran) => (await plugins?.judgeTests({ ...ran, root })) ?? null,
    async close() {
      const incomplete = (await plugins?.close()) ?? [];
      for (const { plugin, missed } of incomplete) {
        const text = `The plugin ${plugin} was too slow: it missed ${missed} of the run's events.`;
        emit(0, { type: 'notice', level: 'warning', text });
      }
    },
  };
}
