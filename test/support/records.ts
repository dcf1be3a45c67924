import type { AgentEvent } from '../../src/contracts/index.ts';
import { ALL_TOOLS } from '../../src/rules/tools/index.ts';
import type { Project } from './project.ts';

const TOOLS: ReadonlySet<string> = new Set(ALL_TOOLS.map(({ name }) => name));

/** A line of the ledger, as far as tests look at it. */
export interface LedgerLine {
  readonly kind: string;
  readonly run: string;
  readonly iteration: number;
  readonly story: string;
  readonly mode: string;
  readonly verdict: string;
  readonly counts: string;
  readonly reason: string;
  readonly blocked: string | null;
  readonly rescue: string | null;
  readonly workFiles: number;
  readonly steers?: readonly string[];
  readonly tampering?: readonly { readonly kind: string }[];
  readonly violations: readonly {
    readonly rule: string;
    readonly story?: string;
    readonly field?: string;
    readonly message: string;
  }[];
}

/** Every line of the ledger, oldest first. */
export async function ledgerOf(project: Project): Promise<readonly LedgerLine[]> {
  const text = await project.read('.git/ralph/ledger.jsonl');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Subjects of the work's commits on top of `main`, oldest first; the loop's bookkeeping apart. */
export async function commitsOf(project: Project): Promise<readonly string[]> {
  const log = await project.git('log', '--reverse', '--format=%s', 'main..HEAD');
  return log.split('\n').filter((subject) => subject !== '' && !subject.startsWith('chore(ralph)'));
}

/** The events of a run, oldest first; of the last run by default. */
export async function eventsOf(project: Project, run?: string): Promise<readonly { readonly type: string }[]> {
  const id = run ?? JSON.parse(await project.read('.ralph/status.json')).run;
  const text = await project.read(`.ralph/runs/${id}/events.jsonl`);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** An answer of one of the run's tools, as the scripted agent got it. */
export interface ToolAnswer {
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
}

/** What the tools of the last run answered the scripted agent, oldest first. */
export async function toolAnswersOf(project: Project): Promise<readonly ToolAnswer[]> {
  const called = new Map<string, string>();
  const answers: ToolAnswer[] = [];
  for (const { event } of (await eventsOf(project)) as readonly { readonly event?: AgentEvent }[]) {
    if (event?.type === 'tool-call') called.set(event.id, event.name);
    if (event?.type !== 'tool-result') continue;
    const tool = called.get(event.id) ?? '';
    if (TOOLS.has(tool)) answers.push({ tool, ok: event.ok, text: event.summary });
  }
  return answers;
}
