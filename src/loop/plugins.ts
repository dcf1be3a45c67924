import { passedEnvironment } from '../adapters/agents/allowed-environment.ts';
import type { Plugins } from '../adapters/plugins/open-plugins.ts';
import { COMPLETE_FILE, ralphComplete } from '../adapters/plugins/ralph-complete.ts';
import { heldFiles } from '../adapters/workspace/config/trust.ts';
import { redactedJson } from '../adapters/workspace/events/redact/redact.ts';
import type { Config } from '../contracts/config.ts';
import type { RalphEvent } from '../contracts/events.ts';
import { exists } from '../platform/files/files.ts';
import { joined } from '../rules/plugins/replies.ts';
import type { RunContext } from './context.ts';
import type { PluginDesk } from './plugin-desk.ts';

interface DeskInput extends Pick<RunContext, 'env' | 'emit' | 'run'> {
  readonly config: Pick<Config, 'plugins' | 'env'>;
  readonly root: string;
}

/** Events before the plugins are loaded: what the recovery of a crash did. */
const MOST_EARLY = 1_000;
/** Lines of a plugin that are shown; a plugin that prints at every event would otherwise answer itself for ever. */
const MOST_LINES = 20;

/** Nothing is loaded, and nothing is done, for plugins that nobody named. */
export function pluginDesk({ config, root, env, emit, run }: DeskInput): PluginDesk {
  const settings = config.plugins;
  const early: RalphEvent[] = [];
  const printed = new Map<string, number>();
  let plugins: Plugins | null = null;
  let marker: Awaited<ReturnType<typeof ralphComplete>> | null = null;

  function print(plugin: string, line: string): void {
    const count = (printed.get(plugin) ?? 0) + 1;
    printed.set(plugin, count);
    if (count > MOST_LINES) return;
    const text = count < MOST_LINES ? line : 'it prints more than is shown here';
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
          mend: `rm ${COMPLETE_FILE}, and make it anew to end the run`,
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
    async exitWhen(state) {
      const made = (await marker?.exitWhen()) ?? null;
      if (marker && made !== null) return { plugin: marker.name, value: made };
      return (await plugins?.exitWhen({ ...state, run, root })) ?? null;
    },
    judgeTests: async (ran) => (await plugins?.judgeTests({ ...ran, root })) ?? null,
    async close() {
      const incomplete = (await plugins?.close()) ?? [];
      for (const { plugin, missed } of incomplete) {
        const text = `The plugin ${plugin} was too slow: it did not deal with ${missed} of the run's events.`;
        emit(0, { type: 'notice', level: 'warning', text });
      }
    },
  };
}
