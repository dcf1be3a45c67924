import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { chmod, makeDir, makeTempDir, readText, remove, writeAtomic } from '../../../platform/index.ts';
import type { IsolationInput } from '../port.ts';
import { sbxName } from './manage.ts';

/** A command line that the stand-in was called with. */
interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What it plays for command lines that begin with certain words, instead of its own answer. */
export interface Played {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** Never ends by itself. */
  readonly hangs?: true;
  /** Asks for a sign-in, and fails at the end of its input. */
  readonly prompts?: true;
}

export interface StandInOptions {
  readonly played?: Readonly<Record<string, Played>>;
  readonly policy?: 'none' | 'deny-all' | 'allow-all';
  /** Status of the sandbox that the project has; none by default. */
  readonly prepared?: string;
  /** The project; by default a folder of its own. */
  readonly project?: string;
  /** What that sandbox is for, if not for the project. */
  readonly workspaces?: readonly string[];
  /** For `--help`. */
  readonly help?: string;
  /** Is every host reached inside? */
  readonly openNetwork?: true;
  /**
   * Run what is inside by bwrap: in the work tree alone, with a kernel that seems to be its own. The network stays
   * that of this machine.
   */
  readonly bwrap?: true;
  /** Programs that are there inside beside those of the system, by name, and variables that everything there has. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What `exec` ends with, independent of the command. */
  readonly execExit?: number;
}

/**
 * Programs `sbx` and `docker` on a PATH of their own that record how they are called and answer as documented. `exec`
 * really runs its command, here and with nothing but the environment it was given: the work tree is the same, and
 * that is what the virtual machine would see of this machine.
 */
export async function standIn(options: StandInOptions = {}) {
  const root = await makeTempDir('ralph-sbx-stand-in-');
  onTestFinished(() => remove(root));
  const bin = join(root, 'bin');
  const { project = join(root, 'project'), prepared, workspaces = [project], ...rest } = options;
  const name = sbxName(project);
  await makeDir(project);
  const sandboxes = prepared === undefined ? [] : [{ name, agent: 'claude', status: prepared, workspaces }];
  const state = {
    policy: 'deny-all',
    sandboxes,
    allowed: [],
    played: {},
    programs: {},
    help: '',
    execExit: null,
    ...rest,
  };
  await writeAtomic(join(root, 'state.json'), JSON.stringify(state));
  for (const name of ['sbx', 'docker']) {
    await writeAtomic(join(bin, name), `#!${process.execPath}\n${PROGRAM}`);
    await chmod(join(bin, name), 0o755);
  }
  await program(join(root, 'inside', 'curl'), `exit ${options.openNetwork ? 0 : 7}`);
  for (const [name, path] of Object.entries(options.programs ?? {})) {
    await program(join(root, 'inside', name), `exec ${path} "$@"`);
  }
  await writeAtomic(join(root, 'inside', 'boot-id'), 'one of its own\n');
  const calls = async (): Promise<readonly Call[]> => {
    const text = (await readText(join(root, 'calls.jsonl'))) ?? '';
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  return {
    project,
    name,
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: root, STAND_IN: root, SECRET_OF_THE_HOST: 'x' },
    calls,
    /** The command lines, those that only ask for help left out. */
    async lines(): Promise<readonly string[]> {
      return (await calls()).filter(({ args }) => args[0] !== '--help').map(({ args }) => args.join(' '));
    },
    async state(): Promise<Record<string, unknown>> {
      return JSON.parse((await readText(join(root, 'state.json'))) ?? '{}');
    },
  };
}

