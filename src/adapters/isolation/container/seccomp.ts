import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readText } from '../../../platform/files/files.ts';
import type { Engine } from './engine.ts';

/** Keys of the kernel are kept by user, not by container: root inside would see what root outside put there. */
const KEYRINGS = ['add_key', 'keyctl', 'request_key'];

/**
 * Arguments of ptrace that are allowed: a request of 0 (PTRACE_TRACEME), or any other process than the first, on which
 * the end of a container hangs: nobody notices it while a debugger holds that. The kernel looks at the lower half of a
 * pid only, of which a rule can compare no part but by single bits: one of those above the lowest is set.
 */
const DEBUGGERS = [
  { index: 0, value: 0xffff_ffff, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
  ...Array.from({ length: 30 }, (_, i) => {
    const bit = 2 ** (i + 1);
    return { index: 1, value: bit, valueTwo: bit, op: 'SCMP_CMP_MASKED_EQ' };
  }),
];

/** Set-user-id and set-group-id: such a file is the person's rights for others of this machine, or root's. */
const NO_SET_ID = (index: number) => ({ index, value: 0o6000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });
/** Without O_CREAT and O_TMPFILE, when the mode may be anything. */
const NO_FILE_MADE = (index: number) => ({ index, value: 0o20000100, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });

/** Calls that are allowed with some arguments only: any of these conditions. */
const CONDITIONS: Readonly<Record<string, readonly object[]>> = {
  ptrace: DEBUGGERS,
  chmod: [NO_SET_ID(1)],
  fchmod: [NO_SET_ID(1)],
  creat: [NO_SET_ID(1)],
  mknod: [NO_SET_ID(1)],
  fchmodat: [NO_SET_ID(2)],
  fchmodat2: [NO_SET_ID(2)],
  mknodat: [NO_SET_ID(2)],
  open: [NO_SET_ID(2), NO_FILE_MADE(1)],
  openat: [NO_SET_ID(3), NO_FILE_MADE(2)],
};
/** Those of whose arguments the kernel shows a filter nothing. */
const UNSEEN = ['openat2', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'];

interface Rule {
  readonly names?: readonly string[];
  readonly action?: string;
}

interface Profile {
  readonly syscalls?: readonly Rule[];
}

/**
 * Flags that keep a container from the kernel's keyrings, as Docker does by itself, debuggers from its first process,
 * and files from being made set-user-id: the engine's own list of system calls that are allowed, without those. None where the engine has no such
 * list.
 *
 * @param folder where the list is written
 */
export async function seccompFlags({ seccompProfile }: Engine, folder: string): Promise<readonly string[]> {
  const profile = seccompProfile === null ? null : await readText(seccompProfile);
  if (profile === null) return [];
  const file = join(folder, 'seccomp.json');
  await writeAtomic(file, restricted(profile), { fsync: false });
  return ['--security-opt', `seccomp=${file}`];
}

/** The profile with nothing about keyrings in what it allows, and less of debuggers and modes; what is not allowed is refused. */
export function restricted(text: string): string {
  const profile = JSON.parse(text) as Profile;
  const syscalls = (profile.syscalls ?? []).flatMap((rule) =>
    rule.action === 'SCMP_ACT_ALLOW' ? allowed(rule) : [rule],
  );
  return JSON.stringify({
    ...profile,
    syscalls: syscalls.filter(({ names }) => names === undefined || names.length > 0),
  });
}

function allowed(rule: Rule): readonly Rule[] {
  const names = rule.names ?? [];
  const isPlain = (name: string) => ![...KEYRINGS, ...UNSEEN].includes(name) && !(name in CONDITIONS);
  const limited = names.flatMap((name) => (CONDITIONS[name] ?? []).map((arg) => ({ ...rule, names: [name], args: [arg] })));
  return [{ ...rule, names: names.filter(isPlain) }, ...limited];
}
