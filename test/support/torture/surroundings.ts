import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, Target } from './case.ts';
import { canMount, makeReadOnly } from './mounts.ts';
import { actAsPerson } from './person.ts';
import type { Place } from './place.ts';
import { processesOf } from './processes.ts';

const GIT_CHILD_WITHIN_MS = 1_500;

/** Has one fault strike a run under way, and ends it again; returns when that is over. */
export async function strike(fault: Fault, place: Place, loop: ChildProcess): Promise<void> {
  switch (fault.kind) {
    case 'signal':
      await wait(fault.at);
      return send(fault.signal, fault.to, place, loop);
    case 'pause': {
      await wait(fault.at);
      const stopped = await pidsOf(fault.to, place, loop);
      for (const pid of stopped) kill(pid, 'SIGSTOP');
      await wait(fault.for);
      for (const pid of stopped) kill(pid, 'SIGCONT');
      return;
    }
    case 'full': {
      const disk = place.disks.get(fault.part);
      await wait(fault.at);
      await disk?.fill();
      await wait(fault.for);
      await disk?.empty();
      return;
    }
    case 'read-only': {
      if (!canMount()) return;
      await wait(fault.at);
      return place.alone(async () => {
        // The folder may not be there yet, or not any more.
        const end = await makeReadOnly(place.folderOf(fault.part)).catch(() => null);
        await wait(fault.for);
        await end?.();
      });
    }
    case 'person':
      return actAsPerson(place, fault.does, fault.at);
    case 'clock':
      await wait(fault.at);
      return place.setClock(fault.seconds);
    default:
  }
}

async function send(signal: NodeJS.Signals, to: Target, place: Place, loop: ChildProcess): Promise<void> {
  if (to !== 'git') {
    for (const pid of await pidsOf(to, place, loop)) kill(pid, signal);
    return;
  }
  // A git process lives for milliseconds: the first that is seen.
  for (const until = Date.now() + GIT_CHILD_WITHIN_MS; Date.now() < until; ) {
    const child = (await processesOf(place.base)).find(({ command }) => command.startsWith('git '));
    if (child) return kill(child.pid, signal);
  }
}

async function pidsOf(to: Target, place: Place, loop: ChildProcess): Promise<readonly number[]> {
  const own = loop.pid !== undefined && loop.exitCode === null && to !== 'agent' ? [loop.pid] : [];
  if (to === 'loop') return own;
  const agents = (await processesOf(place.base)).filter(
    ({ marked, command }) => marked && /scripted-agent/.test(command),
  );
  return [...own, ...agents.map(({ pid }) => pid)];
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}
