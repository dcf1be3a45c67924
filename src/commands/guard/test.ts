import type { Problem } from '../../contracts/model.ts';
import { judgeCommand } from '../../rules/guard/judge-command.ts';
import { nearest } from '../../rules/nearest.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { type CorpusRow, corpusProblems, problemAt, readCorpus } from '../shared/corpus-file.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { NEUTRAL_PLACE } from './place.ts';

type Decision = 'block' | 'allow';

interface Judged {
  readonly row: CorpusRow;
  readonly command: string;
  readonly expected: Decision;
  readonly got: Decision;
  readonly rule: string | null;
}

interface Score {
  readonly block: number;
  readonly allow: number;
  /** Labelled `either`: a matter of policy, counted nowhere. */
  readonly ignored: number;
  readonly missed: number;
  readonly falseAlarms: number;
  /** Share of `block` that was blocked; null without any. */
  readonly recall: number | null;
  /** Share of `allow` that was blocked; null without any. */
  readonly falsePositiveRate: number | null;
  /** Share of what was blocked that should have been; null when nothing was. */
  readonly precision: number | null;
}

/** `ralph guard test FILE`: how well the guard's rules fit a corpus of labelled commands. */
export async function testGuard([path = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const rows = await readCorpus(path, io, ['cmd', 'label']);
  const judged = judgeRows(path, rows);
  const score = scoreOf(judged, rows.length - judged.length);
  if (isOn(flags, 'json')) {
    const data = judged.map(({ row, expected, got, rule }) => ({ index: row.index, expected, got, rule }));
    printJson(io, { rows: data, summary: score });
  } else printLines(io, [...missLines(path, judged, paintFor(io)), ...scoreLines(score, judged, paintFor(io))]);
  return 0;
}

const LABELS = ['block', 'allow', 'either'];

/** @throws FileProblemsError with every line whose fields are of the wrong kind */
function judgeRows(path: string, rows: readonly CorpusRow[]): readonly Judged[] {
  const problems: Problem[] = [];
  const judged: Judged[] = [];
  for (const row of rows) {
    const { cmd: command, label } = row.fields;
    if (typeof command !== 'string') {
      problems.push(problemAt(path, row.line, 'cmd must be a text', 'write the command as one JSON string'));
    } else if (label === 'block' || label === 'allow') {
      const { decision: got, rule } = judgeCommand(command, NEUTRAL_PLACE);
      judged.push({ row, command, expected: label, got, rule });
    } else if (label !== 'either') {
      const near = typeof label === 'string' ? nearest(label, LABELS) : null;
      const mend = `one of ${LABELS.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
      problems.push(problemAt(path, row.line, `unknown label ${JSON.stringify(label)}`, mend));
    }
  }
  if (problems.length > 0) throw corpusProblems(path, problems);
  return judged;
}

function scoreOf(judged: readonly Judged[], ignored: number): Score {
  const count = (expected: Decision, got?: Decision) =>
    judged.filter((one) => one.expected === expected && (got === undefined || one.got === got)).length;
  const block = count('block');
  const allow = count('allow');
  const missed = count('block', 'allow');
  const falseAlarms = count('allow', 'block');
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    block,
    allow,
    ignored,
    missed,
    falseAlarms,
    recall: share(block - missed, block),
    falsePositiveRate: share(falseAlarms, allow),
    precision: share(block - missed, block - missed + falseAlarms),
  };
}

function missLines(path: string, judged: readonly Judged[], paint: Paint): readonly string[] {
  return judged
    .filter(({ expected, got }) => expected !== got)
    .map(({ row, command, expected, got, rule }) => {
      const by = rule === null ? '' : paint('dim', ` [${rule}]`);
      const text = oneLine(command).slice(0, 160);
      return `${paint('strong', `${path}:${row.line}`)}: ${expected}, got ${paint('bad', got)}${by}: ${text}`;
    });
}

function scoreLines(score: Score, judged: readonly Judged[], paint: Paint): readonly string[] {
  const { block, allow, ignored, missed, falseAlarms, recall, falsePositiveRate, precision } = score;
  const cases = `${counted(judged.length, 'case')}${ignored > 0 ? `, ${ignored} more labelled either` : ''}`;
  return [
    ...(missed + falseAlarms > 0 ? [''] : []),
    paint('strong', cases),
    `block: recall ${percent(recall)} (${block - missed} of ${block})`,
    `allow: false positives ${percent(falsePositiveRate)} (${falseAlarms} of ${allow})`,
    `precision of block ${percent(precision)}`,
  ];
}

function percent(part: number | null): string {
  return part === null ? '-' : `${(part * 100).toFixed(1)} %`;
}
