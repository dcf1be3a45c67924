import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import type { CircuitSettings } from '../../contracts/config.ts';
import type { BreakerState } from '../../contracts/model.ts';
import type { Breaker, Rate } from '../../rules/safeguards/api.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import { rateOf } from '../../rules/safeguards/rate.ts';
import { elapsed, moment } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { liveRun } from '../shared/live-run.ts';
import { configIn, openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { limitsNow, steeringNow } from '../status/steering-now.ts';

interface CircuitView {
  readonly breaker: Breaker;
  readonly thresholds: CircuitSettings;
  readonly calls: Rate;
}

/** `ralph circuit status` */
export async function circuitStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const [{ config }, live, ledger] = await Promise.all([
    configIn(git, io),
    liveRun(git),
    readLedger(git.repo.stateDir),
  ]);
  const { calls: limit } = limitsNow(live, await steeringNow(git, live, io), config);
  const view: CircuitView = {
    breaker: breakerOf(ledger, config.circuit),
    thresholds: config.circuit,
    calls: rateOf({ ledger, now: Date.now(), limit }),
  };
  if (isOn(flags, 'json')) printJson(io, { ...view.breaker, thresholds: view.thresholds, calls: view.calls });
  else printLines(io, renderCircuit(view, paintFor(io)));
  return 0;
}

const TONES: Readonly<Record<BreakerState, Tone>> = { closed: 'good', 'half-open': 'warn', open: 'bad' };

/** Pure. */
function renderCircuit({ breaker, thresholds, calls }: CircuitView, paint: Paint): readonly string[] {
  const { state, reason, evidence, mend, since, badInRow } = breaker;
  const row = (label: string, text: string) => `${paint('dim', label.padEnd(10))}${text}`;
  const rows = (label: string, texts: readonly string[]) =>
    texts.map((text, i) => row(i === 0 ? label : '', oneLine(text)));
  return [
    row('breaker', `${paint(TONES[state], state)}${since === null ? '' : ` since ${moment(since)}`}`),
    ...rows('reason', reason === '' ? [] : [reason]),
    ...rows('evidence', evidence),
    ...rows('mend', mend),
    ...(state === 'closed' && badInRow > 0 ? [row('bad', `${badInRow} in a row`)] : []),
    ...rows('opens at', thresholdTexts(thresholds)),
    row('calls', `${calls.used} of ${calls.limit} in the last hour${freeText(calls)}`),
  ];
}

function thresholdTexts({ noProgress, sameError, outputDecline, cooldownMs }: CircuitSettings): readonly string[] {
  return [
    `${noProgress} bad iterations in a row · the same error ${sameError} times`,
    `half-opens one below, and when the output falls by more than ${outputDecline} %`,
    cooldownMs === null
      ? 'once open, only a person closes it'
      : `once open, one iteration may try again after ${elapsed(cooldownMs)}`,
  ];
}

function freeText({ freeAt }: Rate): string {
  return freeAt === null ? '' : `; the next one from ${moment(freeAt)} on`;
}
