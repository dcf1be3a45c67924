import { UnavailableError } from '../../../contracts/errors.ts';
import { checksIn, failedChecks, isAllowedIn, type Sandbox, sandboxesIn } from './answers.ts';
import { failureOf, isKnownFailure, NOT_INSTALLED, strangeAnswer } from './failure.ts';
import type { RunSbx, SbxAnswer, SbxRunOptions } from './runner.ts';

/** A sandbox that stands still has to start first; the first start of all fetches an image. */
const START_MS = 120_000;
const CREATE_MS = 15 * 60_000;

/** The commands of sbx that are used, each as its documentation has them. All throw UnavailableError. */
export interface SbxClient {
  /** Flags that stand before every command. */
  globals(): Promise<readonly string[]>;
  version(): Promise<string>;
  /** Is everything there that it needs to run a sandbox? */
  diagnose(): Promise<void>;
  list(): Promise<readonly Sandbox[]>;
  create(name: string, options: CreateOptions, onOutput: (chunk: Buffer) => void): Promise<void>;
  remove(name: string): Promise<void>;
  /** Of the whole machine, once: nothing may be reached but what is allowed. */
  denyAll(): Promise<void>;
  allow(name: string, host: string): Promise<void>;
  /** By the policy of a sandbox, of the machine without one; null when sbx does not say clearly. */
  isAllowed(name: string | null, host: string): Promise<boolean | null>;
  /** Runs a bash script inside; `words` are $0, $1 … Its exit code may be sbx's own. */
  script(name: string, script: string, words: readonly string[], timeoutMs?: number): Promise<SbxAnswer>;
}

export interface CreateOptions {
  readonly root: string;
  /** More folders that are there inside, at the same path. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly memoryBytes: number;
  readonly cpus: number | null;
}

export function sbxClient(run: RunSbx): SbxClient {
  let known: Promise<readonly string[]> | undefined;

  /** Never prompt, where this version knows how to say so; closed input and a time limit do for the others. */
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
    // What it could still say counts more than how it ended.
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
/** The most that sbx takes for itself, whatever the machine has. */
const MOST_MIB = 32 * 1024;

function createArguments({ root, read, write, memoryBytes, cpus }: CreateOptions): readonly string[] {
  const mib = Math.min(MOST_MIB, Math.floor(memoryBytes / MIB));
  return [
    ...['--memory', `${mib}m`],
    ...(cpus === null ? [] : ['--cpus', String(Math.ceil(cpus))]),
    ...['-q', 'claude', root, ...write, ...read.map((path) => `${path}:ro`)],
  ];
}
