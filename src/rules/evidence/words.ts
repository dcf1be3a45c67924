import type { RedGreenProof, ReviewFinding, Story } from '../../contracts/index.ts';
import type { Receipt } from '../backlog/index.ts';
import { dollars, elapsed, printable, shortLine, tokens } from '../text/index.ts';
import type { LoopEvidence, StoryEvidence } from './collect.ts';

/** The source of an approval, for sentences that begin "approved by". */
export const APPROVED_BY: Readonly<Record<Receipt['by'], string>> = {
  review: 'a review',
  cap: 'the review cap',
  converged: 'a review that found nothing new',
  'skip-review': 'its checks alone (--skip-review)',
  person: 'a person',
};

const PROOF: Readonly<Record<RedGreenProof['outcome'], string>> = {
  proven: 'red, then green',
  'passes-before': 'passes without the code',
  'no-tests': 'no tests changed',
  inconclusive: 'could not be tried',
};

/** One row for each story; at most `most` rows. Markdown. */
export function storyTable({ stories }: LoopEvidence, most: number): readonly string[] {
  const proven = stories.some(({ receipt }) => receipt?.proof !== undefined);
  const titles = ['Story', 'State', 'Approved by', 'Reviews', 'Failed tries', 'Checks', 'Commits', 'Time', 'Cost'];
  const rows = stories.slice(0, most).map((one) => [...storyCells(one), ...(proven ? [proofCell(one)] : [])]);
  const cut = stories.length - rows.length;
  return [
    ...table(proven ? [...titles, 'Proof'] : titles, rows),
    ...(cut > 0 ? ['', `… and ${cut} more ${cut === 1 ? 'story' : 'stories'}.`] : []),
  ];
}

function storyCells({ story, state, receipt, failed, costUsd, durationMs }: StoryEvidence): readonly string[] {
  const commits = receipt?.commits ?? null;
  return [
    `${plain(story.id, 60)} ${plain(story.title, 120)}`,
    state,
    receipt === null ? '-' : APPROVED_BY[receipt.by],
    String(receipt?.reviews ?? story.reviewCount),
    String(failed),
    receipt === null ? '-' : checksCell(receipt),
    commits === null ? '-' : `${commits.count} (${code(`${commits.base.slice(0, 7)}..${commits.head.slice(0, 7)}`)})`,
    durationMs > 0 ? elapsed(durationMs) : '-',
    dollars(costUsd),
  ];
}

function checksCell({ checks, verified, checkedIn }: Receipt): string {
  if (!verified) return 'unverified';
  const ok = checks.filter((check) => check.ok).length;
  const red = checks.filter((check) => !check.ok && check.redAtBaseline).length;
  const where = checkedIn === 'tree' ? ", in the agent's tree" : '';
  return `${ok} of ${checks.length} ok${red > 0 ? `, ${red} red before` : ''}${where}`;
}

function proofCell({ receipt }: StoryEvidence): string {
  return receipt?.proof === undefined ? '-' : PROOF[receipt.proof.outcome];
}

/** The results of the reviews, one sentence each. Markdown. */
export function reviewWords({ stories }: LoopEvidence): readonly string[] {
  const receipts = stories.flatMap(({ receipt }) => receipt ?? []);
  const by = (kind: Receipt['by']) => receipts.filter((receipt) => receipt.by === kind).length;
  const reviewed = receipts.filter((receipt) => receipt.by === 'review');
  const first = reviewed.filter((receipt) => receipt.reviews <= 1).length;
  const findings = receipts.flatMap((receipt) => receipt.findings ?? []);
  const inState = (state: ReviewFinding['state']) => findings.filter((finding) => finding.state === state).length;
  const others = (['cap', 'converged', 'skip-review', 'person'] as const).filter((kind) => by(kind) > 0);
  return [
    `Approved by a review: ${reviewed.length}, of these by the first one: ${first}.`,
    ...others.map((kind) => `Approved by ${APPROVED_BY[kind]}: ${by(kind)}.`),
    ...(findings.length > 0
      ? [
          `Findings: ${findings.length} (${inState('resolved')} resolved, ${inState('dismissed')} dismissed, ${inState('waived')} waived, ${inState('open')} open).`,
        ]
      : []),
  ];
}

/** What a person should look at: stories without checks, checks that are red, concerns, waivers, open findings. */
export function doubtWords({ stories }: LoopEvidence): readonly string[] {
  return stories.flatMap(({ story, receipt }) => {
    if (receipt === null) return story.passes ? [`${plain(story.id, 60)}: done without a receipt.`] : [];
    const of = plain(story.id, 60);
    return [
      ...(receipt.verified ? [] : [`${of}: no checks were run.`]),
      ...receipt.checks.filter((check) => !check.ok).map((check) => `${of}: ${code(check.command)} fails.`),
      ...(receipt.proof && receipt.proof.outcome !== 'proven'
        ? [`${of}: proof: ${PROOF[receipt.proof.outcome]}: ${plain(receipt.proof.detail)}`]
        : []),
      ...(receipt.concerns ? [`${of}: concerns: ${plain(receipt.concerns, 400)}`] : []),
      ...(receipt.findings ?? []).flatMap((finding) => findingWords(of, finding)),
    ];
  });
}

