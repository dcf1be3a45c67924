import type { Verdict } from './battery/case.ts';
import type { Figures } from './measure.ts';

/** What one peer came to. */
export interface PeerResult {
  readonly name: string;
  readonly version: string;
  readonly started: string;
  /** Null: only the battery was run. */
  readonly figures: Figures | null;
  /** By the name of the case. */
  readonly battery: Readonly<Record<string, Verdict>>;
}

/** One run of the harness. */
export interface Results {
  readonly date: string;
  readonly machine: string;
  readonly peers: readonly PeerResult[];
}

/** Two Markdown tables: figures, and outcomes of the battery with what was seen. */
export function tables({ peers }: Results, cases: readonly string[]): string {
  return `${figureTable(peers)}\n\n${batteryTable(peers, cases)}\n`;
}

function figureTable(peers: readonly PeerResult[]): string {
  const head = ['', '`--version`', 'to the first agent', 'between agents', 'processes', 'memory', 'agents', 'done'];
  const rows = peers.flatMap(({ name, version, figures }) => {
    if (figures === null) return [];
    const { between, toFirstAgent, processes, memoryMb, agents, done } = figures;
    return [
      [
        `${name} ${version}`.trim(),
        `${figures.version.toFixed(1)} ×`,
        toFirstAgent === null ? '–' : `${toFirstAgent.toFixed(1)} ×`,
        between === null ? '–' : `${Math.round(between)} ms`,
        processes === null ? '–' : String(processes),
        `${Math.round(memoryMb)} MB`,
        String(agents),
        String(done ?? '–'),
      ],
    ];
  });
  return table(head, rows);
}

function batteryTable(peers: readonly PeerResult[], cases: readonly string[]): string {
  const rows = cases
    .filter((name) => peers.some(({ battery }) => battery[name] !== undefined))
    .map((name) => [name, ...peers.map(({ battery }) => outcome(battery[name]))]);
  return table(['the agent …', ...peers.map(({ name }) => name)], rows);
}

function outcome(verdict: Verdict | undefined): string {
  return verdict === undefined ? '–' : verdict.outcome;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
