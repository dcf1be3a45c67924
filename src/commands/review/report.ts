import type { ReviewFinding } from '../../contracts/index.ts';
import { counted, oneLine, safeLines } from '../../rules/text/index.ts';
import type { Paint } from '../../surfaces/terminal/index.ts';
import { version } from '../../version.ts';

type Severity = 'error' | 'warning' | 'note';

/** What a review found, for every format. */
export interface ReviewReport {
  /** Null: there was none, and `why` says so. */
  readonly verdict: 'approved' | 'changes-requested' | null;
  readonly why: string;
  readonly target: string;
  readonly base: string;
  readonly head: string;
  /** The agents that reviewed. */
  readonly reviewers: readonly string[];
  readonly findings: readonly Point[];
  /** What the reviewers of an approval say. */
  readonly notes: string;
  /** Commits that fix findings, oldest first. */
  readonly fixes: readonly { readonly commit: string; readonly subject: string }[];
  readonly costUsd: number | null;
}

/** A finding as people and programs look for it. */
interface Point {
  readonly id: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly severity: Severity;
  readonly text: string;
  readonly by: readonly string[];
}

const WORDS: readonly (readonly [Severity, string])[] = [
  ['error', 'critical|blocker|major|severe|high|must[- ]fix|error|bug|p[01]'],
  ['warning', 'medium|moderate|warning|p2'],
  ['note', 'minor|low|nit|note|info|suggestion|p[34]'],
];

/** Reads severity and line from a finding's words: `**Minor**: src/a.ts:12: …`. Without a word it is a warning. */
export function pointOf({ id, file, claim, by }: ReviewFinding, reviewers: readonly string[]): Point {
  let text = claim.trim();
  let severity: Severity = 'warning';
  for (const [name, words] of WORDS) {
    const label = new RegExp(`^[\\s*_[(]*(?:${words})[\\s*_\\])]*[:–—-][\\s*_]*`, 'iu').exec(text)?.[0];
    if (label === undefined) continue;
    severity = name;
    text = text.slice(label.length);
    break;
  }
  const at = file === null ? -1 : text.indexOf(file);
  const after = at < 0 ? '' : text.slice(at + (file?.length ?? 0));
  const line = Number(/^(?::|#L?|\W{0,3}\b(?:at )?lines? )(\d{1,7})/.exec(after)?.[1] ?? 0) || null;
  // The place has a column of its own.
  const place = at === 0 ? /^(?::\d+(?:[-:]\d+)*)?\s*(?:[:–—-]\s+|$)/.exec(after)?.[0] : undefined;
  const rest = place === undefined ? text : after.slice(place.length);
  return { id, file, line, severity, text: rest === '' ? text : rest, by: by ?? reviewers };
}

export function textReport(report: ReviewReport, paint: Paint): string {
  const { verdict, why, target, reviewers, findings, notes, fixes } = report;
  const isPanel = reviewers.length > 1;
  const lines = findings.flatMap(({ file, line, severity, text, by }, i) => [
    `${`${i + 1}.`.padEnd(3)} ${paint(TONE[severity], severity)}${file === null ? '' : `  ${oneLine(file)}${line === null ? '' : `:${line}`}`}`,
    ...safeLines(text).map((part) => `    ${part}`),
    ...(isPanel ? [paint('dim', `    found by ${by.join(', ')}`)] : []),
    '',
  ]);
  const who = reviewers.length === 0 ? '' : ` (${reviewers.join(', ')})`;
  const end =
    verdict === 'approved'
      ? `${paint('good', 'approved')}: ${oneLine(target)}${who}`
      : verdict === null
        ? `${paint('bad', 'no verdict')}: ${oneLine(target)}: ${oneLine(why)}`
        : `${paint('bad', 'changes requested')}: ${oneLine(target)}: ${counted(findings.length, 'finding')}${who}`;
  return [
    ...fixes.map(({ commit, subject }) => `fixed in ${commit.slice(0, 12)} ${oneLine(subject)}`),
    ...(fixes.length > 0 ? [''] : []),
    ...lines,
    ...(verdict === 'approved' && notes.trim() !== '' ? [...safeLines(notes.trim()), ''] : []),
    end,
    '',
  ].join('\n');
}

const TONE = { error: 'bad', warning: 'warn', note: 'dim' } as const;

export function jsonReport(report: ReviewReport): string {
  return `${JSON.stringify({ version: 1, ...report }, null, 2)}\n`;
}

/** SARIF 2.1.0, as code hosts show it beside the lines of a change. */
export function sarifReport({ findings, verdict, why, head }: ReviewReport): string {
  const results = findings.map(({ id, file, line, severity, text, by }) => ({
    ruleId: 'review',
    level: severity,
    message: { text: by.length > 1 ? `${text} (found by ${by.join(', ')})` : text },
    ...(file === null
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
                region: { startLine: line ?? 1 },
              },
            },
          ],
        }),
    partialFingerprints: { 'ralph/v1': id },
  }));
  const failed = { level: 'error', message: { text: why } };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'ralph', version, rules: [RULE] } },
        invocations: [
          {
            executionSuccessful: verdict !== null,
            ...(verdict === null ? { toolExecutionNotifications: [failed] } : {}),
          },
        ],
        properties: { head },
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const RULE = { id: 'review', shortDescription: { text: 'Finding of a code review' } };
