import { listIssues, MOST_ISSUES } from '../../adapters/github/index.ts';
import { type Problem, UsageError } from '../../contracts/index.ts';
import { type Fields, isFields } from '../../rules/backlog/index.ts';
import {
  appendStories,
  backlogProblems,
  type ForeignIssue,
  type IssueSource,
  type IssueStory,
  idOf,
  issueStories,
  linkWaiting,
} from '../../rules/import/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { openProject } from '../shared/open.ts';
import { atTarget } from './backlog.ts';
import { type Imported, type ImportRequest, refuse } from './outcome.ts';
import { branchFor, type ImportTarget, writeImport } from './target.ts';

/** Imports open issues of GitHub as stories. */
export async function importIssues(request: ImportRequest, source: IssueSource): Promise<Imported> {
  const { io } = request;
  // Outside a repository gh still resolves a named repository.
  const cwd = source.repository === null ? (await openProject(request.flags, io)).repo.root : io.cwd;
  const issues = await toldAbout(io, () => listIssues(source, { cwd, env: io.env }));
  const closed = issues.find(({ isOpen }) => !isOpen);
  if (closed !== undefined) {
    throw new UsageError({
      what: `${request.source}: it is closed`,
      why: 'only open issues become stories',
      fix: ['reopen it, or name an open one'],
    });
  }
  if (issues.length === 0) {
    throw new UsageError({
      what: `${request.source}: no open issues found`,
      fix: ['correct the label or the repository'],
    });
  }
  const isCut = issues.length >= MOST_ISSUES;
  return addIssues(
    request,
    issues.map((issue) => ({ ...issue, id: idOf(issue.number) })),
    { format: 'github', isCut },
  );
}

/** Adds issues as stories. Those imported before stay unchanged. */
export async function addIssues(
  request: ImportRequest,
  issues: readonly ForeignIssue[],
  { format, isCut }: { readonly format: 'github' | 'plugin'; readonly isCut: boolean },
): Promise<Imported> {
  const all = issueStories(issues, new Set());
  const report = reportOf(format, isCut, all);
  if (request.dryRun) {
    const alone = appendStories(emptyBacklog({ project: 'project', branchName: 'ralph/project' }), all);
    refuseIssues(request.source, backlogProblems(alone, request.source));
    return { ...report, written: [], backups: [] };
  }
  return atTarget(request, async (target) => {
    const { text, known } = backlogOf(target, request.force);
    const fresh = issues.filter(({ id }) => !known.has(id));
    const added = fresh.length;
    if (added === 0) return { ...report, added, written: [], backups: [] };
    const before = backlogProblems(text, target.tasksPath);
    if (known.size > 0 && before.length > 0) refuse(target.tasksPath, before);
    const ids = fresh.map(({ id }) => id);
    const merged = linkWaiting(appendStories(text, issueStories(fresh, known)), ids);
    refuseIssues(request.source, backlogProblems(merged, target.tasksPath));
    // The merged file includes the earlier stories, so nothing needs to be kept beside it.
    const files = { tasks: merged, prose: [], beside: {} };
    const made = await writeImport({ ...target, inUse: null }, files, {
      force: true,
      repair: false,
      source: null,
    });
    return { ...report, added, ...made };
  });
}

/** After this long a person wonders what is happening. */
const PATIENCE_MS = 2000;

async function toldAbout<T>({ stderr }: Io, task: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => stderr.write('waiting for gh to ask GitHub (at most 30 s)\n'), PATIENCE_MS);
  try {
    return await task();
  } finally {
    clearTimeout(timer);
  }
}

/** Problems of the stories are problems of the issues: there is no file yet whose lines could be named. */
function refuseIssues(source: string, problems: readonly Problem[]): void {
  const messages = problems.map(({ message }) =>
    message.replace(/\bGH-(\d+)\b/g, '#$1').replace(/^stories /, 'issues '),
  );
  if (messages.length === 0) return;
  throw new UsageError({
    what: `${source} cannot be imported: ${messages[0]}`,
    why: [...messages.slice(1, 6), 'nothing was written'].join('\n'),
    fix: ['edit these issues on GitHub', 'or leave one out: remove its label'],
  });
}

/** The native backlog that the issues join. @throws UsageError for one of another form */
function backlogOf(
  target: ImportTarget,
  force: boolean,
): { readonly text: string; readonly known: ReadonlySet<string> } {
  const { text, inUse, tasksPath } = target;
  const value: unknown = text === null ? null : JSON.parse(text);
  const stories = isFields(value) ? value['userStories'] : null;
  if (text !== null && Array.isArray(stories)) {
    return { text, known: new Set(stories.filter(isFields).map((story) => String(story['id']))) };
  }
  if (inUse !== null && !(force && inUse !== tasksPath)) {
    throw new UsageError({
      what: `${inUse} is not in ralph's own format`,
      why: 'issues are added to the stories of a tasks.json',
      fix: [`convert it first: ralph import ${shellWord(inUse)}`, 'put the issues into another folder: --prd 2'],
    });
  }
  const { schema, project, verifyCommands } = target;
  const top = { ...(schema === null ? {} : { $schema: schema }), project, branchName: branchFor(target, null) };
  return { text: emptyBacklog({ ...top, description: '', verifyCommands }), known: new Set() };
}

function emptyBacklog(top: Fields): string {
  return `${JSON.stringify({ ...top, userStories: [] }, null, 2)}\n`;
}

function reportOf(
  format: Imported['format'],
  isCut: boolean,
  stories: readonly IssueStory[],
): Omit<Imported, 'written' | 'backups'> {
  const state = 'to do';
  const items = stories.map(
    ({ id, title, priority, dependsOn }) => ({ id, title, state, priority, dependsOn }) as const,
  );
  const bare = stories.filter(({ acceptanceCriteria: [first], title }) => first === title).map(({ id }) => id);
  const warnings = ['anyone who can edit these issues can instruct the agent: read them before a run'];
  if (isCut) {
    warnings.unshift(
      `gh returned ${MOST_ISSUES} issues, its maximum; there may be more: import by label, gh:OWNER/REPO#LABEL`,
    );
  }
  if (bare.length > 0) {
    const ids = `${bare.slice(0, 5).join(', ')}${bare.length > 5 ? ' …' : ''}`;
    warnings.push(`no check boxes: ${ids}; the title is used as the criterion`);
  }
  return { file: null, stories: stories.length, done: 0, format, warnings, shape: 'issues', items };
}
