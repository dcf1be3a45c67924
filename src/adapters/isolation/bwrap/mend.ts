import { readText } from '../../../platform/files/files.ts';
import { installWays, mendSurroundings } from '../mend.ts';
import { thisSystem } from '../system.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Settings of the kernel that keep ordinary users from namespaces: which value does, and how to let them. */
const SETTINGS: readonly {
  readonly name: string;
  readonly forbids: (value: string) => boolean;
  readonly mend: string;
}[] = [
  {
    // Ubuntu since 23.10.
    name: 'kernel/apparmor_restrict_unprivileged_userns',
    forbids: (value) => value !== '0',
    mend: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (or an AppArmor profile for bwrap that allows userns)',
  },
  {
    // Older Debian, and Arch's hardened kernel.
    name: 'kernel/unprivileged_userns_clone',
    forbids: (value) => value === '0',
    mend: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  },
  {
    name: 'user/max_user_namespaces',
    forbids: (value) => value === '0',
    mend: 'sudo sysctl -w user.max_user_namespaces=15000',
  },
];

/** How to get bwrap here. */
export async function missingWays(env: Env): Promise<readonly string[]> {
  return installWays('bwrap', await thisSystem(env));
}

/** What keeps an installed bwrap from working, or from holding, by what the kernel says and what is around us. */
export async function complaintWays(env: Env): Promise<readonly string[]> {
  const values = await Promise.all(
    SETTINGS.map(async ({ name }) => (await readText(`/proc/sys/${name}`).catch(() => null))?.trim() ?? null),
  );
  const settings = forbidden(values);
  const ways = settings.length > 0 ? settings : mendSurroundings(await thisSystem(env));
  return ways.length > 0 ? ways : ['take another backend: ralph run --sandbox=container'];
}

/** Ways to mend, by the values of the settings; null where the kernel has none. Pure. */
export function forbidden(values: readonly (string | null)[]): readonly string[] {
  return SETTINGS.flatMap(({ forbids, mend }, i) => {
    const value = values[i] ?? null;
    return value !== null && forbids(value) ? [mend] : [];
  });
}
