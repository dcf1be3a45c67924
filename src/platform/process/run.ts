import type { ChildProcess, ChildProcessByStdio, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { within } from '../clock.ts';
import {
  killFamily,
  type Lineage,
  lookFor,
  MARKER_VARIABLE,
  newLineage,
  startInLineage,
  startOf,
} from './processes.ts';
import { childExit, type Exit, letGo, SpawnFailed, startChild, startPiped } from './start-child.ts';

/** Time that a command gets between SIGTERM and SIGKILL after a timeout. */
const GRACE_MS = 2000;
/** The same for processes that it left running in the background. */
const LEFTOVER_GRACE_MS = 500;

interface RunCommandOptions {
  readonly cwd: string;
  /** The complete environment; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input; without it, standard input is empty. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** How many bytes to keep of the end of each stream; default: all. */
  readonly maxBytes?: number;
  /** Aborting ends the command and all that it started. */
  readonly signal?: AbortSignal;
  /** Receives both streams, as output arrives. Must not throw. */
  onOutput?(chunk: Buffer): void;
  /**
   * For commands from the project (checks): the value of RALPH_RUN_ID. No process that carries it outlives the command,
   * or this process if it is killed. Must be unique to this command.
   */
  readonly marker?: string;
}

export interface CommandResult extends Exit {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
}

/**
 * Runs a program to its end. Any exit code is a result; only a program that does not start throws ({@link
 * SpawnFailed}). A timeout or an abort ends the whole tree; a silent grandchild that keeps the pipes open delays the
 * result by at most 250 ms.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { marker } = options;
  const warden = marker === undefined ? null : await startWarden();
  try {
    const env = options.env ?? process.env;
    const lineage = warden?.lineage ?? null;
    const child = await startInLineage(lineage, file, args, {
      cwd: options.cwd,
      env: marker === undefined ? env : { ...env, ...warden?.env, [MARKER_VARIABLE]: marker },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A separate session: Ctrl-C is for the loop, and must not interrupt a git command halfway.
      detached: true,
    });
    warden?.watch(child.pid);
    child.once('exit', () => warden?.watch(null));
    const since = startOf(child.pid);
    const result = await finish(child, options, { lineage, since });
    if (marker !== undefined) await killFamily({ marker, lineage, since }, LEFTOVER_GRACE_MS);
    return result;
  } finally {
    warden?.release();
  }
}

async function finish(
  child: ChildProcess & { pid: number },
  options: RunCommandOptions,
  carried: { readonly lineage: Lineage | null; readonly since: number },
): Promise<CommandResult> {
  const stdout = collect(child.stdout, options);
  const stderr = collect(child.stderr, options);
  const exited = childExit(child);
  child.stdin?.on('error', () => {}); // closed early by a program that does not read: its right
  child.stdin?.end(options.input);

  let killing: Promise<unknown> | null = null;
  let timedOut = false;
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const end = () => {
    if (ended) return;
    const { marker } = options;
    const family = { root: child.pid, ...carried, ...(marker === undefined ? {} : { marker }) };
    killing ??= killFamily(family, GRACE_MS);
  };
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = !ended;
          end();
        }, options.timeoutMs);
  options.signal?.addEventListener('abort', end);
  if (options.signal?.aborted) end();

  const exit = await exited;
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', end);
  await killing;
  return {
    ...exit,
    stdout: stdout(),
    stderr: stderr(),
    timedOut,
  };
}

/** Collects the last `maxBytes` of a stream. */
function collect(
  stream: Readable | null,
  { maxBytes = Number.POSITIVE_INFINITY, onOutput }: RunCommandOptions,
): () => Buffer {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream?.on('data', (chunk: Buffer) => {
    onOutput?.(chunk);
    chunks.push(chunk);
    kept += chunk.length;
    for (let first = chunks[0]; first && kept - first.length >= maxBytes; first = chunks[0]) {
      chunks.shift();
      kept -= first.length;
    }
  });
  return () => Buffer.concat(chunks, kept).subarray(Math.max(0, kept - maxBytes));
}

interface SuperviseInput {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete environment; RALPH_RUN_ID and RALPH_WARDEN are added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
  /** Identifies this process and all it starts, and no other running process: `stop` ends everything with it. */
  readonly marker: string;
  /** A folder of the program, removed if this process dies; otherwise the caller removes it. */
  readonly scratch?: string;
  /** Must not throw. */
  onStdout(chunk: Buffer): void;
  /** Must not throw. */
  onStderr(chunk: Buffer): void;
}

export interface Supervised {
  readonly pid: number;
  /** How it ended, once all its output was handed over. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Ends the whole tree: SIGTERM, `graceMs` to comply, SIGKILL. Resolves when no process of it is left. Must be called
   * in every case, even after `exited`: a process that ended normally may have left others behind. A second call may
   * hurry the first with a shorter grace.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a long-running program under a warden: if this process dies, even by kill -9, the program and all that it
 * started end within about two seconds. Throws {@link SpawnFailed} when it does not start.
 */
export async function supervise(input: SuperviseInput): Promise<Supervised> {
  const warden = await startWarden(input.scratch);
  const { lineage } = warden;
  const child = await startInLineage<ChildProcessWithoutNullStreams>(lineage, input.file, input.args, {
    cwd: input.cwd,
    env: { ...input.env, ...warden.env, [MARKER_VARIABLE]: input.marker },
    stdio: 'pipe',
    // A separate session, so that Ctrl-C reaches only the loop and the whole session can be found later.
    detached: true,
  }).catch((error: unknown) => {
    warden.release();
    throw error;
  });
  warden.watch(child.pid);
  const carried = { marker: input.marker, lineage, since: startOf(child.pid) };

  let root: number | undefined = child.pid;
  let leftovers: ReturnType<typeof lookFor> | null = null;
  child.once('exit', () => {
    // Its session shows now, and only now, which processes are left without a marker: from here on the pid can be
    // reused.
    const family = { root: child.pid, ...carried };
    leftovers = lookFor(family);
    root = undefined;
    warden.watch(null);
  });
  child.stdout.on('data', input.onStdout);
  child.stderr.on('data', input.onStderr);
  const exited = childExit(child);
  // A program that does not read its input may close the pipe early.
  child.stdin.on('error', () => {});
  child.stdin.end(input.stdin);

  return {
    pid: child.pid,
    exited,
    stop: async (graceMs) => {
      const family = { ...carried, ...(root === undefined ? {} : { root }) };
      await killFamily(family, graceMs, await leftovers);
      warden.release();
    },
  };
}

/**
 * Reads lines: `begin DUTY LINEAGE SCRATCH`, `root DUTY PID` (`-` when that process has ended), `end DUTY`. End of input
 * means that the loop has ended. If a duty is left then, it died without warning (kill -9): all processes that belong to
 * the token, a pid or a lineage get SIGTERM, and are killed after a second; scratch folders are removed last. The token
 * is compared in full (the first grep only narrows the search, since no option to compare NUL-ended records is
 * portable). Without /proc, as on macOS, `ps` knows parents and groups; token and lineage are of no use.
 */
const SCRIPT = `
trap '' HUP INT TERM
entry=$1
duties=' '
while IFS= read -r line; do
  rest=\${line#* }
  duty=\${rest%% *}
  value=\${rest#* }
  case $line in
    begin*) lineage=\${value%% *} scratch=\${value#* }
      duties="$duties$duty "
      eval "root$duty= lineage$duty=\\$lineage scratch$duty=\\$scratch" ;;
    root*) eval "root$duty=\\$value" ;;
    end*) duties="\${duties%% $duty *} \${duties#* $duty }" ;;
  esac
done
[ "$duties" != ' ' ] || exit 0
roots=
lineages=-
for duty in $duties; do
  eval "roots=\\$roots' '\\$root$duty lineages=\\$lineages'|'\\$lineage$duty"
done

marked() {
  for file in $(grep -lsF -e "$entry" /proc/[0-9]*/environ); do
    tr '\\0' '\\n' 2>/dev/null <"$file" | grep -qxF -e "$entry" && pid=\${file#/proc/} && echo "\${pid%/environ}"
  done
  for file in $(grep -lsE "^Max file locks +($lineages) " /proc/[0-9]*/limits); do
    pid=\${file#/proc/} && echo "\${pid%/limits}"
  done
}
table() {
  if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat 2>/dev/null
  else ps -A -o pid= -o stat= -o ppid= -o pgid= | awk '{ print $1, "()", $2, $3, $4, $4 }'
  fi
}
family() {
  table | awk -v roots="$roots" -v marked="$(marked | tr '\\n' ' ')" '
    BEGIN { n = split(roots, given, " "); for (i = 1; i <= n; i++) root[given[i]] }
    { pid = $1; sub(/^.*\\) /, ""); if ($1 ~ /^Z/) next
      parent[pid] = $2; if ((pid in root) || ($4 in root)) member[pid] }
    END {
      n = split(marked, found, " ")
      for (i = 1; i <= n; i++) if (found[i] in parent) member[found[i]]
      do {
        grew = 0
        for (pid in parent) if (!(pid in member) && (parent[pid] in member)) { member[pid]; grew = 1 }
      } while (grew)
      for (pid in member) print pid
    }'
}
signal() { for pid in $(family); do kill -s "$1" "$pid" 2>/dev/null; done; }

signal TERM
for second in 1 2 3 4 5; do
  sleep 1
  [ -z "$(family)" ] && break
  signal KILL
done
for duty in $duties; do
  eval "scratch=\\$scratch$duty"
  [ -z "$scratch" ] || rm -rf -- "$scratch"
done
`;

/** The variable by which a warden recognises its processes. */
const TOKEN_VARIABLE = 'RALPH_WARDEN';
let begun = 0;

/** The shell beside this process that outlives it just long enough to end what it started: one for all of them. */
let beside: Promise<ChildProcessByStdio<Socket, null, null> & { pid: number }> | null = null;

/** What it does for one program and all that this one starts. */
interface Warden {
  /**
   * Added to the environment of the watched processes. The run's marker would not do: when a killed run is started
   * again at once, the next agent has that marker too while this warden is still at work.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Given to the watched processes by `startInLineage`. */
  readonly lineage: Lineage | null;
  /** The process to watch over, in addition to the marker; null once it has ended, since pids are reused. */
  watch(pid: number | null): void;
  /** Ends the duty; safe to call twice. */
  release(): void;
}

const TOKEN = `${process.pid}.${Math.random().toString(36).slice(2)}`;

/**
 * Begins a duty of the warden, which must know it before the processes start that it watches. `scratch` is a folder of
 * the watched program and is removed with it. Throws {@link SpawnFailed} without a shell.
 */
async function startWarden(scratch = ''): Promise<Warden> {
  beside ??= startBeside();
  const { stdin } = await beside;
  begun += 1;
  const duty = begun;
  let isOver = false;
  const lineage = newLineage();
  stdin.write(`begin ${duty} ${lineage ?? 'none'} ${scratch}\n`);
  return {
    env: { [TOKEN_VARIABLE]: TOKEN },
    lineage,
    watch: (pid) => void stdin.write(`root ${duty} ${pid ?? '-'}\n`),
    release: () => {
      if (!isOver) stdin.write(`end ${duty}\n`);
      isOver = true;
    },
  };
}

async function startBeside(): NonNullable<typeof beside> {
  const warden = await startChild<ChildProcessByStdio<Socket, null, null>>(
    'sh',
    ['-c', SCRIPT, 'ralph-warden', `${TOKEN_VARIABLE}=${TOKEN}`],
    {
      // A separate session: Ctrl-C and a closed terminal are for the loop, which decides what happens to agents.
      detached: true,
      cwd: '/',
      // A clean environment: an outer loop would sweep away a warden with its marker before the warden's duty is done.
      // System folders first: an agent may have planted programs in the others.
      env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}`, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  ).catch((error: unknown) => {
    beside = null;
    throw error;
  });
  // The loop neither waits for the warden nor depends on it.
  warden.unref();
  warden.stdin.unref();
  warden.stdin.on('error', () => {});
  // One that an agent killed is replaced before the next program starts.
  warden.once('exit', () => {
    beside = null;
  });
  return warden;
}

/** Run by a companion once it is ready: reports that, and ends when its input closes, however this process ends. */
const BESIDE_US = ['sh', '-c', 'echo ready; exec cat'];

interface CompanionInput {
  /** A program that does its work for as long as the command in its arguments runs. */
  readonly file: string;
  readonly args: readonly string[];
  /** The PATH in which programs are found. */
  readonly path: string;
  /** How long it may take to get ready, and later to end by itself, milliseconds. */
  readonly patienceMs: number;
}

interface Companion {
  /** Never rejects; safe to call twice. */
  release(): Promise<void>;
}

/**
 * Starts a program that lives beside this process and not a moment longer, even after kill -9. Resolves when it has
 * started its command, which proves that it works; or with its complaint when it does not. Never rejects.
 */
export async function startCompanion({
  file,
  args,
  path,
  patienceMs,
}: CompanionInput): Promise<Companion | { readonly complaint: string }> {
  // Without the marker of an outer loop, whose sweep would take it for a leftover. In its own session: after Ctrl-C the
  // loop still has to end cleanly.
  const env = { PATH: path, LC_ALL: 'C' };
  const child = await startPiped(file, [...args, ...BESIDE_US], { cwd: '/', env }).catch((error: unknown) => {
    if (error instanceof SpawnFailed) return error;
    throw error;
  });
  if (child instanceof SpawnFailed) return { complaint: child.message };
  letGo(child);
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(0, 1_000);
  });
  const ready = new Promise<true>((resolve) => child.stdout.once('data', () => resolve(true)));
  const exited = childExit(child);
  const isReady = await within(patienceMs, Promise.race([ready, exited.then(() => false)]));
  if (!isReady) {
    if (child.exitCode === null) await killFamily({ root: child.pid }, 0);
    return { complaint: complaint.trim().split('\n')[0] || 'no answer' };
  }
  return {
    release: async () => {
      child.stdin.end();
      const hasEnded = exited.then(() => true);
      if (!(await within(patienceMs, hasEnded))) await killFamily({ root: child.pid }, 500);
    },
  };
}
