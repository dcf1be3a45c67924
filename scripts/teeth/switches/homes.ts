import type { Switch } from '../switch.ts';

const HOMES = 'src/adapters/isolation/home/homes.ts';
const REACH = 'src/adapters/isolation/gateway/upstream.ts';
const VIEW = 'src/adapters/isolation/view/view.ts';

/** What one process may leave for the next, and what toolchains and names lead to. */
export const OF_HOMES: readonly Switch[] = [
  {
    name: 'a home folder for each process',
    edits: [
      {
        file: HOMES,
        from: "const path = await makeNewDir(join(folder, 'home-'));",
        to: "const path = join(folder, 'home');\n        await makeDir(path);",
      },
      {
        file: HOMES,
        from: '            await removeTree(path, systemClock.now() + CLEANING_MS).catch(() => {});\n',
        to: '',
      },
    ],
    battery: ['home-stays', 'home-parents'],
  },
  {
    name: 'cleaning that follows no link',
    edits: [
      {
        file: HOMES,
        from: "import { dirname, isAbsolute, join } from 'node:path';\n",
        to: "import { execSync } from 'node:child_process';\nimport { dirname, isAbsolute, join } from 'node:path';\n",
      },
      {
        file: HOMES,
        from: '            await removeTree(path, systemClock.now() + CLEANING_MS).catch(() => {});\n',
        to: "            execSync('rm -rf */* .[a-z]*/*', { cwd: path });\n",
      },
    ],
    battery: ['home-cleaning'],
  },
  {
    name: 'covers for the credentials in toolchains',
    edits: [
      {
        file: VIEW,
        from: '...(await credentialCovers(found, system, input.env)), ',
        to: '',
      },
    ],
    battery: ['read-toolchain-login', 'key-toolchains'],
  },
  {
    name: 'refusing encrypted TLS hellos',
    edits: [
      {
        file: 'src/adapters/isolation/gateway/opening.ts',
        from: '    if (ENCRYPTED.includes(kind)) encrypted = true;\n',
        to: '    if (ENCRYPTED.includes(kind) && length < 0) encrypted = true;\n',
      },
    ],
    battery: ['proxy-hidden-name'],
  },
  {
    name: 'refusal of private addresses',
    edits: [
      {
        file: REACH,
        from: '(literal ? null : addressRefusal(address, match, own))',
        to: '(literal || own.length >= 0 ? null : addressRefusal(address, match, own))',
      },
    ],
    battery: ['proxy-private-address'],
  },
];
