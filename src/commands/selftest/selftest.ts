import { type ExitCodeValue, UsageError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { nearest } from '../../rules/text/index.ts';
import { type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { countOf, isOn, namesOf, type RawFlags, textOf } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { onSignals } from '../shared/with-signals.ts';
import { playBattery } from './battery.ts';
import { rowLines, totalLines } from './lines.ts';
import { ROWS } from './rows/all.ts';
import type { Row } from './rows/row.ts';

/** More at a time only slows each one, until time limits are hit that should not be. */
const JOBS = 2;

/**
 * `ralph selftest`: agents that misbehave, each in its own repository. @returns 0 when every played row held, else 1
 */
export async function selftest(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const rows = chosenRows(namesOf(flags, 'only'));
  const json = isOn(flags, 'json');
  const paint = paintFor(io);
  const startedAt = systemClock.now();
  let shown = '';
  const { results, stopped } = await untilSignal((signal) =>
    playBattery(rows, {
      agent: textOf(flags, 'agent') ?? null,
      env: io.env,
      signal,
      jobs: countOf(flags, 'jobs') ?? JOBS,
      keep: isOn(flags, 'keep'),
      onResult: (result) => {
        if (json) return;
        if (result.category !== shown) printLines(io, [paint('dim', result.category)]);
        shown = result.category;
        printLines(io, rowLines(result, isOn(flags, 'verbose'), paint));
      },
    }),
  );
  const held = results.filter((result) => result.held).length;
  const notPlayed = results.filter(({ played }) => !played).length;
  const notHeld = results.length - held - notPlayed;
  if (json) printJson(io, { rows: results, held, notHeld, notPlayed });
  else printLines(io, totalLines({ held, notHeld, notPlayed }, systemClock.now() - startedAt, paint));
  return stopped ?? (notHeld === 0 && held > 0 ? 0 : 1);
}

/** In the order of the table. @throws UsageError for an unknown name, with the nearest one */
function chosenRows(names: readonly string[] | undefined): readonly Row[] {
  if (names === undefined) return ROWS;
  const known = ROWS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return ROWS.filter(({ name }) => names.includes(name));
  const near = nearest(unknown, known);
  throw new UsageError({
    what: `there is no row '${unknown}'`,
    fix: [near ? `did you mean ${near}?` : `one of: ${known.join(', ')}`],
  });
}

/** Each run has its own session, which Ctrl-C does not reach: the first signal ends the active ones. */
async function untilSignal<Results>(
  work: (signal: AbortSignal) => Promise<Results>,
): Promise<{ readonly results: Results; readonly stopped: ExitCodeValue | null }> {
  const stop = new AbortController();
  let stopped: ExitCodeValue | null = null;
  const stopListening = onSignals((_, exitCode) => {
    stopped ??= exitCode;
    stop.abort();
  });
  try {
    return { results: await work(stop.signal), stopped };
  } finally {
    stopListening();
  }
}
