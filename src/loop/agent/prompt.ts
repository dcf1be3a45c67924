import { once, readTemplate } from '../../adapters/workspace/index.ts';
import {
  FileProblemsError,
  type LedgerIteration,
  type LedgerLine,
  type Mode,
  type Problem,
  type Story,
  type TamperFinding,
} from '../../contracts/index.ts';
import { readInside } from '../../platform/index.ts';
import { type BacklogDocument, decodeText } from '../../rules/backlog/index.ts';
import { checkCommands, findingsOf } from '../../rules/judge/index.ts';
import { learnedRules, type Prompt, promptVariables, renderPrompt } from '../../rules/prompt/index.ts';
import {
  answersFor,
  breakerOf,
  everWorkedOn,
  isIgnored,
  lastFailure,
  lastViolations,
  linesOf,
} from '../../rules/safeguards/index.ts';
import type { RunContext } from '../context.ts';
import type { RunRequest } from '../ports.ts';

/** The part of a run that a prompt depends on; a dry run has only this. */
type PromptContext = Pick<RunContext, 'config' | 'workspace' | 'git' | 'clock'> & {
  readonly ledger: readonly LedgerLine[];
  readonly request?: Pick<RunRequest, 'change'>;
};

/**
 * The prompt of an iteration, from the project's template or the built-in one.
 * @throws FileProblemsError when the template names an unknown placeholder
 */
export async function iterationPrompt(
  context: PromptContext,
  {
    iteration,
    mode,
    story,
    document,
    notes = [],
    maxIterations,
  }: {
    readonly iteration: number;
    readonly mode: Mode;
    readonly story: Story;
    readonly document: BacklogDocument;
    /** What people want the agent to know, shown once. */
    readonly notes?: readonly { readonly text: string }[];
    /** Possibly changed by a person; default: as configured. */
    readonly maxIterations?: number;
  },
): Promise<Prompt> {
  const { config, workspace, git, clock, ledger } = context;
  const { root } = git.repo;
  const template = await once(root, workspace.promptPath, () => templateText(root, workspace.promptPath));
  const base = context.request?.change?.base;
  const range = base === undefined ? await git.storyRange(story.safeId) : { base, head: 'HEAD' };
  const variables = promptVariables({
    story,
    mode,
    format: document.format,
    skipReview: config.skipReview,
    keepsCommits: config.commits === 'keep',
    reviewCap: config.reviewCap,
    iteration,
    maxIterations: maxIterations ?? config.maxIterations,
    projectName: document.backlog.project ?? workspace.name,
    planPath: document.file,
    progressPath: workspace.progressPath,
    prdPath: workspace.prdPath,
    prdNumber: workspace.prdNumber,
    checks: checkCommands(config, document.backlog, story),
    reviewRange: range && `${range.base}..${range.head}`,
    unchanged: everWorkedOn(ledger, story.id)
      ? null
      : (lastLine(linesOf(ledger, story.id), (line) => line.stateChanged)?.alreadyDone ?? []),
    findings: findingsOf(document, story),
    proof: lastLine(linesOf(ledger, story.id), (line) => line.proof !== undefined)?.proof?.result ?? null,
    failure: lastFailure(ledger, story.id),
    violations: lastViolations(ledger, story.id),
    tampering: mode === 'review' ? await tamperingFor(context) : [],
    warnings: warningsOf(ledger, config),
    learnedRules: learnedRules(ledger),
    steer: notes.map(({ text }) => text),
    answers: answersFor(ledger, story.id),
    now: clock.now(),
  });
  const rendered = renderPrompt(template ?? (await readTemplate('prompt.md')), variables, workspace.promptPath);
  if ('text' in rendered) return rendered;
  throw new FileProblemsError(
    { what: `the prompt template ${workspace.promptPath} cannot be used` },
    rendered.problems,
  );
}

const MOST_TEMPLATE_BYTES = 16 * 1024 * 1024;

/**
 * The project's template; null when it has none.
 * @throws FileProblemsError when it is not text, or not the project's own: then it must not reach an agent as
 * instructions.
 */
async function templateText(root: string, file: string): Promise<string | null> {
  const found = await readInside(root, file, MOST_TEMPLATE_BYTES);
  if (found.bytes === null && found.why === null) return null;
  const decoded = found.bytes === null ? { problem: unreadable(file, found.why) } : decodeText(found.bytes, file);
  if ('text' in decoded) return decoded.text;
  throw new FileProblemsError({ what: `the prompt template ${file} cannot be used` }, [decoded.problem]);
}

function unreadable(file: string, why: string | null): Problem {
  const fix = 'replace it with a plain text file of the project, or remove it to use the built-in one';
  return { severity: 'error', rule: 'file/missing', file, line: 1, message: `the file ${why}`, fix };
}

/** The state of the whole run, as far as the next agent can do something about it. */
function warningsOf(ledger: readonly LedgerLine[], config: PromptContext['config']): readonly string[] {
  const { state, reason } = breakerOf(ledger, config.circuit);
  const last = lastLine(ledger, ({ verdict }) => !isIgnored(verdict));
  const left = last?.falseCompletion ?? 0;
  return [
    ...(state === 'closed'
      ? []
      : [`The loop is about to give up: ${reason}. Find out why before you try the same thing again.`]),
    ...(left === 0
      ? []
      : [
          `The last iteration said that everything is complete. It is not: ${left === 1 ? 'one story is' : `${left} stories are`} left. Work on the story above; only the loop decides what is complete.`,
        ]),
    ...(last?.pluginNotes ?? []).map((note) => note.replace(/\s+/g, ' ')),
  ];
}

/** Loaded late: only reviews need it. */
async function tamperingFor({ git, ledger, workspace }: PromptContext): Promise<readonly TamperFinding[]> {
  const { tamperingUnderReview } = await import('../evidence/tampering.ts');
  return tamperingUnderReview({ git, ledger, workspace }, 'HEAD');
}

function lastLine(
  ledger: readonly LedgerLine[],
  fits: (line: LedgerIteration) => boolean,
): LedgerIteration | undefined {
  return ledger.findLast((line): line is LedgerIteration => line.kind === 'iteration' && fits(line));
}
