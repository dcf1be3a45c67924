import { type GuardContext, isInOtherTree, isSecretPath, judgeCommand } from '../guard/index.ts';
import { shortLine } from '../text/index.ts';
import type { HookContext, HookEffect, HookEvent, RunFacts } from './api.ts';
import { eventEffect, NOTHING, type Step, type StepResult } from './steps.ts';
import { toolUse } from './wire.ts';

/** Refuses forbidden uses of a file (in a run) and commands that the guard blocks (always). */
export const preToolUse: Step = (event, context) => {
  const use = toolUse(event);
  if (use.kind === 'shell') return judgeShell(use.command, event, context);
  if (use.kind === 'other' || use.path === '' || context.run === null) return NOTHING;
  const denial = judgePath(use.kind, {
    target: targetOf(use.path, event, context),
    event,
    context,
    run: context.run,
  });
  return denial === null ? NOTHING : deny(event, denial);
};

function judgeShell(command: string, event: HookEvent, context: HookContext): StepResult {
  const judgement = judgeCommand(command, guardContext(event, context));
  if (judgement.decision === 'allow') return { effects: unresolvedNotice(judgement.unresolved) };
  const { rule, reason, alternative, evidence } = judgement;
  const subject = evidence || command;
  return deny(event, { rule: rule ?? 'guard', reason, alternative, subject }, `\`${shortLine(subject)}\`: `);
}

/** @param about prefix for a reason that does not name its subject, such as one command of a long line */
function deny(event: HookEvent, { rule, reason, alternative, subject }: Denial, about = ''): StepResult {
  return {
    answer: { kind: 'deny', text: `${about}${reason} ${alternative} (ralph: ${rule})` },
    effects: [eventEffect({ type: 'denied', tool: event.tool, rule, reason, subject: shortLine(subject) })],
  };
}

/** Records what the guard could not resolve and let through. */
function unresolvedNotice(unresolved: readonly string[]): readonly HookEffect[] {
  if (unresolved.length === 0) return [];
  return [eventEffect({ type: 'unresolved', parts: unresolved.map((part) => shortLine(part)) })];
}

interface Denial {
  /** Id of the rule, e.g. `path/protected`. */
  readonly rule: string;
  /** One sentence. */
  readonly reason: string;
  /** What to do instead, one sentence. */
  readonly alternative: string;
  readonly subject: string;
}

interface Look {
  readonly target: Target;
  readonly event: HookEvent;
  readonly context: HookContext;
  readonly run: RunFacts;
}

interface PathRule {
  readonly id: string;
  readonly holdsFor: readonly ('read' | 'search' | 'write')[];
  readonly broken: (look: Look) => boolean;
  /** `name` is the file's display name. */
  readonly reason: (name: string) => string;
  readonly alternative: (name: string) => string;
}

/** By precedence: the first rule that is broken gives the reason. */
const RULES: readonly PathRule[] = [
  {
    // Before `outside`: a whole project may be in a temporary folder.
    id: 'path/stream',
    holdsFor: ['write'],
    broken: ({ target, context }) => isInOtherTree(target.path, context.root),
    reason: (name) => `${name} is in the work tree of another stream, or of the project that this stream belongs to.`,
    alternative: () => 'Write in your own work tree; reading others is fine.',
  },
  {
    id: 'path/outside',
    holdsFor: ['write'],
    broken: (look) => look.target.relative === null && !isScratch(look),
    reason: (name) => `${name} is outside the work tree, and a run may not change anything there.`,
    alternative: () => 'Write inside the work tree, or into a temporary folder.',
  },
  {
    id: 'path/secret',
    holdsFor: ['read', 'search'],
    broken: ({ target, event, context }) => isSecretPath(target.path, guardContext(event, context)),
    reason: (name) => `${name} holds keys, tokens or passwords, which no story needs.`,
    alternative: () => 'Use a made-up value, or report a blocker that says which access is missing.',
  },
  {
    id: 'path/protected',
    holdsFor: ['write'],
    broken: ({ target, run }) => target.relative !== null && isProtected(target.relative, run),
    reason: (name) => `${name} is read-only for agents; a change would be undone.`,
    alternative: () => 'Note in the progress log what should change, and leave it to the user.',
  },
  {
    id: 'review/read-only',
    holdsFor: ['write'],
    broken: ({ target, run }) =>
      run.mode === 'review' && target.relative !== null && !run.loopFiles.includes(target.relative),
    reason: (name) => `This is a review, which changes no code: ${name} stays as it is.`,
    alternative: () => 'Describe the fault in the review feedback and request changes with submit_review.',
  },
  {
    id: 'path/unread',
    holdsFor: ['write'],
    broken: ({ target, context }) => !context.session.read.has(target.path) && context.paths.exists(target.path),
    reason: (name) => `${name} exists and was not read in this session: this might overwrite work you have not seen.`,
    alternative: (name) => `Read ${name} first, then repeat the change.`,
  },
];

/** The first rule that using a file this way would break; null when the use is allowed. */
function judgePath(kind: 'read' | 'search' | 'write', look: Look): Denial | null {
  const rule = RULES.find(({ holdsFor, broken }) => holdsFor.includes(kind) && broken(look));
  if (rule === undefined) return null;
  const name = shortLine(look.target.relative || look.target.path);
  return { rule: rule.id, reason: rule.reason(name), alternative: rule.alternative(name), subject: name };
}

/** Temporary files, and the client's own notes for the session: outside the work tree, but the agent's. */
function isScratch({ target: { path }, event, context: { temp, home, paths } }: Look): boolean {
  // A home folder inside a temporary folder is still a home folder.
  const isTemp = (folder: string) => isBelow(path, folder) && !(isBelow(home, folder) && isBelow(path, home));
  return temp.some(isTemp) || notesFolders(event).some((folder) => isBelow(path, paths.resolve(folder, '/')));
}

/** From `<config>/projects/<project>/<session>.jsonl`: the project's memory, and plans. */
function notesFolders({ transcript }: HookEvent): readonly string[] {
  const [, config, project] = /^(\/.+)\/projects\/([^/]+)\/[^/]+\.jsonl$/.exec(transcript) ?? [];
  return config === undefined ? [] : [`${config}/projects/${project}/memory`, `${config}/plans`];
}

function guardContext(event: HookEvent, context: HookContext): GuardContext {
  const { profile, root, home, temp, paths, run, guard } = context;
  return {
    profile,
    cwd: paths.resolve('.', event.cwd || root),
    root,
    home,
    temp,
    isProtected: (path) => run !== null && isProtected(path, run),
    ...(run?.hostFiles ? { hostFiles: run.hostFiles } : {}),
    user: guard,
  };
}

/**
 * Whether settle would restore a file. The lower-case path is checked too: on a case-insensitive file system another
 * spelling is the same file, even one that does not exist yet.
 */
function isProtected(relative: string, run: RunFacts): boolean {
  return run.isProtected(relative) || run.isProtected(relative.toLowerCase());
}

interface Target {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** Relative to the work tree; null outside. */
  readonly relative: string | null;
}

/** The file that a path means, after resolving the folder of the agent's shell and links. */
export function targetOf(asked: string, event: HookEvent, context: HookContext): Target {
  const { root, home, paths } = context;
  const full = /^~(?=\/|$)/.test(asked) ? home + asked.slice(1) : asked;
  const path = paths.resolve(full, event.cwd || root);
  return { path, relative: path === root ? '' : isBelow(path, root) ? path.slice(root.length + 1) : null };
}

/** Whether a path lies in a folder, at any depth. Both absolute. */
function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
