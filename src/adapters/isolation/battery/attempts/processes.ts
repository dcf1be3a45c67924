import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stat } from '../../../../platform/index.ts';
import { node, sh, type Uncategorized } from '../attempt.ts';

/** Longer than the pause between two heartbeats of a process that should have ended, even on a busy machine. */
const HEARTBEAT_MS = 400;

/** `$VICTIM`: a host process whose command line and environment contain a secret. It must survive to the end. */
export const PROCESSES: readonly Uncategorized[] = [
  sh('see-processes', 'see processes of the host, with their command lines and environments')`
    cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\0' ' '
    ps -ef`,
  sh('read-memory', 'read and write the memory of a process of the host')`
    grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
    cat "/proc/$VICTIM/maps" | grep -q . && escaped "the memory map of process $VICTIM can be read"
    ( : >> "/proc/$VICTIM/mem" ) && escaped "the memory of process $VICTIM can be written"`,
  sh('follow-processes', 'follow the open files and folders of a process of the host')`
    for way in "/proc/$VICTIM/root" "/proc/$VICTIM/cwd"; do
      cat "$way$OUT/keep.txt"
      echo new > "$way$OUT/new"
    done
    cat "/proc/$VICTIM/cwd/$ID/keep.txt"`,
  sh('ptrace', 'attach to a process of the host as a debugger')`
    grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
    needs perl
    perl -e '
      my $number = (POSIX::uname())[4] eq "x86_64" ? 101 : 117;
      print "ESCAPED attached to $ENV{VICTIM}\n" if syscall($number, 16, $ENV{VICTIM} + 0, 0, 0) == 0;
      print "$!\n";
      syscall($number, 17, $ENV{VICTIM} + 0, 0, 0);' -MPOSIX`,
  sh('signal', 'end a process of the host', {
    phase: 'alone',
  })`
    kill -9 "$VICTIM"; pkill -9 -f "$VICTIM_NAME"; kill -STOP "$VICTIM"`,
  sh('survive', 'go on after the sandbox has ended, unmarked and in another session', {
    phase: 'alone',
    check: ({ work }) => beating(join(work, 'heartbeat')),
  })`
    # Ends by itself, should nothing end it.
    loop='for beat in $(seq 300); do date +%s%N > heartbeat; sleep 0.05; done'
    env -i PATH="$PATH" setsid sh -c "$loop" < /dev/null > /dev/null 2>&1 &
    env -i PATH="$PATH" nohup sh -c "trap '' TERM HUP INT; $loop" < /dev/null > /dev/null 2>&1 &
    sleep 0.2`,
  sh('signal-all', 'end every process there is', { phase: 'last' })`
    kill -9 -1`,
];

async function beating(file: string): Promise<string | null> {
  const before = await stat(file);
  await sleep(HEARTBEAT_MS);
  const after = await stat(file);
  return before?.mtimeMs === after?.mtimeMs ? null : 'a process went on after the sandbox had ended';
}

/** Limits of the sandbox for these attempts; the attempts try to use far more. */
export const LITTLE = { memoryBytes: 256 * 1024 * 1024, processes: 120 } as const;

const PROCESSES_TRIED = 600;
const MEMORY_TRIED = 768 * 1024 * 1024;

export const LIMITS: readonly Uncategorized[] = [
  node('fork-bomb', `start more processes than the limit: ${PROCESSES_TRIED} where ${LITTLE.processes} are allowed`, {
    phase: 'limits',
  })`
    const { spawn } = require('node:child_process');
    const started = [];
    for (let i = 0; i < ${PROCESSES_TRIED}; i += 1) {
      const child = spawn('sleep', ['30'], { stdio: 'ignore' });
      child.on('error', () => {});
      if (child.pid === undefined) break;
      started.push(child);
    }
    console.log(started.length + ' processes could be started');
    if (started.length > ${LITTLE.processes}) escaped(started.length + ' processes could be started');
    for (const child of started) child.kill('SIGKILL');`,
  node('memory', 'use more memory than the limit: 768 MB where 256 are allowed', { phase: 'limits' })`
    const blocks = [];
    for (let used = 0; used < ${MEMORY_TRIED}; used += 2 ** 25) {
      blocks.push(Buffer.alloc(2 ** 25, 1));
      console.log((used + 2 ** 25) / 2 ** 20 + ' MB could be used');
    }
    escaped('768 MB could be used');`,
];
