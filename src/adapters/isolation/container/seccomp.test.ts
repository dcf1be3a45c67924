import { expect, test } from 'vitest';
import { restricted } from './seccomp.ts';

test('keyrings are taken out of what a profile allows, and nothing else is changed', () => {
  const profile = {
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'keyctl', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['add_key', 'request_key'], action: 'SCMP_ACT_ALLOW' },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  };
  expect(JSON.parse(restricted(JSON.stringify(profile)))).toEqual({
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [
      { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW', args: [] },
      { names: ['keyctl', 'bdflush'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    ],
  });
});

test('debuggers may be started, and attach to any process but the first', () => {
  const profile = { syscalls: [{ names: ['read', 'ptrace'], action: 'SCMP_ACT_ALLOW', excludes: {} }] };
  const { syscalls } = JSON.parse(restricted(JSON.stringify(profile))) as { syscalls: readonly Rule[] };
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

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args: readonly { readonly index: number; readonly value: number; readonly valueTwo: number }[];
}
