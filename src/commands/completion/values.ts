import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openProject, openWorkspace } from '../shared/open.ts';
import type { ValueKind } from '../table/spec.ts';
import type { Candidate } from './place.ts';

/** What is known of the command line so far. */
interface Line {
  readonly args: readonly string[];
  readonly flags: RawFlags;
  readonly io: Io;
}

/** Each opens only what it needs: a person waits for the answer at every press of the key. */
const SOURCES: Readonly<
  Record<
    Exclude<ValueKind, readonly string[] | 'file' | 'folder' | 'command'>,
    (line: Line) => Promise<readonly Candidate[]>
  >
> = {
  agent: agents,
  agents,
  backend: async () => (await import('../sandbox/ground.ts')).BACKEND_NAMES.map((name) => [name, '']),
  'config-key': async () => {
    const { settings } = await import('../../adapters/workspace/config/config-schema.ts');
    return settings().map(({ key, description }) => [key, description]);
  },
  'config-value': async ({ args }) => {
    const { valuesOf } = await import('../../adapters/workspace/config/setting-values.ts');
    return valuesOf(args[0] ?? '').map((value) => [value, '']);
  },
  finding: async ({ args, ...line }) => {
    const { readFindings } = await import('../../rules/backlog/reviews/reviews.ts');
    const { reviewsText = null } = (await documentOf(line)) ?? {};
    return readFindings(reviewsText, args[0] ?? '').map(({ id, claim }) => [id, claim]);
  },
  prd: async ({ flags, io }) => {
    const { list } = await import('../../platform/files/files.ts');
    const { repo } = await openProject(flags, io);
    const names = await list(`${repo.root}/.ralph`);
    return names.flatMap((name) => (/^PRD-\d+$/.test(name) ? [[name.slice(4), `.ralph/${name}`] as const] : []));
  },
  question: async ({ flags, io }) => {
    const { readLedger } = await import('../../adapters/workspace/records/ledger.ts');
    const { questionsOf } = await import('../../rules/safeguards/questions.ts');
    const { repo } = await openProject(flags, io);
    return questionsOf(await readLedger(repo.stateDir)).map(({ id, text }) => [id, text]);
  },
  rescue: async ({ flags, io }) => {
    const rescues = await (await openProject(flags, io)).rescues();
    return rescues.map(({ name, subject }) => [name, subject]);
  },
  run: async ({ flags, io }) => {
    const { listRuns } = await import('../../adapters/workspace/events/own-runs.ts');
    const runs = await listRuns((await openProject(flags, io)).repo.root);
    return runs.toReversed().map((run) => [run, '']);
  },
  story: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
  stories: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
};

/** Everything that can stand for a value of this kind. @throws what keeps it from being known */
export async function candidatesFor(kind: ValueKind, line: Line): Promise<readonly Candidate[]> {
  if (typeof kind !== 'string') return kind.map((word) => [word, '']);
  if (kind === 'file' || kind === 'folder' || kind === 'command') return [];
  return SOURCES[kind](line);
}

async function agents(): Promise<readonly Candidate[]> {
  return (await import('../../adapters/agents/registry.ts')).AGENT_NAMES.map((name) => [name, '']);
}

async function storiesOf(line: Omit<Line, 'args'>) {
  return (await documentOf(line))?.backlog.stories ?? [];
}

async function documentOf({ flags, io }: Omit<Line, 'args'>) {
  const { readDocument } = await import('../../adapters/workspace/backlog/document.ts');
  const { workspace } = await openWorkspace(flags, io);
  return (await readDocument(workspace)).document;
}
