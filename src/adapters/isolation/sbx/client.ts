import { type ErrorFacts, isObject, jsonObject, UnavailableError } from '../../../contracts/index.ts';
import { shortLine } from '../../../rules/text/index.ts';
import type { Env, Policy } from '../port.ts';
import { runText } from '../run-text.ts';

/** A stopped sandbox has to start first; the very first start fetches an image. */
const START_MS = 120_000;
const CREATE_MS = 15 * 60_000;

export type SbxClient = ReturnType<typeof sbxClient>;

/** The sbx commands in use, each as its documentation describes it. All throw UnavailableError. */
export function sbxClient(run: RunSbx) {
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

  /** The objects of a list in an answer. */
  async function listOf(args: readonly string[], name: string): Promise<readonly Record<string, unknown>[]> {
    const answer = await ask(args);
    // Its remaining output counts more than its exit code.
    const list = listIn(answer.stdout, name);
    if (list !== null) return list;
    throw new UnavailableError(
      answer.exitCode === 0 ? strangeAnswer(args, 'its JSON has another shape') : failureOf(args, answer),
    );
  }

  return {
    /** Flags that precede every command. */
    globals,
    async version() {
      const said = await expect(['version']);
      return /\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(said)?.[0] ?? 'of an unknown version';
    },
    async diagnose() {
      const args = ['diagnose', '--output', 'json'];
      const checks = await listOf(args, 'checks');
      const failed = checks.find(({ name, status }) => status === 'fail' && NEEDED.test(textOf(name)));
      if (failed === undefined) return;
      const stderr = `${textOf(failed['name'])}: ${textOf(failed['message'])}`;
      const facts = failureOf(args, { exitCode: 1, stdout: '', stderr, timedOut: false });
      const hint = textOf(failed['hint']);
      throw new UnavailableError(hint === '' ? facts : { ...facts, fix: [hint, ...(facts.fix ?? [])] });
    },
    async list(): Promise<readonly Sandbox[]> {
      const sandboxes = await listOf(['ls', '--json'], 'sandboxes');
      return sandboxes.map(({ name, status, workspaces }) => ({
        name: textOf(name),
        status: textOf(status),
        workspaces: Array.isArray(workspaces) ? workspaces.filter((one) => typeof one === 'string') : [],
      }));
    },
    async create(name: string, options: CreateOptions, onOutput: (chunk: Buffer) => void) {
      await expect(['create', '--name', name, ...createArguments(options)], { timeoutMs: CREATE_MS, onOutput });
    },
    async remove(name: string) {
      await expect(['rm', '--force', name]);
    },
    /** Sets the policy of the whole machine, once: only what is explicitly allowed may be reached. */
    async denyAll() {
      await expect(['policy', 'init', 'deny-all']);
    },
    async allow(name: string, host: string) {
      await expect(['policy', 'allow', 'network', '--sandbox', name, host]);
    },
    /** By the policy of a sandbox, or of the machine without a name; null when sbx gives no clear answer. */
    async isAllowed(name: string | null, host: string) {
      const args = ['policy', 'check', 'network', ...(name === null ? [] : ['--sandbox', name]), host];
      const answer = await ask(args);
      if (isKnownFailure(answer)) throw new UnavailableError(failureOf(args, answer));
      return isAllowedIn(answer.exitCode, `${answer.stdout}\n${answer.stderr}`, host);
    },
    /** Runs a bash script inside; `words` are $0, $1 … The exit code may be sbx's own. */
    script: (name: string, script: string, words: readonly string[], timeoutMs = START_MS) =>
      ask(['exec', name, 'bash', '-c', script, ...words], { timeoutMs }),
  };
}

const MIB = 1024 ** 2;
/** The most memory that sbx takes, however much the machine has. */
const MOST_MIB = 32 * 1024;

/** `read` and `write`: more folders that are available inside, at the same path. */
type CreateOptions = Pick<Policy, 'read' | 'write' | 'memoryBytes' | 'cpus'> & { readonly root: string };

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
  readonly timeoutMs?: number;
  /** Receives either stream as it arrives. Must not throw. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Runs `sbx` with these arguments and closed input; null when the program is missing. */
export type RunSbx = (args: readonly string[], options?: SbxRunOptions) => Promise<SbxAnswer | null>;

/** Runs the real sbx, found on the user's PATH. */
export function sbxRunner(env: Env, program = 'sbx'): RunSbx {
  return async (args, { timeoutMs = PATIENCE_MS, onOutput } = {}) => {
    const { failed, ...answer } = await runText(program, args, { env, timeoutMs, maxBytes: MOST_BYTES, onOutput });
    return failed === null ? answer : null;
  };
}

