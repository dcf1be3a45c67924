import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openProject, openWorkspace } from '../shared/open.ts';
import type { ValueKind } from '../table/spec.ts';
import { commands, groups } from '../table.ts';
import { type Candidate, placeAt } from './place.ts';

/** A word that every shell takes unquoted; an agent with any other name has to be typed, and quoted, by a person. */
const PLAIN = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.,:/@+=-]*$/u;

/** More would not help, and shells ask before they show a longer list. */
const MOST = 200;
const MOST_MEANING = 80;

/**
 * `ralph completion --complete -- WORD…`: what a shell's completion calls at the Tab key. Prints one candidate per
 * line, with a tab and its meaning; `:files` or `:folders` where the shell completes itself; nothing when nothing is
 * known.
 * @param argv all words after `ralph`, without those of this call itself; the last one is being typed
 */
export async function answerCompletion(words: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write((await linesFor(words, io)).map((line) => `${line}\n`).join(''));
  } catch {
    // No repository, or a broken backlog: no message belongs in the middle of a command line.
  }
  return 0;
}

async function linesFor(words: readonly string[], io: Io): Promise<readonly string[]> {
  const place = placeAt(words, { commands, groups });
  const { values, before, typed, args, flags } = place;
  if (values === 'file') return [':files'];
  if (values === 'folder') return [':folders'];
  const known = values === null ? [] : await candidatesFor(values, { args, flags, io });
  return [...place.words, ...known.filter(([word]) => PLAIN.test(word))]
    .filter(([word]) => word.startsWith(typed))
    .slice(0, MOST)
    .map((candidate) => lineOf(candidate, before));
}

function lineOf([word, meaning]: Candidate, before: string): string {
  const text = oneLine(meaning).slice(0, MOST_MEANING);
  return text === '' ? `${before}${word}` : `${before}${word}\t${text}`;
}

interface Line {
  readonly args: readonly string[];
  readonly flags: RawFlags;
  readonly io: Io;
}

/** Each opens only what it needs: a person waits for the answer at every key press. */
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
    const { settings } = await import('../../adapters/workspace/config/settings.ts');
    return settings().map(({ key, description }) => [key, description]);
  },
  'config-value': async ({ args }) => {
    const { valuesOf } = await import('../../adapters/workspace/config/settings.ts');
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
    const { listRuns } = await import('../../adapters/workspace/projects.ts');
    const runs = await listRuns((await openProject(flags, io)).repo.root);
    return runs.toReversed().map((run) => [run, '']);
  },
  story: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
  stories: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
};

/** Every value of this kind. @throws the reason why they cannot be determined */
async function candidatesFor(kind: ValueKind, line: Line): Promise<readonly Candidate[]> {
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
