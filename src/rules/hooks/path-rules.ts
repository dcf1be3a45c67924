import { isInOtherTree } from '../guard/other-trees.ts';
import { isSecretPath } from '../guard/rules/matching/secrets.ts';
import { shortLine } from '../printable.ts';
import type { HookContext, HookEvent, RunFacts } from './api.ts';
import { guardContext, isProtected } from './guard-context.ts';
import { isBelow, type Target } from './target.ts';

/** Why a tool call is refused. */
export interface Denial {
  /** Id of the rule, e.g. `path/protected`. */
  readonly rule: string;
  /** One sentence. */
  readonly reason: string;
  /** What to do instead, one sentence. */
  readonly alternative: string;
  /** The command or path. */
  readonly subject: string;
}

/** What a rule may look at. */
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
  /** `name` is the file as it is shown. */
  readonly reason: (name: string) => string;
  readonly alternative: (name: string) => string;
}

/** With it an agent could steer its own run. It lies below XDG_STATE_HOME, wherever that is. */
const OPERATOR_TOKEN = /\/ralph\/control\/[^/]+\.json$/;

/** In this order; the first that is broken speaks. */
const RULES: readonly PathRule[] = [
  {
    // Before what is outside: a whole project may lie in a temporary folder.
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
    reason: (name) => `${name} is outside the work tree, and this run may change nothing else.`,
    alternative: () => 'Write inside the work tree, or into the temporary folder if it is to be thrown away.',
  },
  {
    id: 'path/secret',
    holdsFor: ['read', 'search'],
    broken: ({ target, event, context }) =>
      OPERATOR_TOKEN.test(target.path) || isSecretPath(target.path, guardContext(event, context)),
    reason: (name) => `${name} holds keys, tokens or passwords, which no story needs.`,
    alternative: () => 'Use a made-up value, or report a blocker that says which access is missing.',
  },
  {
    id: 'path/protected',
    holdsFor: ['write'],
    broken: ({ target, run }) => target.relative !== null && isProtected(target.relative, run),
    reason: (name) => `${name} is read-only for agents, and a change of it would be put back.`,
    alternative: () => 'Note in the progress log what should change, and leave it to a person.',
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
    reason: (name) => `${name} exists and was not read in this session, so that this would overwrite unseen work.`,
    alternative: (name) => `Read ${name} first, then repeat the change.`,
  },
];

/** The first rule that using a file this way would break; null when it may be used. */
export function judgePath(kind: 'read' | 'search' | 'write', look: Look): Denial | null {
  const rule = RULES.find(({ holdsFor, broken }) => holdsFor.includes(kind) && broken(look));
  if (rule === undefined) return null;
  const name = shortLine(look.target.relative || look.target.path);
  return { rule: rule.id, reason: rule.reason(name), alternative: rule.alternative(name), subject: name };
}

/** Files that are thrown away, and the client's own notes for the session: outside the work tree and yet the agent's. */
function isScratch({ target: { path }, event, context: { temp, home, paths } }: Look): boolean {
  // A home folder that lies in a temporary folder is a home all the same.
  const isTemp = (folder: string) => isBelow(path, folder) && !(isBelow(home, folder) && isBelow(path, home));
  return temp.some(isTemp) || notesFolders(event).some((folder) => isBelow(path, paths.resolve(folder, '/')));
}

/** From `<config>/projects/<project>/<session>.jsonl`: the project's memory, and plans. */
function notesFolders({ transcript }: HookEvent): readonly string[] {
  const [, config, project] = /^(\/.+)\/projects\/([^/]+)\/[^/]+\.jsonl$/.exec(transcript) ?? [];
  return config === undefined ? [] : [`${config}/projects/${project}/memory`, `${config}/plans`];
}
