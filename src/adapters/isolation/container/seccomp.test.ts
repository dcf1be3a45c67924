import { expect, test } from 'vitest';
import { makeTempDir, readText, remove, writeAtomic } from '../../../platform/index.ts';
import { seccompFlags } from './seccomp.ts';

/** The engine's list of system calls as containers get it. */
async function restricted(profile: object): Promise<unknown> {
  const folder = await makeTempDir('ralph-seccomp-');
  try {
    const seccompProfile = `${folder}/profile.json`;
    await writeAtomic(seccompProfile, JSON.stringify(profile));
    const [, flag = ''] = await seccompFlags({ seccompProfile }, folder);
    return JSON.parse((await readText(flag.replace('seccomp=', ''))) ?? '');
  } finally {
    await remove(folder);
  }
}

test('keyrings are taken out of what a profile allows, and nothing else is changed', async () => {
  const profile = {
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'keyctl', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['add_key', 'request_key'], action: 'SCMP_ACT_ALLOW' },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  };
  expect(await restricted(profile)).toEqual({
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  });
});

test('debuggers may be started, and attach to any process but the first', async () => {
  const profile = { syscalls: [{ names: ['read', 'ptrace'], action: 'SCMP_ACT_ALLOW', excludes: {} }] };
  const { syscalls } = (await restricted(profile)) as { syscalls: readonly Rule[] };
  expect(syscalls[0]?.names).toEqual(['read']);
  const rules = syscalls.slice(1);
  expect(rules.every(({ names, action }) => names.join() === 'ptrace' && action === 'SCMP_ACT_ALLOW')).toBe(true);
  const isAllowed = (...call: readonly bigint[]) =>
    rules.some(({ args }) => args.every((rule) => (call[rule.index]! & BigInt(rule.value)) === BigInt(rule.valueTwo)));
  for (const attach of [16n, 0x4206n]) {
    expect([1n, 0x1_0000_0001n].some((pid) => isAllowed(attach, pid))).toBe(false);
    expect([2n, 3n, 7n, 40_000n, 4_194_304n].every((pid) => isAllowed(attach, pid))).toBe(true);
  }
  expect(isAllowed(0n, 0n)).toBe(true);
});

test('modes are given without set-user-id, also where a file is opened, and calls that hide theirs are gone', async () => {
  const names = ['chmod', 'openat', 'openat2', 'io_uring_setup', 'read'];
  const profile = { syscalls: [{ names, action: 'SCMP_ACT_ALLOW' }] };
  const { syscalls } = (await restricted(profile)) as { syscalls: readonly Rule[] };
  expect(syscalls[0]?.names).toEqual(['read']);
  const isAllowed = (name: string, ...call: readonly bigint[]) =>
    syscalls.some(
      (one) =>
        one.names.includes(name) &&
        (one.args ?? []).every((rule) => (call[rule.index]! & BigInt(rule.value)) === BigInt(rule.valueTwo)),
    );
  expect([0o4755n, 0o2755n, 0o6000n].some((mode) => isAllowed('chmod', 0n, mode))).toBe(false);
  expect([0o755n, 0o1777n, 0n].every((mode) => isAllowed('chmod', 0n, mode))).toBe(true);
  expect([0o101n, 0o20200002n].some((flags) => isAllowed('openat', 0n, 0n, flags, 0o4755n))).toBe(false);
  expect(isAllowed('openat', 0n, 0n, 0o101n, 0o644n)).toBe(true);
  expect(isAllowed('openat', 0n, 0n, 0o200000n, 0o4755n)).toBe(true);
  expect(['openat2', 'io_uring_setup'].some((name) => isAllowed(name))).toBe(false);
});

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args: readonly { readonly index: number; readonly value: number; readonly valueTwo: number }[];
}
