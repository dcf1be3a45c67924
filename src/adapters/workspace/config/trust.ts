import { ConfigError } from '../../../contracts/errors.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { chmod, makeDir, readText, realPath } from '../../../platform/files/files.ts';
import { workTreesAround } from '../../../platform/process/host-environment.ts';
import { type Asked, FILE, filesIn, namesOf, type Untrusted, untrusted, weakening } from '../../../rules/trust.ts';
import { stateHome } from '../records/state-home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What to do about a configuration that is not trusted: refuse to go on, or go on without what needs trust. */
export type OnUntrusted = 'refuse' | 'leave-out';

/** `trust.json` in the {@link stateHome}: outside of every work tree. By the path of the repository. */
interface Store {
  readonly version: 1;
  readonly trusted: Readonly<Record<string, { readonly at: string; readonly asked: Asked }>>;
}

/** What runs of this process began with, by repository. */
const held = new Map<string, Asked>();
/** The repositories of which that is all, so that nothing is added to it. */
const complete = new Set<string>();

/** What was taken because the environment says so, for the first lines of a run. */
const unseen = new Set<string>();

/** What was taken for this run without a person's trust, because `--trust` or RALPH_TRUST says so. */
export function trustedUnseen(): readonly string[] {
  return [...unseen];
}

/** What a configuration asks for. @param entries modules that run on the host, relative to the root */
export async function askedOf(root: string, values: unknown, entries: readonly string[]): Promise<Asked> {
  const settings = values === null ? {} : weakening(values);
  if (entries.length === 0) return settings;
  const { codeFiles } = await import('../../plugins/code-files.ts');
  const files = await codeFiles(root, entries);
  return { ...settings, ...Object.fromEntries(Object.entries(files).map(([path, hash]) => [FILE + path, hash])) };
}

/**
 * What of that is not trusted; nothing when all is. A run (`refuse`) goes by what it began with, even if an agent changes
 * the same files meanwhile, in a lane or in the work tree of a stream.
 * @param isAll nothing more is asked for by this configuration
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

/** While `load` runs, this process loads from the work tree the modules that were trusted, and no others. */
export async function heldToTrusted<T>(root: string, asked: Asked, load: () => Promise<T>): Promise<T> {
  const { holdModules } = await import('../../../platform/process/held-modules.ts');
  // Links resolved, as Node names what it loads.
  const release = holdModules({ root: await realPath(root), files: filesIn(asked) });
  return load().finally(release);
}

/** The modules that the runs of this process began with; null where none has begun. */
export async function heldFiles(root: string): Promise<Readonly<Record<string, string>> | null> {
  const repository = await repositoryOf(root);
  return complete.has(repository) ? filesIn(held.get(repository) ?? {}) : null;
}

/** `RALPH_TRUST=1` in the environment of a job. An agent's process can never trust. */
export function trustsAll(env: Env): boolean {
  return env['RALPH_TRUST'] === '1' && !env['RALPH_RUN_ID'];
}

/** What was trusted of the repository that `root` is in; null when nothing ever was. */
export async function trustedHere(env: Env, root: string): Promise<Asked | null> {
  return trustedIn(env, await repositoryOf(root));
}

/** Writes down that a person trusts this, and nothing else, of the repository that `root` is in. */
export async function trust(env: Env, root: string, asked: Asked): Promise<void> {
  const repository = await repositoryOf(root);
  const { trusted } = await readStore(env);
  const entry = { at: new Date().toISOString(), asked };
  await makeDir(stateHome(env));
  await chmod(stateHome(env), 0o700);
  const store: Store = { version: 1, trusted: { ...trusted, [repository]: entry } };
  await writeAtomic(storePath(env), `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 });
}

/** The refusal to go on with what is not trusted. */
export function refusal(file: string, missing: readonly Untrusted[]): ConfigError {
  return new ConfigError({
    what: `${file} asks for what is not trusted on this machine: ${namesOf(missing)}`,
    where: file,
    why: 'an agent or a clone may have brought it, and it runs on the host or weakens what holds agents',
    mend: ['look at it and trust it: ralph trust', 'in CI: --trust, or RALPH_TRUST=1'],
  });
}

async function trustedIn(env: Env, repository: string): Promise<Asked | null> {
  return (await readStore(env)).trusted[repository]?.asked ?? null;
}

/** A store that cannot be read trusts nothing. */
async function readStore(env: Env): Promise<Pick<Store, 'trusted'>> {
  try {
    const { version, trusted } = JSON.parse((await readText(storePath(env))) ?? '') as Partial<Store>;
    if (version === 1 && typeof trusted === 'object' && trusted !== null) return { trusted };
  } catch {
    // Damaged: a person trusts again.
  }
  return { trusted: {} };
}

function storePath(env: Env): string {
  return `${stateHome(env)}/trust.json`;
}

/** All work trees of a repository are trusted together; a clone is another one. */
export async function repositoryOf(root: string): Promise<string> {
  const real = await realPath(root);
  return workTreesAround(real)[1] ?? real;
}
