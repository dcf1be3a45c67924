import { anyObject, as, ConfigError, type Env, exactly, fits, jsonObject, object } from '../../../contracts/index.ts';
import { chmod, makeDir, readText, realPath, workTreesAround, writeAtomic } from '../../../platform/index.ts';
import {
  type Asked,
  FILE,
  filesIn,
  namesOf,
  type Untrusted,
  untrusted,
  weakening,
} from '../../../rules/trust/index.ts';
import { stateHome } from '../records/state-home.ts';

/** What to do about an untrusted configuration: refuse to continue, or continue without the parts that need trust. */
export type OnUntrusted = 'refuse' | 'leave-out';

/** `trust.json` in the {@link stateHome}: outside every work tree. By the path of the repository. */
interface Store {
  readonly version: 1;
  readonly trusted: Readonly<Record<string, { readonly at: string; readonly asked: Asked }>>;
}

/** What the configuration of this process's runs asked for at their start, by repository. */
const held = new Map<string, Asked>();
/** The repositories whose entry is complete, so that nothing is added to it. */
const complete = new Set<string>();

/** Parts accepted because the environment says so, for the first lines of a run. */
const unseen = new Set<string>();

/** Parts accepted for this run without a person's trust, because of `--trust` or RALPH_TRUST. */
export function trustedUnseen(): readonly string[] {
  return [...unseen];
}

/** What needs trust in a configuration. @param entries modules that run on the host, relative to the root */
export async function askedOf(root: string, values: unknown, entries: readonly string[]): Promise<Asked> {
  const settings = values === null ? {} : weakening(values);
  if (entries.length === 0) return settings;
  const { codeFiles } = await import('../../plugins/find-plugin.ts');
  const files = await codeFiles(root, entries);
  return { ...settings, ...Object.fromEntries(Object.entries(files).map(([path, hash]) => [FILE + path, hash])) };
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

/**
 * The untrusted parts; empty when all is trusted. A run (`refuse`) is judged by what it began with, even if an agent
 * changes the same files meanwhile, in a lane or in the work tree of a stream.
 * @param isAll this configuration asks for nothing more
 */
export async function notTrusted(
  root: string,
  env: Env,
  asked: Asked,
  { onUntrusted, isAll }: { readonly onUntrusted: OnUntrusted; readonly isAll: boolean },
): Promise<readonly Untrusted[]> {
  const isRun = onUntrusted === 'refuse';
  if (Object.keys(asked).length === 0 && !isRun) return [];
  const repository = await repositoryOf(root);
  const began = complete.has(repository) ? (held.get(repository) ?? {}) : null;
  const known = isRun && began !== null ? began : trustsAll(env) ? asked : await trustedIn(env, repository);
  const missing = untrusted(asked, known);
  if (isRun && began === null && trustsAll(env)) {
    for (const { name } of untrusted(asked, await trustedIn(env, repository))) unseen.add(name);
  }
  if (isRun && missing.length === 0) {
    held.set(repository, { ...held.get(repository), ...asked });
    if (isAll) complete.add(repository);
  }
  return missing;
}

/** While `load` runs, this process loads only trusted modules from the work tree. */
export async function heldToTrusted<T>(root: string, asked: Asked, load: () => Promise<T>): Promise<T> {
  const { holdModules } = await import('../../../platform/process/held-modules.ts');
  // Links resolved, as in Node's names of loaded modules.
  const release = holdModules({ root: await realPath(root), files: filesIn(asked) });
  return load().finally(release);
}

/** The modules that this process's runs began with; null before the first run. */
export async function heldFiles(root: string): Promise<Readonly<Record<string, string>> | null> {
  const repository = await repositoryOf(root);
  return complete.has(repository) ? filesIn(held.get(repository) ?? {}) : null;
}

/** `RALPH_TRUST=1` in the environment of a job. An agent's process can never trust. */
export function trustsAll(env: Env): boolean {
  return env['RALPH_TRUST'] === '1' && !env['RALPH_RUN_ID'];
}

/** What is trusted in the repository that contains `root`; null when nothing ever was. */
export async function trustedHere(env: Env, root: string): Promise<Asked | null> {
  return trustedIn(env, await repositoryOf(root));
}

/** Records that a person trusts exactly this in the repository that contains `root`. */
export async function trust(env: Env, root: string, asked: Asked): Promise<void> {
  const repository = await repositoryOf(root);
  const { trusted } = await readStore(env);
  const entry = { at: new Date().toISOString(), asked };
  await makeDir(stateHome(env));
  await chmod(stateHome(env), 0o700);
  const store: Store = { version: 1, trusted: { ...trusted, [repository]: entry } };
  await writeAtomic(storePath(env), `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 });
}

/** The refusal to continue with untrusted parts. */
export function refusal(file: string, missing: readonly Untrusted[]): ConfigError {
  return new ConfigError({
    what: `${file} asks for settings that are not trusted on this machine: ${namesOf(missing)}`,
    where: file,
    why: 'it may come from an agent or a clone, and it runs on the host or weakens the protection against agents',
    fix: ['look at it and trust it: ralph trust', 'in CI: --trust, or RALPH_TRUST=1'],
  });
}

async function trustedIn(env: Env, repository: string): Promise<Asked | null> {
  return (await readStore(env)).trusted[repository]?.asked ?? null;
}

const STORE = as<Store>(object({ version: exactly(1), trusted: anyObject }));

/** An unreadable store trusts nothing. */
async function readStore(env: Env): Promise<Pick<Store, 'trusted'>> {
  const found = jsonObject((await readText(storePath(env)).catch(() => null)) ?? '');
  return fits(STORE, found) ? found : { trusted: {} };
}

function storePath(env: Env): string {
  return `${stateHome(env)}/trust.json`;
}

/** All work trees of a repository are trusted together; a clone is a separate repository. */
async function repositoryOf(root: string): Promise<string> {
  const real = await realPath(root);
  return workTreesAround(real)[1] ?? real;
}

/**
 * What controls the runs of this process: read before their first agent, and never read again from a tree that an agent
 * can write. By repository, for a run with all its lanes and streams; by work tree, for a run of a worker, whose clone
 * contains the branches of several runs.
 */
const places = new Map<string, Map<string, unknown>>();

/** From here on, each value is read once. @param place a repository or a work tree */
export async function freeze(root: string, what: 'repository' | 'work tree'): Promise<void> {
  const place = what === 'repository' ? await repositoryOf(root) : root;
  if ((await frozenAt(root)) === null) places.set(place, new Map());
}

/** The run of this work tree has ended: the next one reads the current files. Values of a repository stay frozen. */
export function thaw(root: string): void {
  places.delete(root);
}

/** What `read` found here first; the current value where nothing is frozen. A failed read is tried again. */
export async function once<T>(root: string, name: string, read: () => Promise<T>): Promise<T> {
  const place = await frozenAt(root);
  if (place?.has(name)) return place.get(name) as T;
  const found = await read();
  place?.set(name, found);
  return found;
}

async function frozenAt(root: string): Promise<Map<string, unknown> | null> {
  if (places.size === 0) return null;
  return places.get(root) ?? places.get(await repositoryOf(root)) ?? null;
}
