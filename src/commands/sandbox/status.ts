import {
  type BatteryRow,
  type Granted,
  isAgainst,
  type Limit,
  loginStore,
  type Policy,
} from '../../adapters/isolation/index.ts';
import { ExitCode, UnavailableError, UsageError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { counted, elapsed, nearest, oneLine } from '../../rules/text/index.ts';
import { hang, type Io, type Paint, paintFor } from '../../surfaces/terminal/index.ts';
import { isOn, namesOf, type RawFlags, textOf } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import {
  type BackendReport,
  type ChoiceReport,
  examineBackends,
  examineChoice,
  reasonNotToTry,
  tryToGetOut,
} from './examine.ts';
import { backendNamed, type Ground, openGround } from './ground.ts';

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
  if (choice) show([...choiceLines(choice, io.columns, paint), ...policyLines(ground, choice, io, paint)]);
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
  const { name, detail, mend } = missing;
  throw new UnavailableError({ what: `${name} cannot be used here`, why: detail, mend });
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
  const { ATTEMPTS } = await import('../../adapters/isolation/battery/attempts/all.ts');
  const known = ATTEMPTS.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return ids;
  const near = nearest(unknown, known);
  throw new UsageError({
    what: `there is no attempt '${unknown}'`,
    mend: [near ? `did you mean ${near}?` : '`ralph sandbox status --deep --json` lists their ids'],
  });
}

/** The column where the text beside a name begins. */
const LABEL = 12;

const beside = (label: string, text: string, columns: number) =>
  hang(`${''.padEnd(2)}${label.padEnd(LABEL - 2)}${text}`, columns);

/** A backend: whether it can be used, each claim, or how to get it. Pure. */
export function backendLines(report: BackendReport, columns: number, paint: Paint): readonly string[] {
  const { name, available, detail, claims, mend } = report;
  const mark = available ? paint('good', '✓') : paint(claims.length > 0 ? 'bad' : 'dim', claims.length > 0 ? '✗' : '-');
  return [
    `${mark} ${paint('strong', name.padEnd(LABEL - 2))}${oneLine(detail)}`,
    ...claims.flatMap(({ claim, held, detail }) =>
      held
        ? beside('held', claim, columns).map((line) => paint('dim', line))
        : beside('NOT HELD', `${claim}: ${oneLine(detail)}`, columns).map((line) => paint('bad', line)),
    ),
    ...mend.flatMap((way) => beside(claims.length > 0 ? 'mend it' : 'get it', oneLine(way), columns)),
  ].flatMap((line) => hang(line, columns));
}

/** What a run here chooses, and why. Pure. */
export function choiceLines({ chosen, instead }: ChoiceReport, columns: number, paint: Paint): readonly string[] {
  const tone = chosen === null || chosen === 'none' ? 'warn' : 'good';
  const what = chosen === null ? 'a run here is refused' : `a run here takes ${chosen}`;
  return ['', paint(tone, what), ...instead.flatMap((reason) => beside('', oneLine(reason), columns))];
}

/** What the inside may reach and use, and the source of each permission. */
function policyLines(
  { policy }: Ground,
  { chosen, unlimited = [] }: ChoiceReport,
  io: Io,
  paint: Paint,
): readonly string[] {
  if (chosen === null || chosen === 'none') return [];
  const { columns } = io;
  const { read, write } = policy.input.policy;
  const list = (label: string, granted: readonly Granted<string | number>[]) =>
    granted.flatMap(({ grant, from }, i) =>
      beside(i === 0 ? label : '', `${grant} ${paint('dim', `(${from})`)}`, columns),
    );
  const paths = [...read.map((path) => `${path} to read`), ...write.map((path) => `${path} to write`)];
  return [
    '',
    paint('strong', 'inside a sandbox here'),
    ...(policy.hosts.length === 0 ? beside('hosts', 'none: no network', columns) : list('hosts', policy.hosts)),
    ...list('ports', policy.localPorts),
    ...paths.flatMap((path, i) => beside(i === 0 ? 'paths' : '', path, columns)),
    ...beside('limits', allowances(policy.input.policy, unlimited), columns),
    ...beside('home', 'a new one for each process, gone when it has ended', columns),
    ...beside('logins', `stay in ${loginStore(io.env)}`, columns),
    ...beside('log in', '`ralph sandbox shell`, then the agent', columns),
  ];
}

/** What the inside may use; a limit that would not hold here is shown as none. Pure. */
export function allowances(
  { memoryBytes, processes, cpus }: Pick<Policy, 'memoryBytes' | 'processes' | 'cpus'>,
  unlimited: readonly Limit[],
): string {
  const limited = (limit: Limit, text: string) => (unlimited.includes(limit) ? `${limit} not limited here` : text);
  return [
    limited('memory', `${gigabytes(memoryBytes)} of memory`),
    limited('processes', counted(processes, 'process', 'processes')),
    cpus === null ? 'all processors' : counted(cpus, 'processor'),
  ].join(', ');
}

/** Every escape route, and those that were open. Pure. */
export function batteryLines(
  name: string,
  rows: readonly BatteryRow[],
  { ms, columns }: { readonly ms: number; readonly columns: number },
  paint: Paint,
): readonly string[] {
  const held = rows.filter((row) => row.held).length;
  const open = rows.filter(isOpen).length;
  const left = rows.length - held - open;
  const sum = `${counted(rows.length, 'way')} out: ${held} held`;
  const rest = [
    open > 0 ? paint('bad', `, ${open} not held`) : '',
    left > 0 ? paint('warn', `, ${left} not tried`) : '',
  ];
  return [
    `${paint('strong', name)}: ${sum}${rest.join('')} ${paint('dim', `(${elapsed(ms)})`)}`,
    ...rows.flatMap((row, i) => rowLines(row, rows[i - 1], columns, paint)),
  ];
}

/** The last line of a backend: which results above need attention. Pure. */
export function batteryEnd(
  name: string,
  rows: readonly BatteryRow[],
  columns: number,
  paint: Paint,
): readonly string[] {
  const against = rows.filter(isAgainst);
  const open = against.filter(isOpen);
  const named = (list: readonly BatteryRow[]) => list.map(({ attempt }) => attempt).join(' · ');
  if (open.length > 0) return hang(`${name}: not held: ${named(open)}`, columns).map((line) => paint('bad', line));
  if (against.length > 0)
    return hang(`${name}: not tried: ${named(against)}`, columns).map((line) => paint('bad', line));
  return [paint('good', `${name}: ${rows.every(({ held }) => held) ? 'everything' : 'all that could be tried'} held`)];
}

function isOpen({ tried, held }: BatteryRow): boolean {
  return tried && !held;
}

/** One escape route under the heading of its kind; below it what escaped, or why it was not tried. */
function rowLines(row: BatteryRow, before: BatteryRow | undefined, columns: number, paint: Paint): readonly string[] {
  const { category, attempt, tried, held, detail } = row;
  const heading = category === before?.category ? [] : [paint('dim', category)];
  if (held) return [...heading, ...beside('held', attempt, columns)];
  const told = [...beside(tried ? 'NOT HELD' : 'not tried', attempt, columns), ...beside('', oneLine(detail), columns)];
  return [...heading, ...told.map((line) => paint(tried ? 'bad' : 'warn', line))];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
