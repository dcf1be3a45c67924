import { UnavailableError } from '../../../contracts/index.ts';
import { runCommand, SpawnFailed } from '../../../platform/index.ts';
import { failureOf, isKnownFailure, NOT_INSTALLED, type SbxAnswer, strangeAnswer } from './failure.ts';

/** A stopped sandbox has to start first; the very first start fetches an image. */
const START_MS = 120_000;
const CREATE_MS = 15 * 60_000;

/** The sbx commands in use, each as its documentation describes it. All throw UnavailableError. */
export interface SbxClient {
  /** Flags that precede every command. */
  globals(): Promise<readonly string[]>;
  version(): Promise<string>;
  /** Checks that everything is there to run a sandbox. */
  diagnose(): Promise<void>;
  list(): Promise<readonly Sandbox[]>;
  create(name: string, options: CreateOptions, onOutput: (chunk: Buffer) => void): Promise<void>;
  remove(name: string): Promise<void>;
  /** Sets the policy of the whole machine, once: only what is explicitly allowed may be reached. */
  denyAll(): Promise<void>;
  allow(name: string, host: string): Promise<void>;
  /** Judged by the policy of a sandbox, or of the machine without a name; null when sbx gives no clear answer. */
  isAllowed(name: string | null, host: string): Promise<boolean | null>;
  /** Runs a bash script inside; `words` are $0, $1 … The exit code may be sbx's own. */
  script(name: string, script: string, words: readonly string[], timeoutMs?: number): Promise<SbxAnswer>;
}

interface CreateOptions {
  readonly root: string;
  /** More folders that are available inside, at the same path. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly memoryBytes: number;
  readonly cpus: number | null;
}

export function sbxClient(run: RunSbx): SbxClient {
  let known: Promise<readonly string[]> | undefined;

  /** Disables prompts, where this version has a flag for it; closed input and a time limit suffice for the others. */
  async function noInput(): Promise<readonly string[]> {
    const help = await run(['--help']);
    return help && `${help.stdout}${help.stderr}`.includes('--no-input') ? ['--no-input'] : [];
  }

  function globals(): Promise<readonly string[]> {
    known ??= noInput();
    return known;
  }

  async function ask(args: readonly string[], options?: SbxRunOptions): Promise<SbxAnswer> {
    const answer = await run([...(await globals()), ...args], options);
    if (answer === null) throw new UnavailableError(NOT_INSTALLED);
    if (answer.timedOut) throw new UnavailableError(failureOf(args, answer));
    return answer;
  }

  async function expect(args: readonly string[], options?: SbxRunOptions): Promise<string> {
    const answer = await ask(args, options);
    if (answer.exitCode !== 0) throw new UnavailableError(failureOf(args, answer));
    return answer.stdout;
  }

  async function read<T>(args: readonly string[], reader: (stdout: string) => T | null): Promise<T> {
    const answer = await ask(args);
    // Its remaining output counts more than its exit code.
    const value = reader(answer.stdout);
    if (value !== null) return value;
    throw new UnavailableError(
      answer.exitCode === 0 ? strangeAnswer(args, 'its JSON has another shape') : failureOf(args, answer),
    );
  }

  return {
    globals,
    async version() {
      const said = await expect(['version']);
      return /\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(said)?.[0] ?? 'of an unknown version';
    },
    async diagnose() {
      const args = ['diagnose', '--output', 'json'];
      const [failed] = failedChecks(await read(args, checksIn));
      if (failed === undefined) return;
      const { name, message, hint } = failed;
      const facts = failureOf(args, { exitCode: 1, stdout: '', stderr: `${name}: ${message}`, timedOut: false });
      throw new UnavailableError(hint === '' ? facts : { ...facts, mend: [hint, ...(facts.mend ?? [])] });
    },
    list: () => read(['ls', '--json'], sandboxesIn),
    async create(name, options, onOutput) {
      await expect(['create', '--name', name, ...createArguments(options)], { timeoutMs: CREATE_MS, onOutput });
    },
    async remove(name) {
      await expect(['rm', '--force', name]);
    },
    async denyAll() {
      await expect(['policy', 'init', 'deny-all']);
    },
    async allow(name, host) {
      await expect(['policy', 'allow', 'network', '--sandbox', name, host]);
    },
    async isAllowed(name, host) {
      const args = ['policy', 'check', 'network', ...(name === null ? [] : ['--sandbox', name]), host];
      const answer = await ask(args);
      if (isKnownFailure(answer)) throw new UnavailableError(failureOf(args, answer));
      return isAllowedIn(answer.exitCode, `${answer.stdout}\n${answer.stderr}`, host);
    },
    script: (name, script, words, timeoutMs = START_MS) =>
      ask(['exec', name, 'bash', '-c', script, ...words], { timeoutMs }),
  };
}

