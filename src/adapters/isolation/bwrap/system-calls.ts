/** Numbers of a system call on x86_64, i386, aarch64 and arm; null where the call does not exist. */
type Numbers = readonly [x86_64: number | null, i386: number | null, aarch64: number | null, arm: number | null];

export type Calls = Readonly<Record<string, Numbers>>;

// Numbers from the kernel's own tables: arch/x86/entry/syscalls/syscall_{64,32}.tbl, scripts/syscall.tbl (aarch64) and
// arch/arm/tools/syscall.tbl. They never change.

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
