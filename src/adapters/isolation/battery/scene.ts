import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { list, makeDir, makeTempDir, realPath, remove, stat } from '../../../platform/files/files.ts';
import type { InsideWorkspace, Mount } from '../port.ts';
import { ownPackage } from '../view/own-package.ts';
import type { Attempt } from './attempt.ts';
import { removeKey } from './key.ts';
import { type Listeners, openListeners } from './listeners.ts';
import { DRIVER, planText, scriptName, scriptText, type Variables } from './plan.ts';
import { startVictim, type Victim } from './victim.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The git of the loop, at the throw-away repository. */
export interface BatteryRepository {
  /** What covers its git dir inside, made anew; nothing where the backend cannot cover it. */
  guest(): Promise<readonly Mount[]>;
  /** Does with it what the loop does after an agent: looks at it, takes over what was made, commits. */
  afterwards(): Promise<void>;
}

/** A control server with the operator's file where it always is. */
export interface BatteryControl {
  readonly url: string;
  /** Of an agent. */
  readonly token: string;
  close(): Promise<void>;
}

/** What a battery needs of the rest of ralph, and of this machine. */
export interface SceneOptions {
  /** Ralph's own state folder, in the person's home: the throw-away project is made in it. */
  readonly state: string;
  /** The person's environment. */
  readonly env: Env;
  /** What commands inside get of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a repository of a folder. @param covers its git dir can be covered inside */
  readonly repository: (root: string, covers: boolean) => Promise<BatteryRepository>;
  readonly control: () => Promise<BatteryControl>;
}

/** A throw-away project with everything around it that an agent must not get at. */
export interface Scene {
  /** Nothing else on this machine is called so. */
  readonly name: string;
  readonly work: string;
  /** Folders of attempts that must stay as they are, each with a secret. */
  readonly outside: string;
  /** The home folder inside. */
  readonly home: string;
  readonly workspace: InsideWorkspace;
  readonly listeners: Listeners;
  readonly victim: Victim;
  readonly control: BatteryControl;
  /** The person's environment, with a secret in it that no command is given. */
  readonly env: Env;
  /** The secret of an attempt: whatever comes out with it in it came from outside. */
  secretOf(id: string): string;
  /** Puts the scripts of these attempts into the work tree, and what they need to be there, as it was. */
  stage(attempts: readonly Attempt[]): Promise<{ readonly driver: string }>;
  remove(): Promise<void>;
}

/** Secrets that the victim carries, and one in the person's environment, by the attempt that looks for it. */
const IN_PROCESS = ['see-processes'] as const;
const IN_ENVIRONMENT = 'read-environment';

/** Makes it all; nothing is left when a part of it fails. */
export async function setScene(attempts: readonly Attempt[], options: SceneOptions): Promise<Scene> {
  const name = `${PREFIX}${randomBytes(6).toString('hex')}`;
  await makeDir(options.state);
  await removeStale(options.state);
  const root = join(await realPath(options.state), name);
  // Paths of Unix sockets must be short.
  const sockets = await makeTempDir('rb-');
  const undo: (() => unknown)[] = [() => remove(root), () => remove(sockets)];
  const removeAll = async () => {
    for (const step of undo.toReversed()) await step();
  };
  try {
    const work = join(root, 'work');
    const outside = join(root, 'outside');
    const home = join(root, 'home');
    const secrets = new Map(attempts.map(({ id }) => [id, `secret-${randomBytes(12).toString('hex')}`]));
    const secretOf = (id: string) => secrets.get(id) ?? '';
    for (const folder of [work, outside, home]) await makeDir(folder);
    for (const { id } of attempts) await write(join(outside, id, 'keep.txt'), `${secretOf(id)}\n`);
    for (const [path, text] of projectFiles(attempts)) await write(join(work, path), text);

    const victim = await startVictim(name, IN_PROCESS.map(secretOf).join(' '), outside);
    undo.push(() => victim.end());
    undo.push(() => removeKey(name));
    const door = join(sockets, 'door');
    // A service of the person's that listens in its project; where its path is not too long for a socket.
    const inTree = join(work, 'service');
    const doors = Buffer.byteLength(inTree) < 104 ? [door, inTree] : [door];
    const listeners = await openListeners(doors, name);
    undo.push(() => listeners.close());
    const control = await options.control();
    undo.push(() => control.close());

    const variables: Variables = {
      WORK: work,
      REAL_HOME: options.env['HOME'] ?? '',
      STATE: options.state,
      NODE: process.execPath,
      PACKAGE: await ownPackage(),
      VICTIM: String(victim.pid),
      VICTIM_NAME: name,
      ADDRESS: listeners.address,
      TCP: String(listeners.tcp),
      UDP: String(listeners.udp),
      LOCAL: String(listeners.local),
      ALLOWED: String(listeners.allowed),
      DOOR: door,
      SERVICE: doors[1] ?? '',
      ABSTRACT: listeners.abstract,
      AGENT_OF_PERSON: options.env['SSH_AUTH_SOCK'] ?? '',
      CONTROL_URL: control.url,
      CONTROL_TOKEN: control.token,
    };
    const scripts = join(work, SCRIPTS);
    return {
      ...{ name, work, outside, home, listeners, victim, control, secretOf },
      env: { ...options.env, BATTERY_SECRET: secretOf(IN_ENVIRONMENT) },
      workspace: {
        root: work,
        readOnly: ['ralph', '.ralph', 'ralph.config.json', SCRIPTS].map((path) => join(work, path)),
        writable: [join(work, '.ralph/PRD-1/prd.json')],
      },
      async stage(now) {
        for (const attempt of now) await write(join(scripts, scriptName(attempt)), scriptText(attempt));
        await write(join(scripts, 'plan.json'), planText(now, variables, outside));
        await write(join(scripts, 'driver.cjs'), DRIVER);
        return { driver: join(scripts, 'driver.cjs') };
      },
      remove: removeAll,
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}

const SCRIPTS = 'battery';
const PREFIX = 'ralph-battery-';
const STALE_MS = 3_600_000;

/** What a battery left that was killed. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await list(folder)) {
    const path = join(folder, name);
    const found = name.startsWith(PREFIX) ? await stat(path) : null;
    if (found && Date.now() - found.mtimeMs > STALE_MS) await remove(path);
  }
}

/** A project as ralph works on it, and a protected file for each attempt. */
function projectFiles(attempts: readonly Attempt[]): readonly (readonly [path: string, text: string])[] {
  return [
    ['README.md', 'A throw-away project.\n'],
    ['src/index.js', 'export const answer = 42;\n'],
    ['ralph.config.json', '{ "$comment": "battery" }\n'],
    ['.ralph/PRD-1/prd.json', '{}\n'],
    ['.ralph/PRD-1/prompt.md', 'The prompt.\n'],
    ...attempts.map(({ id }) => [protectedFile(id), `Belongs to the person: ${id}\n`] as const),
  ];
}

/** The protected file of an attempt, below the work tree. */
export function protectedFile(id: string): string {
  return `ralph/${id}.md`;
}

async function write(path: string, text: string): Promise<void> {
  await makeDir(dirname(path));
  await writeAtomic(path, text, { fsync: false });
}
