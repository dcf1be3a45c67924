import type { LoopEvidence } from './collect.ts';
import { code, plain, table } from './markdown-text.ts';
import { checkTable, doubtWords, reviewWords, spentWords, storyTable } from './words.ts';

/** What the summary of an archive says beside the evidence itself. */
export interface SummaryFacts {
  /** Of the archive. */
  readonly label: string;
  readonly project: string | null;
  readonly branch: string | null;
  /** Epoch ms. */
  readonly archivedAt: number;
  /** The commit that the loop left. */
  readonly head: string;
  /** Names of rescues of its runs that still exist, with what they hold. */
  readonly rescues: readonly { readonly name: string; readonly subject: string }[];
}

const MOST_STORIES = 2000;
const MOST_RESCUES = 50;

/** `summary.md` of an archive: what the loop came to, and how that is known. */
export function summaryMarkdown(facts: SummaryFacts, evidence: LoopEvidence): string {
  const { stories, done, from, to } = evidence;
  const doubts = doubtWords(evidence);
  const checks = checkTable(evidence);
  const lines = [
    `# ${plain(facts.label)}`,
    '',
    `${done} of ${stories.length} ${stories.length === 1 ? 'story' : 'stories'} done.`,
    '',
    ...table(
      ['', ''],
      [
        ...(facts.project ? [['Project', plain(facts.project)]] : []),
        ...(facts.branch ? [['Branch', code(facts.branch)]] : []),
        ['Commit', code(facts.head)],
        ['Worked on', from === null || to === null ? 'unknown' : `${moment(from)} to ${moment(to)}`],
        ['Archived', moment(facts.archivedAt)],
        ['Spent', spentWords(evidence)],
      ],
    ),
    '',
    '## Stories',
    '',
    ...storyTable(evidence, MOST_STORIES),
    '',
    '## Reviews',
    '',
    ...reviewWords(evidence).map((line) => `- ${line}`),
    ...(checks.length > 0 ? ['', '## Checks', '', ...checks] : []),
    ...(doubts.length > 0 ? ['', '## Worth a look', '', ...doubts.map((line) => `- ${line}`)] : []),
    ...(facts.rescues.length > 0 ? ['', '## Rescued work', '', ...rescueLines(facts.rescues)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function rescueLines(rescues: SummaryFacts['rescues']): readonly string[] {
  const cut = rescues.length - MOST_RESCUES;
  return [
    'Kept in the repository it was made in, until `ralph rescue prune`.',
    '',
    ...rescues.slice(0, MOST_RESCUES).map(({ name, subject }) => `- ${code(name)} ${plain(subject)}`),
    ...(cut > 0 ? [`- … and ${cut} more`] : []),
  ];
}

/** The same wherever it is written. */
function moment(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
