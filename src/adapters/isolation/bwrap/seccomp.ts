/** A convention for calling the kernel, which decides the call numbers. */
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
interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly k: number;
}

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
  const refused = (calls: typeof FORBIDDEN, refusal: Instruction) =>
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
    { code: AND, jumpTrue: 0, jumpFalse: 0, k: TYPE },
    ...DEVICES.flatMap((type) => whenEqual(type, [NOT_PERMITTED])),
    ALLOWED,
  ];
}

const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_SET = 0x45;

function load(offset: number): Instruction {
  return { code: 0x20, jumpTrue: 0, jumpFalse: 0, k: offset };
}

function answer(value: number): Instruction {
  return { code: 0x06, jumpTrue: 0, jumpFalse: 0, k: value };
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
  return [{ code: test, jumpTrue: 0, jumpFalse: then.length, k: value }, ...then];
}

function assembled(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { code, jumpTrue, jumpFalse, k }] of program.entries()) {
    const at = i * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, jumpTrue);
    view.setUint8(at + 3, jumpFalse);
    view.setUint32(at + 4, k, true);
  }
  return bytes;
}

/** Numbers of a system call on x86_64, i386, aarch64 and arm; null where the call does not exist. */
type Numbers = readonly [x86_64: number | null, i386: number | null, aarch64: number | null, arm: number | null];

type Calls = Readonly<Record<string, Numbers>>;

// Numbers from the kernel's own tables: arch/x86/entry/syscalls/syscall_{64,32}.tbl, scripts/syscall.tbl (aarch64) and
// arch/arm/tools/syscall.tbl. They never change.

/** Calls that are judged by their arguments: see the filter. */
export const IOCTL = [16, 54, 29, 54] as const satisfies Numbers;
export const PTRACE = [101, 26, 117, 26] as const satisfies Numbers;

/** Calls that set a file's mode, each with the index (from 0) of the mode argument. */
export const GIVES_MODE: readonly { readonly numbers: Numbers; readonly mode: number }[] = [
  { numbers: [90, 15, null, 15], mode: 1 }, // chmod
  { numbers: [91, 94, 52, 94], mode: 1 }, // fchmod
  { numbers: [268, 306, 53, 333], mode: 2 }, // fchmodat
  { numbers: [452, 452, 452, 452], mode: 2 }, // fchmodat2
  { numbers: [85, 8, null, 8], mode: 1 }, // creat
  { numbers: [133, 14, null, 14], mode: 1 }, // mknod
  { numbers: [259, 297, 33, 324], mode: 2 }, // mknodat
];

/** Calls whose mode counts only when a flag says that a file is created; otherwise it may be any value. */
export const OPENS: readonly { readonly numbers: Numbers; readonly flags: number; readonly mode: number }[] = [
  { numbers: [2, 5, null, 5], flags: 1, mode: 2 }, // open
  { numbers: [257, 295, 56, 322], flags: 2, mode: 3 }, // openat
];

/** Answered with EPERM, the kernel's own answer to a caller without the privilege. */
export const FORBIDDEN: Calls = {
  // Keys are kept by user and session, not by namespace: a process inside would read the user's keys.
  add_key: [248, 286, 217, 309],
  request_key: [249, 287, 218, 310],
  keyctl: [250, 288, 219, 311],

  // Where the kernel has most of its holes, or reveals the host.
  bpf: [321, 357, 280, 386],
  perf_event_open: [298, 336, 241, 364],
  syslog: [103, 103, 116, 103],

  // Mounts: the view is complete and stays unchanged.
  mount: [165, 21, 40, 21],
  umount: [null, 22, null, null],
  umount2: [166, 52, 39, 52],
  pivot_root: [155, 217, 41, 218],
  open_tree: [428, 428, 428, 428],
  move_mount: [429, 429, 429, 429],
  fsopen: [430, 430, 430, 430],
  fsconfig: [431, 431, 431, 431],
  fsmount: [432, 432, 432, 432],
  fspick: [433, 433, 433, 433],
  mount_setattr: [442, 442, 442, 442],
  open_tree_attr: [467, 467, 467, 467],
  setns: [308, 346, 268, 375],

  // Files by number rather than by path, and other processes' memory without a debugger.
  open_by_handle_at: [304, 342, 265, 371],
  process_vm_readv: [310, 347, 270, 376],
  process_vm_writev: [311, 348, 271, 377],

  // The machine itself.
  kexec_load: [246, 283, 104, 347],
  kexec_file_load: [320, null, 294, 401],
  init_module: [175, 128, 105, 128],
  finit_module: [313, 350, 273, 379],
  delete_module: [176, 129, 106, 129],
  reboot: [169, 88, 142, 88],
  swapon: [167, 87, 224, 87],
  swapoff: [168, 115, 225, 115],
  iopl: [172, 110, null, null],
  ioperm: [173, 101, null, null],
  acct: [163, 51, 89, 51],
  quotactl: [179, 131, 60, 131],
  quotactl_fd: [443, 443, 443, 443],
  settimeofday: [164, 79, 170, 79],
  stime: [null, 25, null, null],
  clock_settime: [227, 264, 112, 262],
  clock_settime64: [null, 404, null, 404],
};

/** Answered with ENOSYS, as by a kernel without these calls: programs try them and fall back. */
export const ABSENT: Calls = {
  // Its mode is in memory, which a filter cannot read.
  openat2: [437, 437, 437, 437],
  userfaultfd: [323, 374, 282, 388],
  io_uring_setup: [425, 425, 425, 425],
  io_uring_enter: [426, 426, 426, 426],
  io_uring_register: [427, 427, 427, 427],
};