export interface Sandbox {
  readonly name: string;
  readonly status: string;
  readonly workspaces: readonly string[];
}

/** Checks of `sbx diagnose` that are essential for isolation. */
const NEEDED = /daemon|virtuali[sz]ation|authentication|socket/i;

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
  return start < 0 ? null : jsonObject(lines.slice(start).join('\n'));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface SbxAnswer {
  /** Not reliable: sbx's output counts more. Null when sbx was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

interface Cause {
  readonly said: RegExp;
  readonly what: string;
  readonly fix: readonly string[];
}

/** The commands that create a sandbox and replace one. */
export const CREATE = 'ralph sandbox create sbx';
export const MAKE_ANEW = `ralph sandbox remove sbx --yes, then ${CREATE}`;

/** The user has not yet chosen what the sandboxes of this machine may reach. */
export const NO_POLICY = 'sbx has no network policy yet';

/** Output of sbx, in words that differ between versions, and its meaning. The first match counts. */
const CAUSES: readonly Cause[] = [
  {
    said: /not (?:logged|signed) in|(?:log|sign)[ -]?in (?:is )?(?:required|first)|please (?:log|sign) in|sbx login|unauthori[sz]ed|authentication (?:is )?required/i,
    what: 'sbx is not signed in to Docker',
    fix: ['sbx login'],
  },
  {
    said: /unknown (?:shorthand )?(?:flag|command)|unrecognized (?:flag|option|command)|flag provided but not defined/i,
    what: 'this version of sbx does not know a command that ralph uses',
    fix: ['update sbx: ralph was written for version 0.53'],
  },
  {
    said: /policy (?:has |is |was )?(?:not|never) (?:been )?initiali[sz]ed|policy init/i,
    what: NO_POLICY,
    fix: [`${CREATE} --yes, which sets it to deny-all for this machine`, 'or by hand: sbx policy init deny-all'],
  },
  {
    said: /\bkvm\b|virtuali[sz]ation|hypervisor/i,
    what: 'this machine cannot run the virtual machines of sbx',
    fix: ['`sbx diagnose` says what is missing (on Linux: /dev/kvm, and your user in the group kvm)'],
  },
  {
    said: /already exists|name is (?:already )?(?:in use|taken)/i,
    what: 'a sandbox of this name already exists',
    fix: [MAKE_ANEW],
  },
  {
    said: /no (?:such )?sandbox|sandbox .{0,80}not found/i,
    what: 'the sandbox of this project is gone',
    fix: [CREATE],
  },
  {
    said: /daemon|sandboxd|connection refused|cannot connect|no sandbox executor|dial unix/i,
    what: 'the daemon of sbx does not answer',
    fix: ['sbx daemon restart', 'sbx diagnose'],
  },
];

export const NOT_INSTALLED: ErrorFacts = {
  what: 'sbx is not installed',
  where: 'PATH',
  fix: ['install Docker Sandboxes: https://docs.docker.com/ai/sandboxes/ (Linux: Ubuntu 24.04 or later with KVM)'],
};

/** Explains to people why an sbx command failed. */
function failureOf(args: readonly string[], answer: SbxAnswer): ErrorFacts {
  const where = shortLine(`sbx ${args.join(' ')}`, 120);
  if (answer.timedOut) {
    return {
      what: 'sbx does not answer',
      where,
      why: 'it was ended; it may have been waiting for a sign-in or for its daemon',
      fix: ['sbx login', 'sbx diagnose'],
    };
  }
  const said = lastLine(answer.stderr) || lastLine(answer.stdout) || `it ended with exit code ${answer.exitCode}`;
  const cause = causeOf(answer);
  return { what: cause?.what ?? 'sbx failed', where, why: said, fix: cause?.fix ?? ['sbx diagnose'] };
}

/** Did sbx fail for a known reason, rather than answer "no"? */
function isKnownFailure(answer: SbxAnswer): boolean {
  return answer.exitCode !== 0 && causeOf(answer) !== undefined;
}

function causeOf({ stdout, stderr }: SbxAnswer): Cause | undefined {
  return CAUSES.find(({ said }) => said.test(`${stderr}\n${stdout}`));
}

function strangeAnswer(args: readonly string[], why: string): ErrorFacts {
  return {
    what: 'sbx answers in an unknown form',
    where: `sbx ${args.join(' ')}`,
    why,
    fix: ['update sbx: ralph was written for version 0.53'],
  };
}

function lastLine(text: string): string {
  return shortLine(text.trim().split('\n').at(-1) ?? '');
}
