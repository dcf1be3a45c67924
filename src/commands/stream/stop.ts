import { named } from '../../streams/choose.ts';
import { streamTrees } from '../../streams/facts.ts';
import { type Stopped, stopStream } from '../../streams/stop.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import { NO_STREAMS } from './status.ts';

const TEXT: Readonly<Record<Stopped, (now: boolean) => string>> = {
  asked: (now) =>
    now
      ? "stops now; the agent's work of this iteration is kept in a rescue"
      : 'stops after this iteration; at once: ralph stream stop --now',
  ended: () => 'stopped: nobody worked on it, and its run is over now',
  nothing: () => 'has no run that could be stopped',
};

/** `ralph stream stop [N…]`: all of them where none is named. */
export async function stopStreams(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const all = (await streamTrees(git))
    .filter(({ missing }) => !missing)
    .map((tree) => ({ stream: tree.file?.stream ?? tree.name, tree }));
  const chosen = names.length === 0 || names.join() === 'all' ? all : named(all, names);
  const now = isOn(flags, 'now');
  const openRun = turnPorts(io, false, { idle: true });
  const done: { readonly stream: string; readonly stopped: Stopped }[] = [];
  for (const { stream, tree } of chosen)
    done.push({ stream, stopped: await stopStream({ tree, now, openRun, env: io.env, flags: {} }) });
  if (isOn(flags, 'json')) printJson(io, done);
  else if (done.length === 0) printLines(io, [NO_STREAMS]);
  else
    printLines(
      io,
      done.map(({ stream, stopped }) => `${oneLine(stream)} ${TEXT[stopped](now)}`),
    );
  return 0;
}
