import { oneAtATime } from '../one-at-a-time.ts';
import { letGo, startPiped } from './start-child.ts';

/**
 * A program that waits beside this process and answers one request after another on its pipes: starting a child takes a
 * large process longer than such a program takes to answer. It ends with this process, however that ends.
 */
export interface Answering {
  /**
   * Writes a request and reads until both the end mark was printed, on standard output and (`errors`) standard error.
   * @returns standard error; null when the program ended before that
   */
  ask(request: string, end: string, onOutput: (chunk: Buffer) => void, errors?: boolean): Promise<Buffer | null>;
  readonly hasEnded: () => boolean;
  release(): void;
}

/** Rejects with `SpawnFailed`. */
export async function startAnswering(
  file: string,
  args: readonly string[],
  place: Parameters<typeof startPiped>[2],
): Promise<Answering> {
  const child = await startPiped(file, args, place);
  letGo(child);
  const pipes = [child, child.stdout, child.stderr];
  for (const pipe of [child.stdout, child.stderr]) pipe.on('error', () => {}).resume();
  const inTurn = oneAtATime();
  const ask: Answering['ask'] = async (request, end, onOutput, errors = false) => {
    for (const pipe of pipes) pipe.ref();
    const said: Buffer[] = [];
    const answers = [readUntil(child.stdout, end, onOutput)];
    if (errors) answers.push(readUntil(child.stderr, end, (chunk) => void said.push(chunk)));
    child.stdin.write(request);
    const isWhole = !hasEnded() && (await untilEnd(Promise.all(answers.map(({ done }) => done))));
    for (const { stop } of answers) stop();
    for (const pipe of pipes) pipe.unref();
    return isWhole ? Buffer.concat(said) : null;
  };
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // Not a race with one promise of its end, which would keep something of every answer for as long as it runs.
  const untilEnd = (whole: Promise<unknown>) =>
    new Promise<boolean>((resolve) => {
      const onExit = () => resolve(false);
      child.once('exit', onExit);
      void whole.then(() => {
        child.off('exit', onExit);
        resolve(true);
      });
    });
  return {
    ask: (...question) => inTurn(() => ask(...question)),
    hasEnded,
    release: () => child.stdin.end(),
  };
}

/** Passes on what arrives, up to the end mark. */
function readUntil(pipe: NodeJS.ReadableStream, end: string, pass: (chunk: Buffer) => void) {
  const mark = Buffer.from(end);
  let held = Buffer.of();
  let read = (_chunk: Buffer): void => {};
  const done = new Promise<void>((resolve) => {
    read = (chunk) => {
      held = Buffer.concat([held, chunk]);
      const rest = Math.max(0, held.length - mark.length);
      // The mark comes last, in one or two pieces.
      const isEnd = held.subarray(rest).equals(mark);
      if (rest > 0) pass(held.subarray(0, rest));
      held = held.subarray(rest);
      if (isEnd) resolve();
    };
    pipe.on('data', read);
  });
  return { done, stop: () => pipe.off('data', read) };
}

/** Marks the end of one answer: no file or name can hold it by accident or on purpose. */
export function newEnd(): string {
  return `end-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
}

interface Shell {
  readonly answering: Answering;
  readonly env: Env;
  /** The scripts that it knows, each as a function of this number. */
  readonly known: Map<string, number>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Shells that wait for their next script. */
const idle: Shell[] = [];
/** More are needed only for moments. */
const MOST_IDLE = 2;

interface ScriptOptions {
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Env;
  /** A file for standard input; without it, standard input is empty. */
  readonly input?: string | undefined;
}

export interface ScriptResult {
  /** null when the shell was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs a POSIX sh script, always the same text, with positional parameters in a subshell of a shell that is kept for
 * the next one. Rejects with `SpawnFailed`.
 */
export async function runInShell(
  script: string,
  args: readonly string[],
  options: ScriptOptions,
): Promise<ScriptResult> {
  const shell = waiting() ?? (await startShell(options.env));
  const end = newEnd();
  const output: Buffer[] = [];
  const request = `${callOf(shell, script, args, options)}\nprintf %03d%s $? ${end} >&2; printf %s ${end}\n`;
  const said = await shell.answering.ask(request, end, (chunk) => void output.push(chunk), true);
  if (said === null) return { exitCode: null, stdout: Buffer.concat(output), stderr: '' };
  if (idle.length < MOST_IDLE) idle.push(shell);
  else shell.answering.release();
  const stderr = said.toString('utf8');
  return { exitCode: Number(stderr.slice(-3)), stdout: Buffer.concat(output), stderr: stderr.slice(0, -3) };
}

function waiting(): Shell | undefined {
  const shell = idle.pop();
  return shell?.answering.hasEnded() ? waiting() : shell;
}

async function startShell(env: Env): Promise<Shell> {
  return { answering: await startAnswering('sh', [], { cwd: '/', env }), env, known: new Map() };
}

function callOf({ env: own, known }: Shell, script: string, args: readonly string[], options: ScriptOptions): string {
  const { cwd, env, input = '/dev/null' } = options;
  const isNew = !known.has(script);
  const name = `script${known.get(script) ?? known.size}`;
  if (isNew) known.set(script, known.size);
  const names = [...new Set([...Object.keys(own), ...Object.keys(env)])].filter(
    (variable) => own[variable] !== env[variable] && /^[A-Za-z_]\w*$/.test(variable),
  );
  const changes = names.map((variable) => {
    const value = env[variable];
    return value === undefined ? `unset ${variable}; ` : `export ${variable}=${quoted(value)}; `;
  });
  const define = isNew ? `${name}() {\n${script}\n}\n` : '';
  return `${define}(cd ${quoted(cwd)} || exit 1; ${changes.join('')}${name} ${args.map(quoted).join(' ')}) <${quoted(input)}`;
}

/** A word that the shell takes as it is. */
function quoted(word: string): string {
  if (word.includes('\0')) throw new Error('a NUL in an argument');
  return `'${word.replaceAll("'", "'\\''")}'`;
}
