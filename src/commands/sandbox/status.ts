import { type BatteryRow, isAgainst } from '../../adapters/isolation/index.ts';
import { ExitCode, UnavailableError, UsageError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { nearest } from '../../rules/text/index.ts';
import { type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { isOn, namesOf, type RawFlags, textOf } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { type BackendReport, examineBackends, examineChoice, reasonNotToTry, tryToGetOut } from './examine.ts';
import { backendNamed, type Ground, openGround } from './ground.ts';
import { backendLines, batteryEnd, batteryLines, choiceLines, policyLines } from './status-lines.ts';

/**
 * `ralph sandbox status [--deep]`: every backend tried for real, what a run here would choose, and its policy.
 * @returns 0 when all promises of every available backend held, else 1
 * @throws UnavailableError when the requested backend is not available
 */
export async function sandboxStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const json = isOn(flags, 'json');
  const asked = textOf(flags, 'backend');
  const only = await attemptsNamed(namesOf(flags, 'only'));
  const named = asked === undefined ? undefined : backendNamed(asked);
  const ground = await openGround(flags, io);
  const paint = paintFor(io);
  const show = (lines: readonly string[]) => {
    if (!json) printLines(io, lines);
  };

  const backends = await examineBackends(ground, io, named);
  if (named) refuseMissing(backends);
  show(backends.flatMap((report) => backendLines(report, io.columns, paint)));
  const choice = named ? null : await examineChoice(ground, backends);
  if (choice) show([...choiceLines(choice, io.columns, paint), ...policyLines(ground.policy, choice, io, paint)]);
  const rows = isOn(flags, 'deep') ? await goDeep(backends, ground, io, { only, show }) : [];

  if (json) {
    const { hosts, localPorts, input } = ground.policy;
    const { read, write, memoryBytes, processes, cpus } = input.policy;
    const policy = { hosts, localPorts, read, write, memoryBytes, processes, cpus };
    printJson(io, { backends, chosen: choice?.chosen ?? named, instead: choice?.instead ?? [], policy, rows });
  }
  const claims = backends.filter(isTried).flatMap((report) => report.claims);
  return claims.every(({ held }) => held) && !rows.some(isAgainst) ? ExitCode.complete : ExitCode.incomplete;
}

/** It exists and was tried, with any result. */
function isTried({ claims }: BackendReport): boolean {
  return claims.length > 0;
}

/** A backend whose claims fail still exists: the failures are shown, and the command ends with 1. */
function refuseMissing(backends: readonly BackendReport[]): void {
  const missing = backends.find((report) => !report.available && !isTried(report));
  if (missing === undefined) return;
  const { name, detail, fix } = missing;
  throw new UnavailableError({ what: `${name} cannot be used here`, why: detail, fix });
}

async function goDeep(
  backends: readonly BackendReport[],
  ground: Ground,
  io: Io,
  { only, show }: { readonly only: readonly string[] | undefined; readonly show: (lines: readonly string[]) => void },
): Promise<readonly BatteryRow[]> {
  const paint = paintFor(io);
  const { environment, config } = ground;
  const all: BatteryRow[] = [];
  const ends: string[] = [];
  for (const { name } of backends.filter(({ available }) => available)) {
    const reason = reasonNotToTry(name);
    if (reason !== null) {
      show(['', `${name}: not tried: ${reason}`]);
      continue;
    }
    const startedAt = systemClock.now();
    const rows = await tryToGetOut(name, { environment, container: config.isolation.container }, io.env, only);
    all.push(...rows);
    show(['', ...batteryLines(name, rows, { ms: systemClock.now() - startedAt, columns: io.columns }, paint)]);
    ends.push(...batteryEnd(name, rows, io.columns, paint));
  }
  if (ends.length > 0) show(['', ...ends]);
  return all;
}

/** @throws UsageError for an unknown attempt id, with the nearest one */
async function attemptsNamed(ids: readonly string[] | undefined): Promise<readonly string[] | undefined> {
  if (ids === undefined) return undefined;
  const { ATTEMPTS } = await import('../../adapters/isolation/battery/run.ts');
  const known = ATTEMPTS.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return ids;
  const near = nearest(unknown, known);
  throw new UsageError({
    what: `there is no attempt '${unknown}'`,
    fix: [near ? `did you mean ${near}?` : '`ralph sandbox status --deep --json` lists their ids'],
  });
}
