import { ABSENT, type Calls, FORBIDDEN, GIVES_MODE, IOCTL, OPENS, PTRACE } from './system-calls.ts';

interface Convention {
  /** AUDIT_ARCH_* of linux/audit.h, the kernel's name for it. */
  readonly audit: number;
  readonly column: 0 | 1 | 2 | 3;
  /** Has every call a second time, under other numbers, for programs with short pointers. */
  readonly x32?: true;
}

/**
 * By Node's name for a machine: its own convention, and that of its 32-bit programs. Any program can use the latter for
 * a single call, so a filter for the first alone would filter nothing.
 */
const MACHINES: Readonly<Record<string, readonly Convention[]>> = {
  x64: [
    { audit: 0xc000003e, column: 0, x32: true },
    { audit: 0x40000003, column: 1 },
  ],
  arm64: [
    { audit: 0xc00000b7, column: 2 },
    { audit: 0x40000028, column: 3 },
  ],
};

/** struct sock_filter of linux/filter.h. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number];

const INSTRUCTION_BYTES = 8;

/** Offsets in struct seccomp_data of linux/seccomp.h; of an argument only the lower half, which is all that matters. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;
const argument = (at: number) => FIRST_ARGUMENT + 8 * at;

const X32_BIT = 0x40000000;
const NO_CALL = 0xffffffff;

/** Put input into a terminal as if the user had typed it; and what else the Linux console can do. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** Become the debugger of an existing process: PTRACE_ATTACH, PTRACE_SEIZE. */
const ATTACHING = [16, 0x4206];
/** bwrap and the bridge. While a debugger holds them, no process notices that the command has ended. */
const HELD_BY_NOBODY = [1, 2];

/** Set-user-id and set-group-id: such a file gives other users of this machine the user's rights, or root's. */
const SET_ID = 0o6000;
/** Type bits of a mode, and the types of devices. */
const TYPE = 0o170000;
const DEVICES = [0o020000, 0o060000];
/** O_CREAT, and what O_TMPFILE has beside O_DIRECTORY. */
const MAKES_FILE = 0o100 | 0o20000000;

const ALLOWED = answer(0x7fff0000);
const NOT_PERMITTED = answer(0x00050000 + 1);
const NO_SUCH_CALL = answer(0x00050000 + 38);

/**
 * A system call filter in the kernel's format (classic BPF, for little-endian machines). In addition to what namespaces
 * and missing privileges prevent, it refuses what no program needs to build and test software. Pure.
 *
 * @param machine as `process.arch` names it
 * @returns null for a machine whose call numbers are unknown
 */
export function seccompFilter(machine: string): Uint8Array | null {
  const conventions = MACHINES[machine];
  if (conventions === undefined) return null;
  return assembled([
    load(ARCHITECTURE),
    ...conventions.flatMap((convention) => whenEqual(convention.audit, judged(convention))),
    NO_SUCH_CALL,
  ]);
}

/** Answers every call of a convention. */
function judged({ column, x32 }: Convention): readonly Instruction[] {
  const refused = (calls: Calls, refusal: Instruction) =>
    Object.values(calls).flatMap((numbers) => whenCalled(numbers[column], [refusal]));
  const ofTerminals = [TIOCSTI, TIOCLINUX].flatMap((request) => whenEqual(request, [NOT_PERMITTED]));
  const attaching = [
    load(FIRST_ARGUMENT),
    ...ATTACHING.flatMap((request) => whenEqual(request, [NOT_PERMITTED])),
    ALLOWED,
  ];
  return [
    load(NUMBER),
    // What remains of a call that a debugger answers itself; it is not an x32 call, though all its bits are set.
    ...(x32 ? [...whenEqual(NO_CALL, [ALLOWED]), ...when(JUMP_IF_SET, X32_BIT, [NO_SUCH_CALL])] : []),
    ...whenEqual(IOCTL[column], [load(SECOND_ARGUMENT), ...ofTerminals, ALLOWED]),
    ...whenEqual(PTRACE[column], [
      load(SECOND_ARGUMENT),
      ...HELD_BY_NOBODY.flatMap((pid) => whenEqual(pid, attaching)),
      ALLOWED,
    ]),
    ...GIVES_MODE.flatMap(({ numbers, mode }) => whenCalled(numbers[column], modeJudged(argument(mode)))),
    ...OPENS.flatMap(({ numbers, flags, mode }) =>
      whenCalled(numbers[column], [
        load(argument(flags)),
        ...when(JUMP_IF_SET, MAKES_FILE, modeJudged(argument(mode))),
        ALLOWED,
      ]),
    ),
    ...refused(FORBIDDEN, NOT_PERMITTED),
    ...refused(ABSENT, NO_SUCH_CALL),
    ALLOWED,
  ];
}

/** Answers a call by its mode argument: no set-user-id, no device. */
function modeJudged(offset: number): readonly Instruction[] {
  return [
    load(offset),
    ...when(JUMP_IF_SET, SET_ID, [NOT_PERMITTED]),
    [AND, 0, 0, TYPE],
    ...DEVICES.flatMap((type) => whenEqual(type, [NOT_PERMITTED])),
    ALLOWED,
  ];
}

const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_SET = 0x45;

function load(offset: number): Instruction {
  return [0x20, 0, 0, offset];
}

function answer(value: number): Instruction {
  return [0x06, 0, 0, value];
}

function whenEqual(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return when(JUMP_IF_EQUAL, value, then);
}

/** @param number null where this machine has no such call */
function whenCalled(number: number | null, then: readonly Instruction[]): readonly Instruction[] {
  return number === null ? [] : whenEqual(number, then);
}

/** @param then at most 255 instructions, the longest jump */
function when(test: number, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[test, 0, then.length, value], ...then];
}

function assembled(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, [code, jumpTrue, jumpFalse, k]] of program.entries()) {
    const at = i * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, jumpTrue);
    view.setUint8(at + 3, jumpFalse);
    view.setUint32(at + 4, k, true);
  }
  return bytes;
}