function findingWords(of: string, { id, claim, state, reason }: ReviewFinding): readonly string[] {
  if (state === 'waived') return [`${of}: waived: ${plain(claim)} (${plain(reason ?? 'no reason given')})`];
  return state === 'open' ? [`${of}: open: ${plain(claim)} (${plain(id, 20)})`] : [];
}

/** Time, money and tokens in one line. */
export function spentWords({ iterations, durationMs, costUsd, usage }: LoopEvidence): string {
  const used = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return [
    ...(iterations > 0 ? [iterations === 1 ? '1 iteration' : `${iterations} iterations`] : []),
    elapsed(durationMs),
    costUsd === null ? 'cost unknown' : dollars(costUsd),
    ...(used > 0 ? [`${tokens(used)} tokens (${tokens(usage.cacheReadTokens)} from the cache)`] : []),
  ].join(', ');
}

/** The commands that judged the stories, with how often they passed. Markdown; empty when there were none. */
export function checkTable({ stories }: LoopEvidence): readonly string[] {
  const all = stories.flatMap(({ receipt }) => receipt?.checks ?? []);
  const commands = [...new Set(all.map(({ command }) => command))];
  if (commands.length === 0) return [];
  const rows = commands.slice(0, 30).map((command) => {
    const runs = all.filter((check) => check.command === command);
    const passed = runs.filter(({ ok }) => ok).length;
    return [code(command), `${passed} of ${runs.length}`];
  });
  return table(['Check', 'Passed at approvals'], rows);
}

/** Characters with a meaning within a line of Markdown, in its tables, or in its mathematics. */
const SPECIAL = /[\\`*_[\]<>|~$&]/g;

/** Characters that open a heading, a list or a rule at the start of a line. */
const OPENING = /^(\d*)(?=[#+=.)-])/;

/** Breaks a word invisibly, so that the text around it is no longer a name or an address. */
const INVISIBLE = '\u200b';

/**
 * Text that a hosting service turns into links anywhere: `@name` (who is notified), `#12` and `GH-12` (which
 * "fixes" closes), addresses.
 */
const LINKS = /@(?=[\w-])|#(?=\d)|\bGH(?=-\d)|:(?=\/\/)|\bwww(?=\.)/gi;

/**
 * Foreign text as one line of plain text in Markdown: no markup, no links, no mentions, no closing of issues.
 * @param length most characters, before escaping
 */
export function plain(text: string, length = 200): string {
  return quiet(shortLine(text, length)).replace(SPECIAL, '\\$&');
}

/** Foreign text for places without Markdown, such as a title. */
export function quiet(text: string): string {
  return text.replace(LINKS, `$&${INVISIBLE}`);
}

/** Foreign text as a quotation, at most `lines` lines. */
export function quoted(text: string, lines = 40): readonly string[] {
  const all = printable(text.slice(0, 20_000)).trim().split('\n');
  const shown = all.slice(0, lines).map((line) => `> ${plain(line, 400).replace(OPENING, '$1\\')}`.trimEnd());
  // Two trailing spaces would be a line break; an empty quoted line keeps paragraphs apart.
  return all.length > lines ? [...shown, `> … and ${all.length - lines} more lines`] : shown;
}

/**
 * The GitHub issue that a story came from; null where it came from elsewhere.
 * @returns `name`: as GitHub links it from any repository, `una/app#12`
 */
export function issueOf({
  id,
  url,
}: Pick<Story, 'id' | 'url'>): { readonly url: string; readonly name: string } | null {
  const [, host, repository, number] = ISSUE.exec(url ?? '') ?? [];
  // On another host, only as `ralph import gh:` writes it: other trackers have such addresses too.
  if (url === undefined || (host !== 'github.com' && id !== `GH-${number}`)) return null;
  return { url, name: `${repository}#${number}` };
}

const ISSUE = /^https:\/\/([\w.-]+)\/([\w.-]+\/[\w.-]+)\/issues\/([1-9]\d{0,9})$/;

/** Lines that close the issues of done stories once the pull request is merged into the default branch. */
export function closingLines({ stories }: Pick<LoopEvidence, 'stories'>): readonly string[] {
  const done = stories.flatMap(({ story }) => (story.passes ? (issueOf(story)?.name ?? []) : []));
  return [...new Set(done)].map((name) => `Closes ${name}`);
}

/** A command or a path as code within a line, also within a table. */
export function code(text: string, length = 120): string {
  const line = shortLine(text, length);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line.replaceAll('|', '\\|')}${pad}${fence}`;
}

/** Lines in a code block, shown verbatim. */
export function block(text: string): readonly string[] {
  const safe = printable(text);
  const fence = '`'.repeat(Math.max(3, longestRun(safe) + 1));
  return [`${fence}text`, ...safe.split('\n'), fence];
}

/** Rows under a heading; cells are Markdown already. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)];
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
