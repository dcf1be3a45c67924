import type { Switch } from '../switch.ts';

const RENDER = 'src/adapters/isolation/bwrap/find.ts';
const SESSION = 'src/adapters/isolation/bwrap/open.ts';
const VIEW = 'src/adapters/isolation/view/view.ts';

/** All files of the host are there, and only the work tree keeps its covers. */
const EVERYTHING_SEEN: Switch['edits'] = [
  { file: VIEW, from: '    ...system,\n    ...[house, ...pinned, ...shown],\n', to: '' },
  {
    file: 'src/adapters/isolation/view/environment.ts',
    from: ".filter((entry) => isOnPath(normalPath(entry) ?? ''))",
    to: ".filter((entry) => isOnPath(normalPath(entry) ?? '') || true)",
  },
  { file: RENDER, from: "    ...['--remount-ro', '/'],\n", to: '' },
  {
    file: RENDER,
    from: "    ...['--proc', '/proc', '--dev', '/dev'],",
    to: "    ...['--bind', '/', '/', '--proc', '/proc', '--dev', '/dev'],",
  },
];

/** Root inside is root outside, with all it may and no call refused. Only where the switch is tried as root. */
const AS_ROOT_OF_THE_HOST: Switch['edits'] = [
  { file: SESSION, from: "(filter === null ? [] : ['--seccomp', '9'])", to: '[]' },
  { file: RENDER, from: "(disableUserns ? ['--unshare-user', '--disable-userns'] : [])", to: '[]' },
  { file: RENDER, from: "'--new-session', '--cap-drop', 'ALL',", to: "'--new-session', '--cap-add', 'ALL'," },
];

const ROOT_OF_THE_HOST_INSIDE: Switch['edits'] = [
  ...AS_ROOT_OF_THE_HOST,
  {
    file: RENDER,
    from: "    '--unshare-all',\n",
    to: "    ...['--unshare-ipc', '--unshare-net', '--unshare-uts', '--unshare-pid'],\n",
  },
];

const PROCESSES_SEEN: Switch['edits'] = [
  { file: RENDER, from: "    '--unshare-all',\n", to: "    ...['--unshare-ipc', '--unshare-net', '--unshare-uts'],\n" },
  { file: RENDER, from: "['--proc', '/proc', '--dev', '/dev']", to: "['--bind', '/proc', '/proc', '--dev', '/dev']" },
];

/** What bwrap is told to keep away. */
export const WALLS: readonly Switch[] = [
  {
    name: 'a view of the files of its own',
    edits: EVERYTHING_SEEN,
    battery: [
      ...['write-absolute', 'write-dotdot', 'write-symlink', 'write-symlink-race', 'write-proc-root'],
      ...['write-system', 'write-temp', 'write-home', 'write-programs', 'change-modes', 'remove-outside'],
      ...['read-outside', 'read-logins', 'read-home', 'read-shadow', 'read-others', 'read-spools', 'read-state'],
      ...['socket-file', 'socket-engine', 'socket-keys', 'control-keys'],
      ...['git-user-settings', 'kernel-devices', 'cgroups', 'key-home', 'key-records', 'key-temp', 'key-agents'],
    ],
  },
  {
    name: "the host's devices left out",
    edits: [
      {
        file: RENDER,
        from: "    ...['--proc', '/proc', '--dev', '/dev'],",
        to: "    ...['--proc', '/proc', '--dev-bind', '/dev', '/dev'],",
      },
    ],
    battery: ['device-memory', 'device-disks', 'terminal'],
  },
  {
    name: 'read-only covers in the work tree',
    edits: [
      {
        file: VIEW,
        from: '    readOnly: inTree.filter((path) => path !== null),',
        to: '    readOnly: [],',
      },
    ],
    battery: [
      'write-hard-link',
      'protected-write',
      'protected-move',
      'protected-settings',
      'protected-state',
      'protected-uncover',
    ],
  },
  {
    name: 'a process namespace of its own',
    edits: [...AS_ROOT_OF_THE_HOST, ...PROCESSES_SEEN],
    battery: [
      ...['see-processes', 'read-memory', 'follow-processes', 'ptrace', 'signal'],
      ...['key-environments', 'key-command-lines', 'key-memory', 'key-open-files'],
    ],
  },
  {
    name: 'processes that end with the sandbox',
    edits: [
      ...PROCESSES_SEEN,
      {
        file: 'src/platform/process/run.ts',
        from: '    if (marker !== undefined) await killFamily({ marker, lineage, since }, LEFTOVER_GRACE_MS);\n',
        to: '',
      },
    ],
    battery: ['survive'],
  },
  {
    name: 'a read-only folder of the proxy',
    edits: [
      {
        file: VIEW,
        from: "[{ kind: 'read', from: sockets, at: sockets }",
        to: "[{ kind: 'write', from: sockets, at: sockets }",
      },
    ],
    battery: ['proxy-sockets'],
  },
  {
    name: 'closing what was left open by the starter',
    edits: [{ file: SESSION, from: '  closeInheritedFiles();\n', to: '' }],
    battery: ['write-open-files'],
  },
  {
    name: 'a complete environment',
    edits: [
      {
        file: SESSION,
        from: 'env: Object.fromEntries(outside), end',
        to: 'env: { ...(env as Record<string, string>), ...Object.fromEntries(outside) }, end',
      },
    ],
    battery: ['read-environment', 'key-own-environment'],
  },
  {
    name: 'a network namespace of its own',
    edits: [
      ...AS_ROOT_OF_THE_HOST,
      {
        file: RENDER,
        from: "    '--unshare-all',\n",
        to: "    ...['--unshare-ipc', '--unshare-pid', '--unshare-uts'],\n",
      },
      {
        file: SESSION,
        from: 'bridgeCommand({ program, sockets, ports,',
        to: 'bridgeCommand({ program, sockets, ports: [],',
      },
    ],
    battery: [
      'tcp-direct',
      'udp-direct',
      'dns',
      'icmp',
      'interfaces',
      'loopback-ports',
      'socket-abstract',
      'key-sockets',
    ],
  },
  {
    name: 'a user namespace and dropped capabilities',
    edits: ROOT_OF_THE_HOST_INSIDE,
    battery: ['capabilities', 'mount', 'unmount', 'chroot', 'raw-sockets', 'setuid', 'namespaces'],
  },
  {
    name: 'a filter of system calls',
    edits: ROOT_OF_THE_HOST_INSIDE,
    battery: ['keyrings', 'file-handles', 'kernel-calls', 'key-keyring'],
  },
  {
    name: 'read-only settings of the kernel',
    edits: [{ file: RENDER, from: '...KERNEL_SETTINGS.flatMap', to: '...KERNEL_SETTINGS.slice(0, 0).flatMap' }],
    battery: ['kernel-settings'],
  },
  {
    name: 'limits of memory and processes',
    edits: [
      { file: SESSION, from: '[...prefix, ...patient]', to: 'patient' },
      { file: SESSION, from: '...doors, ', to: '' },
      { file: SESSION, from: 'processes: policy.processes,', to: 'processes: 100_000,' },
    ],
    battery: ['fork-bomb', 'memory'],
  },
];
