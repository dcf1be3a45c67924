import { namesOf, type Untrusted, without } from '../../../rules/trust/index.ts';
import { checkedConfig } from './config-checked.ts';
import { type ConfigFile, findConfigFile, readConfigFile } from './config-file.ts';
import type { LoadConfigInput, LoadedConfig } from './config-merge.ts';
import { askedOf, heldToTrusted, notTrusted, once, refusal } from './trust.ts';

export type { ConfigFlags, LoadedConfig } from './config-merge.ts';

/**
 * The effective configuration: flag over environment over file over default, and the source of each value. Parts of the
 * file that need a person's trust and lack it are refused or left out, as `onUntrusted` says; code is not run then.
 * @throws FileProblemsError with every problem of the file; ConfigError for the environment, the flags, two files.
 */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const isRun = input.onUntrusted === 'refuse';
  const { file, distrust } = isRun
    ? await once(input.root, 'configuration', () => readTrusted(input))
    : await readTrusted(input);
  return { ...checkedConfig(input, file), distrust };
}

interface Found {
  readonly file: ConfigFile | null;
  readonly distrust: readonly string[];
}

async function readTrusted(input: LoadConfigInput): Promise<Found> {
  const { root, env, onUntrusted, runsCode = true } = input;
  const name = onUntrusted === 'given' ? null : await findConfigFile(root);
  if (name === null || onUntrusted === 'given') return { file: await readConfigFile(root, runsCode), distrust: [] };
  const isCode = !name.endsWith('.json');
  if (isCode && runsCode) {
    const code = await askedOf(root, null, [name]);
    const missing = await notTrusted(root, env, code, { onUntrusted, isAll: false });
    if (missing.length > 0) return leftOut({ name, missing, onUntrusted, file: null });
    return readRest(input, name, await heldToTrusted(root, code, () => readConfigFile(root, runsCode)));
  }
  return readRest(input, name, await readConfigFile(root, runsCode));
}

/** Judges the trust that the settings need, once they are known. */
async function readRest(
  { root, env, onUntrusted }: LoadConfigInput,
  name: string,
  file: ConfigFile | null,
): Promise<Found> {
  if (onUntrusted === 'given') return { file, distrust: [] };
  const isCode = !name.endsWith('.json');
  if (file === null) return { file, distrust: [] };
  const asked = await askedOf(root, isCode ? null : file.values, await pluginEntries(root, file.values));
  const missing = await notTrusted(root, env, asked, { onUntrusted, isAll: true });
  return missing.length === 0 ? { file, distrust: [] } : leftOut({ name, missing, onUntrusted, file });
}

/** The modules of plugins inside the work tree, relative to it. */
export async function pluginEntries(root: string, values: unknown): Promise<readonly string[]> {
  const { plugins } = values as { readonly plugins?: unknown };
  if (!Array.isArray(plugins) || plugins.length === 0) return [];
  const { findPlugin } = await import('../../plugins/find-plugin.ts');
  const uses = plugins.map((one) => (typeof one === 'string' ? one : (one as { use?: unknown } | null)?.use));
  const places = await Promise.all(
    uses.map(async (use) => (typeof use === 'string' ? findPlugin(root, use).catch(() => null) : null)),
  );
  return places.flatMap((place) => (place?.inTree ? [place.inTree] : []));
}

function leftOut({
  name,
  missing,
  onUntrusted,
  file,
}: {
  readonly name: string;
  readonly missing: readonly Untrusted[];
  readonly onUntrusted: LoadConfigInput['onUntrusted'];
  readonly file: ConfigFile | null;
}): Found {
  if (onUntrusted === 'refuse') throw refusal(name, missing);
  const settings = missing.map((one) => (one.name.startsWith('file ') ? 'plugins' : one.name));
  const what = file === null ? 'it is not run' : `left out: ${namesOf(missing)}`;
  const distrust = [`${name} is not trusted on this machine (${what}); \`ralph trust\` shows it`];
  return { file: file && { ...file, values: without(file.values, settings) }, distrust };
}
