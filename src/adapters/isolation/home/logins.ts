import { dirname, join } from 'node:path';
import { exists, makeDir, readBelow, remove, writeAtomic, writeBelow } from '../../../platform/index.ts';
import type { LoginFile } from '../port.ts';

/** Larger than any login; a larger file is not one. */
const MOST_BYTES = 256 * 1024;

/** Interval at which a home folder is compared with the store while an agent works, in milliseconds. */
const EVERY_MS = 1000;

export type LoginRights =
  /** Agents: renew a login that a person made. */
  | 'renew'
  /** `ralph sandbox shell`, used by a person: make a login, and log out. */
  | 'make';

/**
 * Puts the kept logins into a new home folder, and keeps both in step while a process works there: a renewal goes at
 * once to the store and to every other home folder, where the renewed token would otherwise be worthless.
 *
 * @param home not yet visible to any process inside
 * @param files the logins for which the home folder has no file from the user
 * @returns `end` keeps the last renewals, and never rejects
 */
export async function shareLogins(
  home: string,
  store: string,
  files: readonly LoginFile[],
  rights: LoginRights,
): Promise<{ end(): Promise<void> }> {
  const seen = new Map<LoginFile, string>();
  for (const file of files) {
    const kept = await loginIn(store, file);
    // Clients expect the folder of a login, and so does this program when a client renews it.
    await makeDir(join(home, dirname(file.path)));
    if (kept === null) continue;
    await writeAtomic(join(home, file.path), kept, { fsync: false, mode: 0o600 });
    seen.set(file, kept);
  }

  const compare = async (file: LoginFile): Promise<void> => {
    const [here, kept] = await Promise.all([loginIn(home, file), loginIn(store, file)]);
    const before = seen.get(file) ?? null;
    if (here !== null && here !== before && (kept !== null || rights === 'make')) {
      await keep(store, file, here);
      seen.set(file, here);
    } else if (file.renewed && kept !== null && kept !== before) {
      await writeBelow(home, file.path, kept);
      seen.set(file, kept);
    }
  };
  const compareAll = async () => {
    for (const file of files) await compare(file).catch(() => {});
  };
  let comparing = Promise.resolve();
  const timer = setInterval(() => {
    comparing = comparing.then(compareAll);
  }, EVERY_MS);
  timer.unref();
  return {
    end: async () => {
      clearInterval(timer);
      await comparing;
      await compareAll();
      for (const [file] of rights === 'make' ? seen : []) {
        const loggedOut = !(await exists(join(home, file.path)).catch(() => true));
        if (loggedOut) await remove(join(store, file.path)).catch(() => {});
      }
    },
  };
}

/** Takes the logins from an earlier version's home folder, unless others are already kept. @returns which */
export async function takeOverLogins(from: string, store: string, files: readonly LoginFile[]): Promise<string[]> {
  const taken: string[] = [];
  for (const file of files) {
    if (await exists(join(store, file.path))) continue;
    const login = await loginIn(from, file).catch(() => null);
    if (login === null) continue;
    await keep(store, file, login);
    taken.push(file.path);
  }
  return taken;
}

async function keep(store: string, file: LoginFile, text: string): Promise<void> {
  await writeAtomic(join(store, file.path), text, { mode: 0o600 });
}

/** The login in a file below a folder that agents may write to; null when it is missing or not a login. */
async function loginIn(root: string, file: LoginFile): Promise<string | null> {
  const bytes = await readBelow(root, file.path, MOST_BYTES);
  return bytes === null ? null : file.login(new TextDecoder().decode(bytes));
}
