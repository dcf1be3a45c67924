import { type Enforcement, enforcement, testedWith } from '../../adapters/agents/capabilities.ts';
import type { AgentCapabilities } from '../../adapters/agents/port.ts';
import { agentByName } from '../../adapters/agents/registry.ts';
import type { Config } from '../../contracts/config.ts';
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
 */
export async function examineAgent(name: string, config: Config, first: boolean): Promise<Examined> {
  const title = `agent ${name}`;
  const [agent, unknown] = await look(title, () => agentByName(name), String, 'agent');
  if (!agent) return { row: null, finding: unknown };
  const [found, looked] = await look(
    title,
    () => agent.detect(config),
    ({ version, detail }) => version ?? detail,
    'agent',
  );
  const missing = first ? 'failed' : 'warning';
  const finding: Finding =
    found && !found.ok
      ? { ...looked, state: missing, detail: found.detail, mend: [found.mend] }
      : { ...looked, state: found ? 'ok' : missing };
  const { capabilities, environment } = agent;
  const version = found?.version ?? null;
  return {
    row: {
      name,
      ok: finding.state === 'ok',
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
