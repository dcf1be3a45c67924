import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import {
  findProgram,
  hostName,
  list,
  makeDir,
  makeTempDir,
  packageFolder,
  realPath,
  remove,
  runCommand,
  startChild,
  stat,
  writeAtomic,
} from '../../../platform/index.ts';
import { prepareHomes } from '../home/homes.ts';
import { lend } from '../lend.ts';
import type { Command, Env, Mount } from '../port.ts';
import type { Attempt, Heard } from './attempt.ts';
import { DRIVER, newSecret, planText, scriptName, scriptText } from './plan.ts';

export interface BatteryRepository {
  /** The mounts that cover its git dir inside, recreated; none where the backend cannot cover it. */
  guest(): Promise<readonly Mount[]>;
  /** Does what the loop does after an agent: inspects it, takes over the agent's work, commits. */
  afterwards(): Promise<void>;
}

/** A control server, and a key for a person's messages where runs have theirs. */
export interface BatteryControl {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

/** What a battery needs from the rest of ralph and from this machine. */
export interface SceneOptions {
  /** Ralph's own state folder in the user's home; the throw-away project is made in it. */
  readonly state: string;
  readonly env: Env;
  /** The user's home folder; default: HOME. */
  readonly home?: string | undefined;
  /** The part of `env` that commands inside receive. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a folder a repository. @param covers its git dir can be covered inside */
  readonly repository: (root: string, covers: boolean) => Promise<BatteryRepository>;
  readonly control?: () => Promise<BatteryControl>;
}

export type Scene = Awaited<ReturnType<typeof setScene>>;

type Started = Pick<Command, 'file' | 'args'>;

/** Attempts whose secret lies in a special place. */
const IN_PROCESS = 'see-processes';
const IN_ENVIRONMENT = 'read-environment';
const IN_TOOLCHAIN = 'read-toolchain-login';
const IN_KERNEL = 'keyrings';

/** The agent that attempts act for; another one has its own provider. */
export const AGENT = 'battery';
const OTHER_AGENT = 'other';

/** A name that resolves to this machine, as an entry of an allow-list. */
export function ownName(port: number): string {
  return `${hostName().toLowerCase()}:${port}`;
}

/**
 * A throw-away project with everything around it that an agent must not reach. Leaves nothing behind when a part of it
 * fails.
 */
export async function setScene(attempts: readonly Attempt[], options: SceneOptions) {
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
    /** Folders of attempts that must stay unchanged, each with a secret. */
    const outside = join(root, 'outside');
    const { open: openHome } = await prepareHomes({ env: { XDG_STATE_HOME: join(root, 'state') }, needs: [] });
    const secrets = new Map(attempts.map(({ id }) => [id, newSecret()]));
    /** Any output that contains the secret of an attempt came from outside. */
    const secretOf = (id: string) => secrets.get(id) ?? '';
    for (const folder of [work, outside]) await makeDir(folder);
    for (const { id } of attempts) await write(join(outside, id, 'keep.txt'), `${secretOf(id)}\n`);
    for (const [path, text] of projectFiles(attempts)) await write(join(work, path), text);

    // A person has the key of a provider in many places: none of them may be found inside.
    const key = newSecret();
    const toolchain = join(root, 'nvm');
    const login = `//registry.example/:_authToken=${secretOf(IN_TOOLCHAIN)}\n//provider.example/:_authToken=${key}\n`;
    for (const path of ['etc/npmrc', 'versions/node/v1.0.0/etc/npmrc']) await write(join(toolchain, path), login);

    const keyFile = join(sockets, 'key.txt');
    for (const path of [join(root, 'runs', 'journal.jsonl'), keyFile]) await write(path, `${key}\n`);
    const victim = await startVictim(name, `${secretOf(IN_PROCESS)} ${key}`, { cwd: outside, open: keyFile });
    undo.push(() => victim.end());
    const perl = secrets.has(IN_KERNEL) ? perlHere() : null;
    if (perl !== null) undo.push(() => runCommand(perl, ['-e', REMOVE, name], { cwd: '/' }));
    const door = join(sockets, 'door');
    // A service of the user that listens in the project; only where its path is short enough for a socket.
    const inTree = join(work, 'service');
    const doors = Buffer.byteLength(inTree) < 104 ? [door, inTree] : [door];
    const listeners = await openListeners(doors, name, key);
    undo.push(() => listeners.close());
    const control = await options.control?.();
    undo.push(() => control?.close());
    const lentBy = (agent: string, port: number, secret: string) =>
      lend(
        agent,
        { address: 'BATTERY_BASE_URL', base: `http://127.0.0.1:${port}`, secrets: { BATTERY_KEY: 'key-' } },
        { BATTERY_KEY: secret },
      ) ?? [];
    const lent = [
      lentBy(AGENT, listeners.provider, key),
      lentBy(OTHER_AGENT, listeners.otherProvider, newSecret()),
    ].flat();

    /** Environment variables of the scripts, beside `ID` and `OUT`. An empty text: this machine has none. */
    const variables: Readonly<Record<string, string>> = {
      WORK: work,
      REAL_HOME: options.home ?? options.env['HOME'] ?? '',
      STATE: options.state,
      NODE: process.execPath,
      PACKAGE: await packageFolder(),
      VICTIM: String(victim.pid),
      // In its command line.
      VICTIM_NAME: name,
      ADDRESS: listeners.address,
      // Ports at that address and on loopback; LOCAL only there. Anything received at these is an escape.
      TCP: String(listeners.tcp),
      UDP: String(listeners.udp),
      LOCAL: String(listeners.local),
      // The policy names this one as `localhost:PORT`.
      ALLOWED: String(listeners.allowed),
      // Unix sockets: of the host, in the work tree, abstract, of the user's SSH agent.
      DOOR: door,
      SERVICE: doors[1] ?? '',
      ABSTRACT: listeners.abstract,
      AGENT_OF_PERSON: options.env['SSH_AUTH_SOCK'] ?? door,
      // Must be refused even though the policy lists it.
      OWN_NAME: ownName(listeners.tcp),
      NVM_DIR: toolchain,
      CONTROL_URL: control?.url ?? '',
      // Of an agent.
      CONTROL_TOKEN: control?.token ?? '',
      OTHER_PROVIDER: String(listeners.otherProvider),
      // The key in three forms, each from its end to its beginning: nothing that looks for it holds it.
      KEY_BACKWARDS: [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')]
        .map((form) => [...form].reverse().join(''))
        .join(' '),
    };
    const scripts = join(work, SCRIPTS);
    return {
      ...{ name, work, outside, openHome, listeners, victim, control, secretOf, key, lent },
      /** With a secret and a key that no command receives. */
      env: { ...options.env, BATTERY_SECRET: secretOf(IN_ENVIRONMENT), PROVIDER_KEY: key, NVM_DIR: toolchain },
      workspace: {
        root: work,
        readOnly: ['ralph', '.ralph', 'ralph.config.json', SCRIPTS].map((path) => join(work, path)),
        writable: [join(work, '.ralph/PRD-1/prd.json')],
      },
      keepKeyIn: (path: string) => write(path, `${key}\n`),
      /** Puts the scripts of these attempts into the work tree. @returns the driver */
      async stage(now: readonly Attempt[]) {
        for (const attempt of now) await write(join(scripts, scriptName(attempt)), scriptText(attempt));
        await write(join(scripts, 'plan.json'), planText(now, variables, outside));
        await write(join(scripts, 'driver.cjs'), DRIVER);
        return join(scripts, 'driver.cjs');
      },
      /** A command that starts with a key in the kernel, as network logins and encrypted folders leave them there. */
      withKey: (command: Started): Started =>
        perl === null ? command : { file: perl, args: ['-e', PLANT, name, key, command.file, ...command.args] },
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

async function removeStale(folder: string): Promise<void> {
  for (const name of await list(folder)) {
    const path = join(folder, name);
    const found = name.startsWith(PREFIX) ? await stat(path) : null;
    if (found && Date.now() - found.mtimeMs > STALE_MS) await remove(path);
  }
}

/** A typical project for ralph, with a protected file for each attempt. */
function projectFiles(attempts: readonly Attempt[]): readonly (readonly [path: string, text: string])[] {
  return [
    ['README.md', 'A throw-away project.\n'],
    ['src/index.js', 'export const answer = 42;\n'],
    ['ralph.config.json', '{ "$comment": "battery" }\n'],
    ['.ralph/PRD-1/prd.json', '{}\n'],
    ['.ralph/PRD-1/prompt.md', 'The prompt.\n'],
    ...attempts.map(({ id }) => [protectedFile(id), `Belongs to the user: ${id}\n`] as const),
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

/**
 * Numbers of system calls on x86-64, and on all newer machines. A key goes into its own session keyring, which a login
 * creates and everything in it inherits, and into the user's (-4), from which it expires by itself.
 */
const KEYS = `
use POSIX ();
my ($add, $control) = (POSIX::uname())[4] eq "x86_64" ? (248, 250) : (217, 219);
my $name = shift;
my ($type, $session) = ("user", "$name");
`;
const PLANT = `${KEYS}
my $secret = shift;
syscall($control, 1, $session);
syscall($add, $type, $name, $secret, length $secret, -3);
my $key = syscall($add, $type, $name, $secret, length $secret, -4);
syscall($control, 15, $key, 120) if $key > 0;
exec @ARGV;`;
const REMOVE = `${KEYS}
my $key = syscall($control, 10, -4, $type, $name, 0);
syscall($control, 9, $key, -4) if $key > 0;`;

function perlHere(): string | null {
  return process.platform === 'linux' ? findProgram('perl', process.env['PATH']) : null;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
/** Kept per connection, in bytes. */
const KEPT = 16 * 1024;

/**
 * Opens them all, on free ports.
 * @param doors paths of Unix sockets. @param name of the abstract socket. @param held what these two tell anyone
 */
async function openListeners(doors: readonly string[], name: string, held: string) {
  const heard: Heard[] = [];
  const atAllowed: Heard[] = [];
  const atProvider: Heard[] = [];
  const atOther: Heard[] = [];
  const servers: Server[] = [];
  const listen = async (where: string, at: { port: number; host: string } | { path: string }, into = heard) => {
    const server = createServer((socket) => {
      const entry = { where, text: '' };
      into.push(entry);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        if (entry.text === '') setImmediate(() => socket.end('path' in at ? `${ANSWER} ${held}` : ANSWER));
        if (entry.text.length < KEPT) entry.text += data.toString('latin1');
      });
      socket.setTimeout(2000, () => socket.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, resolve);
    });
    servers.push(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? (address as AddressInfo).port : 0;
  };
  const udp = createSocket('udp4');
  udp.on('message', (data) => heard.push({ where: 'a UDP port of this machine', text: data.toString('latin1') }));
  await new Promise<void>((resolve) => udp.bind(0, resolve));
  const abstract = process.platform === 'linux' ? name : '';
  for (const path of doors) await listen('a Unix socket', { path });
  if (abstract !== '') await listen('an abstract Unix socket', { path: `\0${abstract}` });
  return {
    tcp: await listen('a TCP port of this machine', { port: 0, host: '0.0.0.0' }),
    local: await listen('a port of the loopback', { port: 0, host: '127.0.0.1' }),
    /** Stands for an allowed host: `localhost:<port>`. */
    allowed: await listen('the allowed host', { port: 0, host: '127.0.0.1' }, atAllowed),
    /** Of the agent whose key is lent, and of another one. */
    provider: await listen('the provider', { port: 0, host: '127.0.0.1' }, atProvider),
    otherProvider: await listen('another provider', { port: 0, host: '127.0.0.1' }, atOther),
    udp: udp.address().port,
    /** Without the leading NUL; empty on systems without abstract sockets (macOS). */
    abstract,
    /** A non-loopback IPv4 address of this machine; empty when it has none. */
    address: ownAddress(),
    /** Everything that should not have arrived. */
    heard: heard as readonly Heard[],
    ...{ atAllowed, atProvider, atOther },
    async close() {
      udp.close();
      for (const server of servers) server.close();
    },
  };
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
}

/** Longer than any battery takes; the victim must end even if this process is killed. */
const LIFE_SECONDS = 300;

/**
 * A host process that nothing inside may see or touch.
 * @param name appears in its command line. @param secrets placed in its command line and its environment
 * @param at its folder, and a file that it holds open
 */
async function startVictim(name: string, secrets: string, at: { readonly cwd: string; readonly open: string }) {
  const child = await startChild('sh', ['-c', `exec 9< "$2"; sleep ${LIFE_SECONDS} & wait`, name, secrets, at.open], {
    cwd: at.cwd,
    env: { PATH: process.env['PATH'], BATTERY_SECRETS: secrets },
    stdio: 'ignore',
    // Its own process group, so that its sleep ends with it.
    detached: true,
  });
  return {
    pid: child.pid,
    alive: () => child.exitCode === null && child.signalCode === null,
    end: () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // An attempt ended it already, so there is nothing left to end.
      }
    },
  };
}
