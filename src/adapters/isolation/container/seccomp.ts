import { join } from 'node:path';
import { readText, writeAtomic } from '../../../platform/index.ts';
import type { Engine } from './engine.ts';

/** The kernel keeps keys by user, not by container: root inside would see the keys of root outside. */
const KEYRINGS = ['add_key', 'keyctl', 'request_key'];

/**
 * Allowed arguments of ptrace: a request of 0 (PTRACE_TRACEME), or any process but the first. The end of a container
 * depends on the first process, and no process notices its end while a debugger holds it. The kernel looks only at the
 * lower half of a pid, and a rule can compare single bits of it at most: one bit above the lowest is set.
 */
const DEBUGGERS = [
  { index: 0, value: 0xffff_ffff, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
  ...Array.from({ length: 30 }, (_, i) => {
    const bit = 2 ** (i + 1);
    return { index: 1, value: bit, valueTwo: bit, op: 'SCMP_CMP_MASKED_EQ' };
  }),
];

/** Set-user-id and set-group-id: such a file gives other users of this machine the user's rights, or root's. */
const NO_SET_ID = (index: number) => ({ index, value: 0o6000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });
/** Without O_CREAT and O_TMPFILE, the mode may be any value. */
const NO_FILE_MADE = (index: number) => ({ index, value: 0o20000100, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });

/** Calls that are allowed with certain arguments only: when any of these conditions holds. */
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
/** Calls whose arguments the kernel does not show to a filter. */
const UNSEEN = ['openat2', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'];

interface Rule {
  readonly names?: readonly string[];
  readonly action?: string;
}

/**
 * Flags that keep a container from the kernel's keyrings, as Docker does by default, debuggers from its first process,
 * and files from becoming set-user-id: the engine's own list of allowed system calls, without those. None where the
 * engine has no such list.
 *
 * @param folder where the list is written
 */
export async function seccompFlags(
  { seccompProfile }: Pick<Engine, 'seccompProfile'>,
  folder: string,
): Promise<readonly string[]> {
  const profile = seccompProfile === null ? null : await readText(seccompProfile);
  if (profile === null) return [];
  const file = join(folder, 'seccomp.json');
  await writeAtomic(file, restricted(profile), { fsync: false });
  return ['--security-opt', `seccomp=${file}`];
}

/** The profile, allowing no calls for keyrings and fewer for debuggers and modes; all other calls are refused. */
function restricted(text: string): string {
  const profile = JSON.parse(text) as { readonly syscalls?: readonly Rule[] };
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
  const limited = names.flatMap((name) =>
    (CONDITIONS[name] ?? []).map((arg) => ({ ...rule, names: [name], args: [arg] })),
  );
  return [{ ...rule, names: names.filter(isPlain) }, ...limited];
}
