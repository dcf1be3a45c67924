import type { Drivers } from './drivers.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Variables of the user's git set-up that say who and how, not which repository: these alone are passed on. */
const KEPT =
  /^GIT_(AUTHOR_NAME|AUTHOR_EMAIL|COMMITTER_NAME|COMMITTER_EMAIL|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|CONFIG_(COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|SSL_\w+)$/;

/** Our environment without variables that would point git at another repository, index, date or editor. */
export function neutralEnv(env: Env): Env {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', GIT_PAGER: 'cat' };
}

/**
 * The environment of every git command of ours. The agent may have written to the work tree and to the git dir, so
 * nothing it could plant there may run: no hooks, no fsmonitor, no replaced objects. Filters do run where a commit
 * is built, from the configuration that `restoreTrust` has put back, unless they lead into the work tree (`drivers.ts`).
 */
export function hostEnv(
  env: Env,
  place: {
    readonly gitDir: string;
    readonly root: string;
    readonly excludesFile: string | null;
    /** Settings in the place of those that lead into the work tree. */
    readonly instead?: Drivers['instead'];
  },
): Env {
  const settings: (readonly [string, string])[] = [
    ...(place.instead ?? []),
    ['core.fsmonitor', 'false'],
    ['core.hooksPath', '/dev/null'],
    // Refusing irreversible line endings is for people at their prompt, not for a commit in the night.
    ['core.safecrlf', 'false'],
    ['i18n.commitEncoding', 'UTF-8'],
    ['gc.auto', '0'],
    // The shadow git dir does not see the user's global configuration; what they ignore everywhere must stay ignored.
    ...(place.excludesFile === null ? [] : [['core.excludesFile', place.excludesFile] as [string, string]]),
  ];
  return {
    ...withSettings(neutralEnv(env), settings),
    GIT_DIR: place.gitDir,
    GIT_WORK_TREE: place.root,
    GIT_NO_REPLACE_OBJECTS: '1',
    // Reading must not rewrite the user's index.
    GIT_OPTIONAL_LOCKS: '0',
    // Messages are read, so they must be in one language.
    LC_ALL: 'C',
  };
}

/** Settings that win over every configuration file, after those the user's own environment has. */
export function withSettings(env: Env, settings: readonly (readonly [string, string])[]): Env {
  const own = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${own + at}`, key],
    [`GIT_CONFIG_VALUE_${own + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(own + settings.length) };
}
