import { type Enforcement, enforcement, testedVersion, testedWith } from '../../adapters/agents/capabilities.ts';
import type { AgentAvailability, AgentCapabilities } from '../../adapters/agents/port.ts';
import { agentByName } from '../../adapters/agents/registry.ts';
import type { IsolationName } from '../../adapters/isolation/port.ts';
import type { Config } from '../../contracts/config.ts';
import { findUnexecutable } from '../../platform/process/find-program.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import type { Paint } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { type Finding, look } from './finding.ts';

/** An agent as it was found on this machine. */
export interface AgentRow {
  readonly name: string;
  /** It is there and can start. */
  readonly ok: boolean;
  readonly version: string | null;
  /** What was found, or why it cannot start. */
  readonly detail: string;
  readonly can: AgentCapabilities;
  readonly rulesHold: Enforcement;
  /** With which client its adapter was tested. */
  readonly tested: string;
  /** Names of variables that it gets for its login and settings. */
  readonly environment: readonly string[];
}

/** What was found of one agent; without a row where there is no agent of that name. */
interface Examined {
  readonly row: AgentRow | null;
  readonly finding: Finding;
}

/**
 * Asks the agent's program for its version.
 * @param first the others are fallbacks: a run can start without them
 * @param isolation in which a run would start it
 * @param path where programs are looked for
 */
export async function examineAgent(
  name: string,
  config: Config,
  first: boolean,
  isolation: IsolationName,
  path: string | undefined,
): Promise<Examined> {
  const title = `agent ${name}`;
  // A name that is none is a typing error, for `ralph run` too.
  const [agent, unknown] = await look(title, () => agentByName(name), String);
  if (!agent) return { row: null, finding: unknown };
  const [found, looked] = await look(
    title,
    () => agent.detect(config, isolation),
    ({ version, detail }) => version ?? detail,
    'agent',
  );
  const missing = first ? 'failed' : 'warning';
  const finding: Finding =
    found && !found.ok
      ? { ...looked, state: missing, detail: found.detail, mend: waysTo(found, agent.program(config), path) }
      : found
        ? { ...looked, ...oldVersion(name, found.version) }
        : { ...looked, state: missing };
  const { capabilities, environment } = agent;
  const version = found?.version ?? null;
  return {
    row: {
      name,
      ok: found?.ok === true,
      version,
      detail: finding.detail,
      can: capabilities,
      rulesHold: enforcement(agent),
      tested: testedWith(name),
      environment,
    },
    finding,
  };
}

/** A program that is there and may not be executed need not be installed. */
function waysTo(
  { detail, mend }: AgentAvailability,
  program: string | null,
  path: string | undefined,
): readonly string[] {
  const closed = detail.includes('EACCES') && program !== null ? findUnexecutable(program, path) : null;
  return closed === null ? [mend] : [`chmod +x ${shellWord(closed)}`];
}

/** Clients change what they print: an adapter may not understand one that is older than what it was tested with. */
function oldVersion(name: string, version: string | null): Partial<Finding> {
  const tested = testedVersion(name);
  if (tested === null || version === null || !isOlder(version, tested)) return {};
  return {
    state: 'warning',
    detail: `${version} is older than ${tested}, which ralph was tested with`,
    mend: [`update ${name}: its older versions may take other options or print something else`],
  };
}

/** Pure. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(/[^\d]+/).map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (one?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

type Capability = keyof AgentCapabilities;

/** In the order in which they matter for a run that nobody watches. */
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

/** What each agent can do, one line each, and what follows from it. Pure. */
export function renderAgents(rows: readonly AgentRow[], columns: number, paint: Paint): readonly string[] {
  if (rows.length === 0) return [];
  const unhooked = rows.filter(({ rulesHold }) => rulesHold === 'settle').map(({ name }) => name);
  return [
    '',
    ...renderColumns(COLUMNS, rows, columns, paint),
    ...(unhooked.length === 0
      ? []
      : [paint('dim', `without hooks (${unhooked.join(', ')}) the rules hold only once the agent has ended`)]),
  ];
}
