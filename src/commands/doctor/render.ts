import type { AgentCapabilities } from '../../adapters/agents/index.ts';
import { counted, oneLine, type Tone } from '../../rules/text/index.ts';
import { type Column, type Paint, renderColumns } from '../../surfaces/terminal/index.ts';
import { wrap } from '../help.ts';
import type { AgentRow } from './agents.ts';
import type { Finding } from './finding.ts';

export interface Examination {
  /** In the order in which a run would meet them. */
  readonly findings: readonly Finding[];
  /** The agents of the run, or all known ones. */
  readonly agents: readonly AgentRow[];
  /** Names of variables that are set here and that agents and checks do not get. */
  readonly withheld: readonly string[];
}

const MARK: Readonly<Record<Finding['state'], readonly [Tone, string]>> = {
  ok: ['good', '✓'],
  warning: ['warn', '!'],
  failed: ['bad', '✗'],
};

interface DoctorView {
  readonly paint: Paint;
  readonly columns: number;
  /** Also which variables agents do not get. */
  readonly verbose: boolean;
}

export function renderExamination(found: Examination, { paint, columns, verbose }: DoctorView): readonly string[] {
  const failed = found.findings.filter((finding) => finding.state === 'failed').length;
  return [
    ...renderFindings(found.findings, paint),
    ...renderAgents(found.agents, columns, paint),
    ...(verbose ? withheldLines(found.withheld, columns, paint) : []),
    '',
    failed === 0
      ? paint('good', 'a run can start')
      : paint('bad', `a run cannot start: ${counted(failed, 'problem')} to fix`),
  ];
}

/** One line per finding; below it other facts worth knowing, then the ways to fix it. */
function renderFindings(findings: readonly Finding[], paint: Paint): readonly string[] {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  return findings.flatMap(({ name, state, detail, more = [], fix }) => [
    `${paint(...MARK[state])} ${name.padEnd(width)}  ${oneLine(detail)}`,
    ...[...more, ...fix.map((way) => `fix: ${way}`)].map(
      (line) => `  ${' '.repeat(width)}  ${paint('dim', oneLine(line))}`,
    ),
  ]);
}

function withheldLines(names: readonly string[], columns: number, paint: Paint): readonly string[] {
  if (names.length === 0) return ['', 'agents and checks get every variable that is set here'];
  return [
    '',
    `agents and checks do not get ${counted(names.length, 'variable')} that ${names.length === 1 ? 'is' : 'are'} set here:`,
    ...wrap(names.map(oneLine).join(' '), columns, 2),
    paint('dim', 'add those that they need to the setting `env.pass`'),
  ];
}

type Capability = keyof AgentCapabilities;

/** Ordered by how much they matter for an unattended run. */
const CAPABILITIES: readonly Capability[] = ['hooks', 'tools', 'limits', 'cost', 'tokens', 'budget'];

const COLUMNS: readonly Column<AgentRow>[] = [
  { title: 'agent', text: ({ name }) => name },
  ...CAPABILITIES.map(
    (capability): Column<AgentRow> => ({
      title: capability,
      text: ({ can }) => (can[capability] ? 'yes' : '-'),
      tone: ({ can }) => (can[capability] ? 'good' : 'dim'),
    }),
  ),
  {
    title: 'ready',
    text: ({ ok, version, detail }) => (ok ? oneLine(version ?? detail) : 'no'),
    tone: ({ ok }) => (ok ? null : 'dim'),
    flexible: true,
  },
];

function renderAgents(rows: readonly AgentRow[], columns: number, paint: Paint): readonly string[] {
  if (rows.length === 0) return [];
  const unhooked = rows.filter(({ rulesHold }) => rulesHold === 'settle').map(({ name }) => name);
  return [
    '',
    ...renderColumns(COLUMNS, rows, columns, paint),
    ...(unhooked.length === 0
      ? []
      : [paint('dim', `without hooks (${unhooked.join(', ')}) rules are enforced only after the agent has ended`)]),
  ];
}
