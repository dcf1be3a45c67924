import { homedir, tmpdir } from 'node:os';
import { type Config, type Problem, UsageError } from '../contracts/index.ts';
import {
  type ExplainedCommand,
  type Explanation,
  explainCommand,
  type GuardContext,
  type GuardProfile,
  judgeCommand,
} from '../rules/guard/index.ts';
import { counted, oneLine } from '../rules/text/index.ts';
import { isProtectedPath, type SpecPaths } from '../rules/trust/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import { type CorpusRow, corpusProblems, labelProblem, percent, problemAt, readCorpus } from './shared/corpus-file.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configOf, openProject, withPluginFiles, workspaceIn } from './shared/open.ts';
import { printResult } from './shared/print.ts';

/** `ralph guard explain`: how the guard parses a command, and its decision. */
export async function explainGuard([command = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (command.trim() === '') {
    throw new UsageError({ what: 'there is no command to explain', fix: ["ralph guard explain 'rm -rf build'"] });
  }
  const place = await placeHere(isOn(flags, 'interactive') ? 'interactive' : 'run', flags, io);
  const explanation = explainCommand(command, place);
  return printResult(
    io,
    flags,
    { command, profile: place.profile, ...explanation },
    explanationLines(explanation, place, paintFor(io)),
  );
}

function explanationLines(
  { judgement, commands }: Explanation,
  { cwd }: GuardContext,
  paint: Paint,
): readonly string[] {
  const { decision, rule, reason, alternative, evidence, unresolved } = judgement;
  const decided =
    decision === 'block'
      ? [
          `${paint('bad', 'block')}   ${rule}`,
          `        ${paint('dim', 'why')}      ${reason}`,
          `        ${paint('dim', 'instead')}  ${alternative}`,
          `        ${paint('dim', 'about')}    ${oneLine(evidence)}`,
        ]
      : [paint('good', 'allow')];
  const parsed = commands.length === 0 ? [] : ['', paint('strong', 'Understood as')];
  const open =
    unresolved.length === 0
      ? []
      : ['', paint('strong', 'Not resolved'), ...unresolved.map((text) => `  ${oneLine(text)}`)];
  return [...decided, ...parsed, ...commands.map((simple) => commandLine(simple, cwd, paint)), ...open];
}

function commandLine({ name, args, via, cwd, known }: ExplainedCommand, here: string, paint: Paint): string {
  const words = [name === '' ? '?' : name, ...args].map((word) =>
    /[\s"'\\]|^$/.test(word) ? JSON.stringify(word) : word,
  );
  const facts = [
    ...(via.length > 0 ? [`behind ${via.join(', ')}`] : []),
    ...(cwd === here ? [] : [cwd === null ? 'in an unknown folder' : `in ${cwd}`]),
    ...(known ? [] : ['partly unknown']),
  ];
  return `  ${oneLine(words.join(' '))}${facts.length > 0 ? paint('dim', `  (${facts.join('; ')})`) : ''}`;
}

type Decision = 'block' | 'allow';

interface Judged {
  readonly row: CorpusRow;
  readonly command: string;
  readonly expected: Decision;
  readonly got: Decision;
  readonly rule: string | null;
}

/** `ralph guard test FILE`: how well the guard's rules fit a corpus of labelled commands. */
export async function testGuard([path = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const rows = await readCorpus(path, io, ['cmd', 'label']);
  const judged = judgeRows(path, rows);
  const score = scoreOf(judged, rows.length - judged.length);
  const data = judged.map(({ row, expected, got, rule }) => ({ index: row.index, expected, got, rule }));
  const paint = paintFor(io);
  return printResult(io, flags, { rows: data, summary: score }, [
    ...missLines(path, judged, paint),
    ...scoreLines(score, judged, paint),
  ]);
}

const LABELS = ['block', 'allow', 'either'];

/** @throws FileProblemsError with every line whose fields are of the wrong kind */
function judgeRows(path: string, rows: readonly CorpusRow[]): readonly Judged[] {
  const problems: Problem[] = [];
  const judged: Judged[] = [];
  for (const row of rows) {
    const { cmd: command, label } = row.fields;
    if (typeof command !== 'string') {
      problems.push(problemAt(path, row.line, 'cmd must be a string', 'write the command as one JSON string'));
    } else if (label === 'block' || label === 'allow') {
      const { decision: got, rule } = judgeCommand(command, NEUTRAL_PLACE);
      judged.push({ row, command, expected: label, got, rule });
    } else if (label !== 'either') {
      problems.push(labelProblem(path, row, LABELS));
    }
  }
  if (problems.length > 0) throw corpusProblems(path, problems);
  return judged;
}

/** @param ignored labelled `either`: a matter of policy, not counted. A share of nothing is null. */
function scoreOf(judged: readonly Judged[], ignored: number) {
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

function scoreLines(score: ReturnType<typeof scoreOf>, judged: readonly Judged[], paint: Paint): readonly string[] {
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

const USUAL_PATHS: SpecPaths = {
  specDir: 'ralph',
  backlog: { path: 'ralph/tasks.json' },
  progressPath: 'ralph/progress.txt',
  prdPath: 'ralph/prd.md',
  promptPath: 'ralph/prompt.md',
  reviewsPath: 'ralph/reviews.json',
};

/**
 * Where commands of a corpus run: a neutral project, so that the result depends on the file alone, wherever the command
 * is typed. The working folder is the root of a git work tree; home is elsewhere.
 */
const NEUTRAL_PLACE: GuardContext = {
  profile: 'run',
  cwd: '/home/dev/project',
  root: '/home/dev/project',
  home: '/home/dev',
  temp: ['/tmp', '/var/tmp'],
  isProtected: (path) => isProtectedPath(USUAL_PATHS, path),
  user: { allow: [], deny: [] },
};

/**
 * Where a command typed here would run: this repository with its own rules; outside a repository, the current folder.
 */
async function placeHere(profile: GuardProfile, flags: RawFlags, io: Io): Promise<GuardContext> {
  const { root, spec, user } = await projectHere(flags, io);
  return {
    profile,
    cwd: io.cwd,
    root,
    home: io.env['HOME'] ?? homedir(),
    temp: [...new Set([tmpdir(), '/tmp'])],
    isProtected: (path) => isProtectedPath(spec, path),
    user,
  };
}

async function projectHere(
  flags: RawFlags,
  io: Io,
): Promise<{ readonly root: string; readonly spec: SpecPaths; readonly user: Config['guard'] }> {
  const none = { allow: [], deny: [] };
  const git = await openProject(flags, io).catch(() => null);
  if (git === null) return { root: io.cwd, spec: USUAL_PATHS, user: none };
  const spec = await workspaceIn(git, flags, io).catch(() => USUAL_PATHS);
  const { config } = await configOf(git, io);
  const { hostFiles = [] } = await withPluginFiles({ ...spec, root: git.repo.root }, config);
  return { root: git.repo.root, spec: { ...spec, hostFiles }, user: config.guard };
}
