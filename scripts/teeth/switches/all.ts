import type { Switch } from '../switch.ts';
import { OF_AFTERWARDS } from './afterwards.ts';
import { CLEAN_ROOM } from './clean-room.ts';
import { DOORS } from './doors.ts';
import { GIT } from './git.ts';
import { OF_GOING_BACK } from './goes-back.ts';
import { OF_HOMES } from './homes.ts';
import { LOOP } from './loop.ts';
import { PEOPLE } from './people.ts';
import { PRECIOUS } from './precious.ts';
import { PROGRAMS } from './programs.ts';
import { SECRETS } from './secrets.ts';
import { WALLS } from './walls.ts';
import { WORK } from './work.ts';

/** Every protection that a row stands for. */
export const SWITCHES: readonly Switch[] = [
  ...WALLS,
  ...DOORS,
  ...GIT,
  ...LOOP,
  ...WORK,
  ...CLEAN_ROOM,
  ...PROGRAMS,
  ...PRECIOUS,
  ...SECRETS,
  ...OF_HOMES,
  ...OF_GOING_BACK,
  ...PEOPLE,
  ...OF_AFTERWARDS,
];

/** Rows without a switch, and why. */
export const WITHOUT_TEETH: Readonly<Record<string, string>> = {
  'signal-all': 'without a protection it would end every process of this machine; `signal` stands for it',
  'remove-system': 'without a protection it would delete this machine; `remove-outside` stands for it',
  'remove-home': 'without a protection it would delete what is not ours; `remove-outside` stands for it',
  'socket-desktop': 'needs a desktop; the same view that hides `socket-file` hides it',
  'socket-system': 'needs a service manager; the same view that hides `socket-file` hides it',
  'device-nodes': 'bwrap mounts everything without devices, in spite of its options',
  'device-file': 'who is not root makes no device, with or without a sandbox; `device-nodes` stands for root',
  ...Object.fromEntries(
    ['key-mounts', 'key-logins', 'key-history', 'key-work-tree', 'key-git-credentials', 'key-system'].map((row) => [
      row,
      'no part of ralph writes a key there; the other places show that the search finds one',
    ]),
  ),
  'proxy-smuggled': "Node's own reader of requests refuses what contradicts itself, also when told to be lenient",
  'resets-history': 'more than one ref keeps what it takes off its branch',
  'floods-output': 'shows that the run goes on; that memory is bounded shows with the gigabyte of `npm run torture`',
};
