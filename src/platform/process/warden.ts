import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import { type Lineage, newLineage } from './lineage.ts';
import { startChild } from './start-child.ts';

/**
 * Reads lines: a pid to watch over, `-` when that process has ended, `done` at the end of its duty. End of input means
 * that the loop died without warning (kill -9): then all processes that belong to the pid, the token or the lineage get
 * SIGTERM, and are killed after a second; the scratch folder is removed last. The token is compared in full (the first
 * grep only narrows the search, since no option to compare NUL-ended records is portable). Without /proc, as on macOS,
 * `ps` knows parents and groups; token and lineage are of no use.
 */
const SCRIPT = `
trap '' HUP INT TERM
entry=$1
lineage=$2
scratch=$3
root=
while IFS= read -r line; do
  case $line in
    done) exit 0 ;;
    -) root= ;;
    *) root=$line ;;
  esac
done

marked() {
  for file in $(grep -lsF -e "$entry" /proc/[0-9]*/environ); do
    tr '\\0' '\\n' 2>/dev/null <"$file" | grep -qxF -e "$entry" && pid=\${file#/proc/} && echo "\${pid%/environ}"
  done
  [ -z "$lineage" ] || for file in $(grep -lsE "^Max file locks +$lineage " /proc/[0-9]*/limits); do
    pid=\${file#/proc/} && echo "\${pid%/limits}"
  done
}
table() {
  if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat 2>/dev/null
  else ps -A -o pid= -o stat= -o ppid= -o pgid= | awk '{ print $1, "()", $2, $3, $4, $4 }'
  fi
}
family() {
  table | awk -v root="$root" -v marked="$(marked | tr '\\n' ' ')" '
    { pid = $1; sub(/^.*\\) /, ""); if ($1 ~ /^Z/) next
      parent[pid] = $2; if (root != "" && (pid == root || $4 == root)) member[pid] }
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
[ -z "$scratch" ] || rm -rf -- "$scratch"
`;

/** The variable by which a warden recognises its processes. */
const TOKEN_VARIABLE = 'RALPH_WARDEN';
let started = 0;

/** A shell beside the loop that outlives it just long enough to end what the loop started. */
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

/**
 * Starts a warden. It must run before the processes that it watches are started. `marker` only makes its token
 * readable; `scratch` is a folder of the watched program and is removed with it. Throws {@link SpawnFailed} without a
 * shell.
 */
export async function startWarden(marker: string, scratch = ''): Promise<Warden> {
  started += 1;
  const token = `${marker}.${process.pid}.${started}`;
  const lineage = newLineage();
  const warden = await startChild<ChildProcessByStdio<Socket, null, null>>(
    'sh',
    ['-c', SCRIPT, 'ralph-warden', `${TOKEN_VARIABLE}=${token}`, lineage ?? '', scratch],
    {
      // A separate session: Ctrl-C and a closed terminal are for the loop, which decides what happens to agents.
      detached: true,
      cwd: '/',
      // A clean environment: an outer loop would sweep away a warden with its marker before the warden's duty is done.
      // System folders first: an agent may have planted programs in the others.
      env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}`, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // The loop neither waits for the warden nor depends on it.
  warden.unref();
  warden.stdin.unref();
  warden.stdin.on('error', () => {});
  return {
    env: { [TOKEN_VARIABLE]: token },
    lineage,
    watch: (pid) => void warden.stdin.write(`${pid ?? '-'}\n`),
    release: () => {
      if (!warden.stdin.writableEnded) warden.stdin.end('done\n');
    },
  };
}
