import { resolve } from 'node:path';
import { type Config, jsonObject } from '../../contracts/index.ts';
import { findProgram, isLeftOut, runCommand, SpawnFailed } from '../../platform/index.ts';
import type { IsolationName } from '../isolation/index.ts';
import type { AgentAdapter, AgentAvailability, AgentTask, Env } from './port.ts';
import { asObject, type Wire } from './wire.ts';

/** Clients of several hundred megabytes take seconds to start from a cold disk. */
const TIMEOUT_MS = 20_000;
/** Bytes, in case a program prints digits without end. */
const LONGEST_ANSWER = 4096;

/**
 * The version that `file --version` prints, or one line that says why there is none: it was not found, failed,
 * printed nothing that looks like a version, or gave no answer in 20 s.
 */
async function askVersion(file: string, first: readonly string[]): Promise<{ version: string } | { failure: string }> {
  const command = [file, ...first].join(' ');
  try {
    const { exitCode, stdout, stderr, timedOut } = await runCommand(file, [...first, '--version'], {
      cwd: process.cwd(),
      timeoutMs: TIMEOUT_MS,
    });
    if (timedOut) return { failure: `${command} --version gave no answer in ${TIMEOUT_MS / 1000} s` };
    // Programs print e.g. `2.1.330 (Claude Code)`, `codex-cli 0.169.0` or `GitHub Copilot CLI 1.0.102.`
    const version = /\d+\.\d+\.\d+(?:[-+.\w]*\w)?/.exec(stdout.toString('utf8', 0, LONGEST_ANSWER))?.[0];
    if (exitCode === 0 && version) return { version };
    return { failure: `${command} --version failed (exit ${exitCode}): ${firstLine(stderr.toString('utf8'))}` };
  } catch (error) {
    if (error instanceof SpawnFailed) return { failure: `${command} was not found or does not start (${error.code})` };
    throw error;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

type ProgramName = keyof Config['agents'];

/** How the settings start an agent: `first` comes before the adapter's own arguments, `args` after them. */
export function programOf({ agents }: Config, name: ProgramName) {
  const { command, args } = agents[name];
  const [file = name, ...first] = [command].flat();
  return { file, first, args };
}

/**
 * Whether what this starts may lie in the work tree, where an agent can write: a program there, or one that is given a
 * script or the name of a package (`node agent.mjs`, `npx claude`).
 */
function mayLieInTree(file: string, first: readonly string[]): boolean {
  const path = file.includes('/') ? resolve(file) : findProgram(file, process.env['PATH']);
  return first.length > 0 || (path !== null && isLeftOut(path));
}

/** An agent's own program. @param install how to get it, and to log in */
export function clientOf(name: ProgramName, install: string) {
  const program = (config: Config): string => programOf(config, name).file;
  return {
    name,
    program,
    /** Whether it is installed and starts. Runs `command --version`, on the host: so not what an agent may have written. */
    async detect(config: Config, isolation: IsolationName = 'none'): Promise<AgentAvailability> {
      const { file, first } = programOf(config, name);
      const command = [file, ...first].join(' ');
      if (isolation !== 'none' && mayLieInTree(file, first))
        return {
          ok: true,
          version: null,
          detail: `${command} (started only inside ${isolation}: not asked for its version)`,
          fix: '',
        };
      const answer = await askVersion(file, first);
      if ('version' in answer)
        return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, fix: '' };
      const fix = `${forThisNode(install)}; or name the program in agents.${name}.command`;
      return { ok: false, version: null, detail: answer.failure, fix };
    },
  };
}

/** What a client differs in from others: everything that its adapter has to say. */
interface Client extends Pick<AgentAdapter, 'capabilities' | 'environment' | 'inside' | 'login' | 'translator'> {
  readonly name: ProgramName;
  /** How to get it, and to log in. */
  readonly install: string;
  /** Its own arguments, which come before those for model and effort, and before the user's. */
  args(task: AgentTask): readonly string[] | Promise<readonly string[]>;
  /** The option that names the model: `--model` unless given. */
  readonly model?: string;
  /** Arguments for an effort; absent where the client has no option for it. */
  effort?(effort: string): readonly string[];
  /** Variables of its process beside those of the task. */
  variables?(task: AgentTask): Readonly<Record<string, string>>;
  /** Where the prompt goes, for a client that does not read its standard input: behind this option. */
  readonly prompt?: string;
  readonly last?: string;
}

/** The adapter of a client that is started once for each task, and writes what it does to standard output. */
export function clientAgent({ name, install, args, variables, ...client }: Client): AgentAdapter {
  const { capabilities, environment, inside, login, translator } = client;
  return {
    ...clientOf(name, install),
    ...{ capabilities, environment, inside, translator, ...(login && { login }) },
    async command(task) {
      const { file, first, args: added } = programOf(task.config, name);
      const effort = effortOf(task.config, name);
      return {
        file,
        args: [
          ...first,
          ...(await args(task)),
          ...(task.model ? [client.model ?? '--model', task.model] : []),
          ...(effort === null ? [] : (client.effort?.(effort) ?? [])),
          ...added,
          ...(client.prompt ? [client.prompt, task.prompt] : []),
          ...(client.last ? [client.last] : []),
        ],
        cwd: task.cwd,
        env: { ...task.env, ...variables?.(task) },
        stdin: client.prompt ? '' : task.prompt,
      };
    },
  };
}

export function effortOf({ agents }: Config, name: ProgramName): string | null {
  const settings = agents[name];
  return 'effort' in settings ? settings.effort : null;
}

/** npm leaves out newer versions of a package that asks for a newer Node; the client is a program of its own. */
function forThisNode(install: string): string {
  const isOld = Number(process.versions.node.split('.')[0]) < 22;
  return isOld ? install.replace(/@anthropic-ai\/claude-code\b/, '$&@2.1.330') : install;
}

/**
 * The host patterns, as `Policy.hosts` takes them, of the addresses in these variables: `api.example.com`, with the
 * port where it is not the default. Variables that are not set, or hold no address, give none.
 */
export function endpoints(env: Env, ...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => hostOf(env[name] ?? ''));
}

