import { join } from 'node:path';
import { writeAtomic } from '../../../platform/atomic-file.ts';
import { readText } from '../../../platform/files.ts';
import type { Engine } from './engine.ts';

/** Keys of the kernel are kept by user, not by container: root inside would see what root outside put there. */
const KEYRINGS = ['add_key', 'keyctl', 'request_key'];

interface Profile {
  readonly syscalls?: readonly { readonly names?: readonly string[]; readonly action?: string }[];
}

/**
 * Flags that keep a container from the kernel's keyrings, as Docker does by itself: the engine's own list of system
 * calls that are allowed, without those. None where the engine has no such list.
 *
 * @param folder where the list is written
 */
export async function seccompFlags({ seccompProfile }: Engine, folder: string): Promise<readonly string[]> {
  const profile = seccompProfile === null ? null : await readText(seccompProfile);
  if (profile === null) return [];
  const file = join(folder, 'seccomp.json');
  await writeAtomic(file, withoutKeyrings(profile), { fsync: false });
  return ['--security-opt', `seccomp=${file}`];
}

/** The profile with nothing about keyrings in what it allows; what is not allowed is refused. */
export function withoutKeyrings(text: string): string {
  const profile = JSON.parse(text) as Profile;
  const syscalls = (profile.syscalls ?? []).map((rule) => {
    if (rule.action !== 'SCMP_ACT_ALLOW') return rule;
    return { ...rule, names: (rule.names ?? []).filter((name) => !KEYRINGS.includes(name)) };
  });
  return JSON.stringify({
    ...profile,
    syscalls: syscalls.filter(({ names }) => names === undefined || names.length > 0),
  });
}