async function program(path: string, script: string): Promise<void> {
  await writeAtomic(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** What a backend is opened with for a project and an environment. */
export function inputFor(project: string, env: Record<string, string>, hosts: readonly string[] = []): IsolationInput {
  return {
    workspace: { root: project, readOnly: [], writable: [] },
    policy: { hosts, localPorts: [], read: [], write: [], memoryBytes: 4 * 1024 ** 3, processes: 512, cpus: null },
    env,
    openHome: () => Promise.reject(new Error('a virtual machine has its own')),
    container: { engine: null, image: null },
  };
}

const PROGRAM = `
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { basename, join } = require('node:path');
const root = process.env.STAND_IN;
const program = basename(process.argv[1]);
const all = process.argv.slice(2);
const file = join(root, 'state.json');
const state = JSON.parse(readFileSync(file, 'utf8'));
const args = all.filter((word, index) => !(word === '--no-input' && index === 0));
const line = args.join(' ');
const isExec = args[0] === 'exec';
const stdin = isExec && args.includes('-i') ? '' : readFileSync(0, 'utf8');
appendFileSync(join(root, 'calls.jsonl'), JSON.stringify({ program, args: all, stdin, env: process.env }) + '\\n');

function end(stdout, exitCode = 0, stderr = '') {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  writeFileSync(file, JSON.stringify(state));
  process.exitCode = exitCode;
}
function fence(name) {
  const { workspaces } = state.sandboxes.find((one) => one.name === name);
  const kernel = join(root, 'inside', 'boot-id');
  return [
    ...['bwrap', '--die-with-parent', '--unshare-all', '--share-net', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--ro-bind', kernel, '/proc/sys/kernel/random/boot_id', '--tmpfs', '/tmp', '--ro-bind', join(root, 'inside'), join(root, 'inside')],
    ...Object.values(state.programs).flatMap((path) => ['--ro-bind', path, path]),
    ...['--dir', root + '/home', ...workspaces.flatMap((path) => ['--bind', path, path]), '--'],
  ];
}
const flag = (name) => args[args.indexOf(name) + 1];

const key = Object.keys(state.played).find((words) => line === words || line.startsWith(words + ' '));
const played = key === undefined ? null : state.played[key];
if (played && played.hangs) setInterval(() => {}, 1000);
else if (played && played.prompts) end('Sign in to Docker? [Y/n] ', 1, stdin === '' ? 'ERROR: not signed in: run sbx login\\n' : '');
else if (played) end(played.stdout ?? '', played.exitCode ?? 0, played.stderr ?? '');
else if (program === 'docker') end('', 1, "docker: 'sandbox' is not a docker command\\n");
else if (line === '--help') end(state.help);
else if (line === 'version') end('sbx version 0.53.1 (abc)\\n');
else if (line.startsWith('diagnose')) {
  const checks = ['Daemon', 'Virtualization', 'Authentication', 'Socket'].map((name) => ({ name, status: 'pass', message: 'ok', detail: '', hint: '' }));
  end(JSON.stringify({ version: '0.53.1', checks }));
} else if (line === 'ls --json') end('A new version of sbx is available.\\n\\n' + JSON.stringify({ sandboxes: state.sandboxes }, null, 2));
else if (args[0] === 'create') {
  const name = flag('--name');
  if (state.sandboxes.some((one) => one.name === name)) end('', 1, 'ERROR: sandbox ' + name + ' already exists\\n');
  else {
    state.sandboxes.push({ name, agent: 'claude', status: 'running', workspaces: args.slice(args.indexOf('claude') + 1) });
    end('');
  }
} else if (args[0] === 'rm') {
  state.sandboxes = state.sandboxes.filter((one) => one.name !== args.at(-1));
  end('');
} else if (line.startsWith('policy init')) {
  if (state.policy !== 'none') end('', 1, 'ERROR: policy is already set\\n');
  else { state.policy = args[2]; end(''); }
} else if (line.startsWith('policy allow')) {
  state.allowed.push(args.at(-1));
  end('');
} else if (line.startsWith('policy check')) {
  const host = args.at(-1);
  const matches = state.allowed.some((one) => one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))));
  if (state.policy === 'none') end('', 1, "ERROR: network policy has not been initialized, run 'sbx policy init <allow-all|balanced|deny-all>'\\n");
  else if (state.policy === 'allow-all' || matches) end(host + ': allowed\\n');
  else end(host + ': denied (default deny)\\n', 1);
} else if (isExec) {
  const env = { PATH: join(root, 'inside') + ':/usr/bin:/bin:' + join(process.execPath, '..'), HOME: root + '/home' };
  let at = 1;
  let cwd = '/';
  for (; args[at].startsWith('-'); at += 1) {
    if (args[at] === '-w') cwd = args[++at];
    else if (args[at] === '-e') { const [, name, value] = /^([^=]*)=([^]*)$/.exec(args[++at]); env[name] = value; }
  }
  const name = args[at];
  if (!state.sandboxes.some((one) => one.name === name)) end('', 1, "ERROR: no sandbox named '" + name + "'\\n");
  else {
    Object.assign(env, state.env);
    const [file, ...words] = [...(state.bwrap ? fence(name) : []), ...args.slice(at + 1)];
    const { status } = spawnSync(file, words, { cwd, env, stdio: 'inherit' });
    process.exitCode = state.execExit ?? status ?? 1;
  }
} else end('', 1, 'ERROR: unknown command "' + line + '" for "sbx"\\n');
`;