/** Whether this variable is set to a value that programs take as yes. */
export function isSwitchedOn(env: Env, name: string): boolean {
  const value = (env[name] ?? '').toLowerCase();
  return value !== '' && value !== '0' && value !== 'false';
}

function hostOf(value: string): readonly string[] {
  const address = value.includes('://') ? value : `https://${value}`;
  if (value === '' || !URL.canParse(address)) return [];
  const { host } = new URL(address);
  return host === '' ? [] : [host];
}

/** Extracts the login from the text of a login file; null where there is none. */
type Login = (text: string) => string | null;

/** An object with only these of its members; `a.b` is a member of a member. */
export function membersOf(...names: readonly string[]): Login {
  return (text) => {
    const all = jsonObject(text);
    if (all === null) return null;
    const kept: Record<string, unknown> = {};
    for (const name of names) {
      const steps = name.split('.');
      const value = steps.reduce<unknown>((at, step) => asObject(at)?.[step], all);
      if (value === undefined || value === null) continue;
      const wrapped = steps.slice(1).reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
      kept[steps[0] ?? ''] = wrapped;
    }
    return textOf(kept);
  };
}

export function entriesWhere(isSound: (entry: Wire) => boolean): Login {
  return (text) => {
    const entries = Object.entries(jsonObject(text) ?? {});
    const sound = entries.filter(([, value]) => {
      const entry = asObject(value);
      return entry !== null && isSound(entry);
    });
    return textOf(Object.fromEntries(sound));
  };
}

/** Encrypted data, or a key, as base64. */
export function sealed(text: string): string | null {
  return /^[\w+/=:.-]{16,65536}\s*$/.test(text) ? text : null;
}

function textOf(kept: Wire): string | null {
  return Object.keys(kept).length === 0 ? null : `${JSON.stringify(kept, null, 2)}\n`;
}
