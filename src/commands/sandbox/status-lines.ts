import {
  type BatteryRow,
  type EffectivePolicy,
  type Granted,
  isAgainst,
  type Limit,
  loginStore,
  type Policy,
} from '../../adapters/isolation/index.ts';
import { counted, elapsed, oneLine } from '../../rules/text/index.ts';
import { hang, type Io, type Paint } from '../../surfaces/terminal/index.ts';
import type { BackendReport, ChoiceReport } from './examine.ts';

/** The column where the text beside a name begins. */
const LABEL = 12;

const beside = (label: string, text: string, columns: number) =>
  hang(`${''.padEnd(2)}${label.padEnd(LABEL - 2)}${text}`, columns);

/** A backend: whether it can be used, each claim, or how to get it. Pure. */
export function backendLines(report: BackendReport, columns: number, paint: Paint): readonly string[] {
  const { name, available, detail, claims, fix } = report;
  const mark = available ? paint('good', '✓') : paint(claims.length > 0 ? 'bad' : 'dim', claims.length > 0 ? '✗' : '-');
  return [
    `${mark} ${paint('strong', name.padEnd(LABEL - 2))}${oneLine(detail)}`,
    ...claims.flatMap(({ claim, held, detail }) =>
      held
        ? beside('held', claim, columns).map((line) => paint('dim', line))
        : beside('NOT HELD', `${claim}: ${oneLine(detail)}`, columns).map((line) => paint('bad', line)),
    ),
    ...fix.flatMap((way) => beside(claims.length > 0 ? 'fix it' : 'get it', oneLine(way), columns)),
  ].flatMap((line) => hang(line, columns));
}

/** What a run here chooses, and why. Pure. */
export function choiceLines({ chosen, instead }: ChoiceReport, columns: number, paint: Paint): readonly string[] {
  const tone = chosen === null || chosen === 'none' ? 'warn' : 'good';
  const what = chosen === null ? 'a run here is refused' : `a run here uses ${chosen}`;
  return ['', paint(tone, what), ...instead.flatMap((reason) => beside('', oneLine(reason), columns))];
}

/** What the inside may reach and use, and the source of each permission. */
export function policyLines(
  { hosts, localPorts, input }: Pick<EffectivePolicy, 'hosts' | 'localPorts'> & { readonly input: { policy: Policy } },
  { chosen, unlimited = [] }: ChoiceReport,
  { columns, env }: Pick<Io, 'columns' | 'env'>,
  paint: Paint,
): readonly string[] {
  if (chosen === null || chosen === 'none') return [];
  const { read, write } = input.policy;
  const list = (label: string, granted: readonly Granted<string | number>[]) =>
    granted.flatMap(({ grant, from }, i) =>
      beside(i === 0 ? label : '', `${grant} ${paint('dim', `(${from})`)}`, columns),
    );
  const paths = [...read.map((path) => `${path} to read`), ...write.map((path) => `${path} to write`)];
  return [
    '',
    paint('strong', 'inside a sandbox here'),
    ...(hosts.length === 0 ? beside('hosts', 'none: no network', columns) : list('hosts', hosts)),
    ...list('ports', localPorts),
    ...paths.flatMap((path, i) => beside(i === 0 ? 'paths' : '', path, columns)),
    ...beside('limits', allowances(input.policy, unlimited), columns),
    ...beside('home', 'a new one for each process, deleted when it ends', columns),
    ...beside('logins', `stay in ${loginStore(env)}`, columns),
    ...beside('log in', '`ralph sandbox shell`, then the agent', columns),
  ];
}

/** What the inside may use; a limit that would not hold here is shown as none. Pure. */
function allowances(
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
  return [
    paint(
      'good',
      `${name}: ${rows.every(({ held }) => held) ? 'everything' : 'every attempt that could be tried'} held`,
    ),
  ];
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
