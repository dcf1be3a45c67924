import { describe, expect, test } from 'vitest';
import { seccompFilter } from './seccomp.ts';
import { ABSENT, type Calls, FORBIDDEN, GIVES_MODE, IOCTL, OPENS, PTRACE } from './system-calls.ts';

interface Call {
  readonly architecture: number;
  readonly number: number;
  /** The first is at 0. */
  readonly args?: readonly bigint[];
}

const ALLOW = 'allowed';
const EPERM = 'errno 1';
const ENOSYS = 'errno 38';

/** What the kernel's interpreter makes of a call: as much of classic BPF as a filter of system calls may have. */
function judge(program: Uint8Array, { architecture, number, args = [] }: Call): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, architecture, true);
  args.forEach((value, i) => {
    data.setBigUint64(16 + 8 * i, value, true);
  });
  const code = new DataView(program.buffer);
  let a = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [jumpTrue, jumpFalse, k] = [code.getUint8(at + 2), code.getUint8(at + 3), code.getUint32(at + 4, true)];
    switch (code.getUint16(at, true)) {
      case 0x20:
        a = data.getUint32(k, true);
        break;
      case 0x54:
        a = (a & k) >>> 0;
        break;
      case 0x15:
        at += 8 * (a === k ? jumpTrue : jumpFalse);
        break;
      case 0x45:
        at += 8 * ((a & k) !== 0 ? jumpTrue : jumpFalse);
        break;
      case 0x06:
        if (k === 0x7fff0000) return ALLOW;
        if (k >>> 16 === 0x0005) return `errno ${k & 0xffff}`;
        throw new Error(`answers ${k}`);
      default:
        throw new Error(`no such instruction at ${at / 8}`);
    }
  }
  throw new Error('runs over its end');
}

const CONVENTIONS = [
  { name: 'x86_64', machine: 'x64', architecture: 0xc000003e, column: 0 },
  { name: 'i386', machine: 'x64', architecture: 0x40000003, column: 1 },
  { name: 'aarch64', machine: 'arm64', architecture: 0xc00000b7, column: 2 },
  { name: 'arm', machine: 'arm64', architecture: 0x40000028, column: 3 },
] as const;

const filterOf = (machine: string) => seccompFilter(machine) ?? new Uint8Array();

describe.each(CONVENTIONS)('calls of $name', ({ machine, architecture, column }) => {
  const filter = filterOf(machine);

  test('are let through, but for those of the tables', () => {
    const seen = new Map<string, number[]>();
    for (let number = 0; number < 1024; number += 1) {
      const answer = judge(filter, { architecture, number });
      seen.set(answer, [...(seen.get(answer) ?? []), number]);
    }
    const numbers = (calls: Calls) =>
      Object.values(calls)
        .flatMap((all) => all[column] ?? [])
        .sort((a, b) => a - b);
    expect(seen.get(EPERM)).toEqual(numbers(FORBIDDEN));
    expect(seen.get(ENOSYS)).toEqual(numbers(ABSENT));
    expect(seen.get(ALLOW)).toHaveLength(1024 - numbers(FORBIDDEN).length - numbers(ABSENT).length);
  });

  test('that put input into a terminal are refused, also with bits that the kernel does not look at', () => {
    const ioctl = (request: bigint) => judge(filter, { architecture, number: IOCTL[column], args: [0n, request] });
    expect([0x5412n, 0x1_0000_5412n, 0x541cn].map(ioctl)).toEqual([EPERM, EPERM, EPERM]);
    expect([0x5401n, 0x5413n, 0n].map(ioctl)).toEqual([ALLOW, ALLOW, ALLOW]);
    expect(judge(filter, { architecture, number: IOCTL[column], args: [0x5412n, 0n, 0x5412n] })).toBe(ALLOW);
  });

  test('that give a file a mode are refused for set-user-id, set-group-id and devices, and for nothing else', () => {
    const call = (number: number | null, args: readonly bigint[]) =>
      number === null ? null : judge(filter, { architecture, number, args });
    const given = (at: number, mode: bigint, flags: readonly [number, bigint] | null = null) => {
      const args = [0n, 0n, 0n, 0n];
      if (flags !== null) args[flags[0]] = flags[1];
      args[at] = mode;
      return args;
    };
    const [bad, good] = [
      [0o4755n, 0o2755n, 0o6000n, 0o020644n, 0o060600n, 0x1_0000_0000n + 0o4755n],
      [0o755n, 0o1777n, 0o100644n, 0o010600n, 0o140600n, 0n],
    ];
    for (const { numbers, mode } of GIVES_MODE) {
      for (const value of bad) expect(call(numbers[column], given(mode, value)) ?? EPERM).toBe(EPERM);
      for (const value of good) expect(call(numbers[column], given(mode, value)) ?? ALLOW).toBe(ALLOW);
    }
    for (const { numbers, flags, mode } of OPENS) {
      const open = (flag: bigint, value: bigint) => call(numbers[column], given(mode, value, [flags, flag]));
      for (const making of [0o101n, 0o20200002n]) {
        expect(open(making, 0o4755n) ?? EPERM).toBe(EPERM);
        expect(open(making, 0o644n) ?? ALLOW).toBe(ALLOW);
      }
      // Without a file to be made the kernel does not look at it, and it may be what was left in a register.
      expect(open(0o200000n, 0o4755n) ?? ALLOW).toBe(ALLOW);
    }
  });

  test('of a debugger are refused for the processes that the end of the sandbox hangs on, and for no others', () => {
    const ptrace = (request: bigint, pid: bigint) =>
      judge(filter, { architecture, number: PTRACE[column], args: [request, pid] });
    for (const attach of [16n, 0x4206n]) {
      expect([1n, 2n, 0x1_0000_0001n].map((pid) => ptrace(attach, pid))).toEqual([EPERM, EPERM, EPERM]);
      expect([3n, 16n, 40_000n].map((pid) => ptrace(attach, pid))).toEqual([ALLOW, ALLOW, ALLOW]);
    }
    expect([ptrace(0n, 0n), ptrace(0n, 1n), ptrace(17n, 9n)]).toEqual([ALLOW, ALLOW, ALLOW]);
  });
});

test('the second numbers of x86_64 lead nowhere; what a debugger has answered itself stays', () => {
  const call = (number: number) => judge(filterOf('x64'), { architecture: 0xc000003e, number });
  expect([0x40000000, 0x40000000 + 250, 0x80000000 + 0x40000000].map(call)).toEqual([ENOSYS, ENOSYS, ENOSYS]);
  expect(call(0xffffffff)).toBe(ALLOW);
});

test('calls of another machine are refused, and there is no filter for one that is not known', () => {
  expect(judge(filterOf('x64'), { architecture: 0xc00000b7, number: 0 })).toBe(ENOSYS);
  expect(judge(filterOf('arm64'), { architecture: 0xc000003e, number: 0 })).toBe(ENOSYS);
  expect(seccompFilter('riscv64')).toBe(null);
});

test('it is no longer than the kernel takes', () => {
  for (const machine of ['x64', 'arm64']) expect(filterOf(machine).length / 8).toBeLessThan(4096);
});
