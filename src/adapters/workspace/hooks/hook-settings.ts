import { parse } from 'jsonc-parser';
import { readTextSync } from '../../../platform/index.ts';

/** The part of the configuration that hooks need. */
interface HookSettings {
  readonly guard: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** Context window in tokens; null when no setting names one. */
  readonly window: number | null;
  readonly bytesPerToken: number;
  readonly stopRefusals: number;
  /** Paths of plugins that the configuration names, relative to the root. */
  readonly pluginFiles: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const FILES = ['ralph.config.json', '.ralph/config.json'];

/**
 * Reads what hooks need without the schema, which takes longer to load than everything else in a hook. A value of the
 * wrong type counts as absent: `ralph config` and every run report it. A configuration that is code is not run here.
 */
export function readHookSettings(root: string, env: Env): HookSettings {
  const config = readConfig(root);
  const guard = objectOf(config['guard']);
  const context = objectOf(config['context']);
  return {
    guard: { allow: textsOf(guard['allow']), deny: textsOf(guard['deny']) },
    window:
      positive(Number(env['RALPH_CONTEXT_WINDOW'] || env['CLAUDE_CONTEXT_WINDOW'])) ?? positive(context['window']),
    bytesPerToken: positive(Number(env['RALPH_CONTEXT_BYTES_PER_TOKEN'])) ?? positive(context['bytesPerToken']) ?? 4,
    stopRefusals: countOr(objectOf(config['hooks'])['stopRefusals'], 8),
    pluginFiles: pluginPaths(config['plugins']),
  };
}

function readConfig(root: string): Readonly<Record<string, unknown>> {
  for (const file of FILES) {
    const text = readTextSync(`${root}/${file}`);
    if (text !== null) return objectOf(parse(text, [], { allowTrailingComma: true }));
  }
  return {};
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function pluginPaths(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const named = value.map((one) => (typeof one === 'string' ? one : objectOf(one)['use']));
  return named.flatMap((use) => (typeof use === 'string' && use.startsWith('./') ? [use.slice(2)] : []));
}

function positive(value: unknown): number | null {
  return Number.isFinite(value) && (value as number) > 0 ? (value as number) : null;
}

function countOr(value: unknown, otherwise: number): number {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : otherwise;
}
