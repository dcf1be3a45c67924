import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stat } from '../../../../platform/files/files.ts';
import type { Attempt } from '../attempt.ts';

/** Longer than the pause between two beats of what should have ended, on a busy machine too. */
const HEARTBEAT_MS = 400;

/** `$VICTIM`: a process of the host whose command line and environment hold a secret. It must see the end. */
export const PROCESSES: readonly Attempt[] = [
  {
    id: 'see-processes',
    category: 'processes',
    attempt: 'see processes of the host, with their command lines and environments',
    by: 'sh',
    script: `
      for process in /proc/[0-9]*; do tr '\\0' ' ' < "$process/cmdline"; tr '\\0' ' ' < "$process/environ"; done
      ps -ef`,
  },
  {
    id: 'read-memory',
    category: 'processes',
    attempt: 'read and write the memory of a process of the host',
    by: 'sh',
    script: `
      grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
      cat "/proc/$VICTIM/maps" | grep -q . && escaped "the memory map of process $VICTIM can be read"
      ( : >> "/proc/$VICTIM/mem" ) && escaped "the memory of process $VICTIM can be written"`,
  },
  {
    id: 'follow-processes',
    category: 'processes',
    attempt: 'follow the open files and folders of a process of the host',
    by: 'sh',
    script: `
      for way in "/proc/$VICTIM/root" "/proc/$VICTIM/cwd"; do
        cat "$way$OUT/keep.txt"
        echo new > "$way$OUT/new"
      done
      cat "/proc/$VICTIM/cwd/$ID/keep.txt"`,
  },
  {
    id: 'ptrace',
    category: 'processes',
    attempt: 'attach to a process of the host as a debugger',
    by: 'sh',
    script: `
      grep -q "$VICTIM_NAME" "/proc/$VICTIM/cmdline" || { echo "process $VICTIM is not there inside"; exit; }
      needs perl
      perl -e '
        my $number = (POSIX::uname())[4] eq "x86_64" ? 101 : 117;
        print "ESCAPED attached to $ENV{VICTIM}\\n" if syscall($number, 16, $ENV{VICTIM} + 0, 0, 0) == 0;
        print "$!\\n";
        syscall($number, 17, $ENV{VICTIM} + 0, 0, 0);' -MPOSIX`,
  },
  {
    id: 'signal',
    category: 'processes',
    attempt: 'end a process of the host',
    phase: 'alone',
    by: 'sh',
    script: 'kill -9 "$VICTIM"; pkill -9 -f "$VICTIM_NAME"; kill -STOP "$VICTIM"',
  },
  {
    id: 'survive',
    category: 'processes',
    attempt: 'go on after the sandbox has ended, unmarked and in another session',
    phase: 'alone',
    by: 'sh',
    script: `
      # Ends by itself, should nothing end it.
      loop='for beat in $(seq 300); do date +%s%N > heartbeat; sleep 0.05; done'
      env -i PATH="$PATH" setsid sh -c "$loop" < /dev/null > /dev/null 2>&1 &
      env -i PATH="$PATH" nohup sh -c "trap '' TERM HUP INT; $loop" < /dev/null > /dev/null 2>&1 &
      sleep 0.2`,
    check: ({ work }) => beating(join(work, 'heartbeat')),
  },
  {
    id: 'signal-all',
    category: 'processes',
    attempt: 'end every process there is',
    phase: 'last',
    by: 'sh',
    script: 'kill -9 -1',
  },
];

async function beating(file: string): Promise<string | null> {
  const before = await stat(file);
  await sleep(HEARTBEAT_MS);
  const after = await stat(file);
  return before?.mtimeMs === after?.mtimeMs ? null : 'a process went on after the sandbox had ended';
}