const MIB = 1024 ** 2;
/** The most memory that sbx takes, however much the machine has. */
const MOST_MIB = 32 * 1024;

function createArguments({ root, read, write, memoryBytes, cpus }: CreateOptions): readonly string[] {
  const mib = Math.min(MOST_MIB, Math.floor(memoryBytes / MIB));
  return [
    ...['--memory', `${mib}m`],
    ...(cpus === null ? [] : ['--cpus', String(Math.ceil(cpus))]),
    ...['-q', 'claude', root, ...write, ...read.map((path) => `${path}:ro`)],
  ];
}

/** Without a sign-in, sbx asks for one and waits; a daemon that hangs also makes it wait. */
const PATIENCE_MS = 30_000;
/** Kept of each stream; a list of sandboxes is some kilobytes. */
const MOST_BYTES = 1024 * 1024;

interface SbxRunOptions {
  /** Default: 30 s. */
  readonly timeoutMs?: number;
  /** Receives either stream as it arrives. Must not throw. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Runs `sbx` with these arguments and closed input; null when the program is missing. */
export type RunSbx = (args: readonly string[], options?: SbxRunOptions) => Promise<SbxAnswer | null>;

/** Runs the real sbx, found on the user's PATH. */
export function sbxRunner(env: Readonly<Record<string, string | undefined>>, program = 'sbx'): RunSbx {
  return async (args, { timeoutMs = PATIENCE_MS, onOutput } = {}) => {
    try {
      const result = await runCommand(program, args, {
        cwd: '/',
        env,
        timeoutMs,
        maxBytes: MOST_BYTES,
        ...(onOutput ? { onOutput } : {}),
      });
      const { exitCode, timedOut } = result;
      return { exitCode, stdout: result.stdout.toString('utf8'), stderr: result.stderr.toString('utf8'), timedOut };
    } catch (error) {
      if (error instanceof SpawnFailed) return null;
      throw error;
    }
  };
}

/** Parsers of sbx's output. Pure; null for an answer in another form than documented. */

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string;
}

export interface Sandbox {
  readonly name: string;
  /** `running`, `stopped`, … */
  readonly status: string;
  readonly workspaces: readonly string[];
}

/** The checks of `sbx diagnose --output json`. */
function checksIn(stdout: string): readonly Check[] | null {
  const checks = listIn(stdout, 'checks');
  return (
    checks?.map(({ name, status, message, hint }) => ({
      name: textOf(name),
      status: textOf(status),
      message: textOf(message),
      hint: textOf(hint),
    })) ?? null
  );
}

/** Failed checks that are essential for isolation. */
function failedChecks(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ name, status }) => status === 'fail' && NEEDED.test(name));
}

const NEEDED = /daemon|virtuali[sz]ation|authentication|socket/i;

/** The sandboxes of `sbx ls --json`. */
function sandboxesIn(stdout: string): readonly Sandbox[] | null {
  const sandboxes = listIn(stdout, 'sandboxes');
  return (
    sandboxes?.map(({ name, status, workspaces }) => ({
      name: textOf(name),
      status: textOf(status),
      workspaces: Array.isArray(workspaces) ? workspaces.filter((one) => typeof one === 'string') : [],
    })) ?? null
  );
}

/** The decision, in the words of `sbx policy check network`; the reasons after it may use both words. */
const DECISION =
  /\b(?:(den(?:y|ied|ies)|block(?:ed|s)?|not allowed|forbidden|refused|allowed\W{1,4}(?:no|false)\b)|allow(?:ed|s)?|permit(?:ted|s)?)\b/i;

/**
 * Does `sbx policy check network` allow it? Null when the answer is not clear.
 * @param target the host in question, whose name may contain any of the words
 */
function isAllowedIn(exitCode: number | null, output: string, target: string): boolean | null {
  const decision = DECISION.exec(output.replaceAll(target, ''));
  if (decision === null) return null;
  if (decision[1] !== undefined) return false;
  return exitCode === 0 ? true : null;
}

/** The objects of a list in an answer; sbx writes `null` for an empty list. */
function listIn(stdout: string, name: string): readonly Record<string, unknown>[] | null {
  const answer = objectIn(stdout);
  if (answer === null || !Object.hasOwn(answer, name)) return null;
  const list = answer[name] ?? [];
  return Array.isArray(list) && list.every(isObject) ? list : null;
}

/** The JSON object in an output: banners and update notices come before it. */
function objectIn(stdout: string): Record<string, unknown> | null {
  const lines = stdout.split('\n');
  const start = lines.findIndex((line) => line.trimStart().startsWith('{'));
  if (start < 0) return null;
  try {
    const value: unknown = JSON.parse(lines.slice(start).join('\n'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
