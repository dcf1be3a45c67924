import type { Backlog, Story } from '../../contracts/index.ts';
import { type Finding, hint, type Plan, type PlanFacts, type PlanRemark, type Rule, warning } from './api.ts';
import { noCriteriaRule, storyRules, testsRule } from './criteria.ts';
import { layerOrder, missingDependencies, priorityOrder } from './order.ts';
import { quoted } from './words.ts';

/** A story with more remarks than this will be rewritten anyway. */
const MOST_PER_STORY = 4;

/** Remarks on the open stories: first on the whole plan, then story by story, warnings first, at most four each. */
export function lintPlan(backlog: Backlog, facts: PlanFacts): readonly PlanRemark[] {
  // A lone prompt is a single story without an end, not a plan.
  if (backlog.format === 'prompt') return [];
  const plan = planOf(backlog, facts);
  const bySubject = new Map<Story | null, PlanRemark[]>([null, ...plan.open].map((story) => [story, []]));
  for (const { name, check } of RULES) {
    for (const { story, ...remark } of check(plan)) {
      bySubject.get(story)?.push({ rule: name, story: story?.id ?? null, line: story?.line ?? 1, ...remark });
    }
  }
  return [...bySubject].flatMap(([story, remarks]) =>
    remarks
      .toSorted((a, b) => Number(b.severity === 'warning') - Number(a.severity === 'warning'))
      .slice(0, story === null ? remarks.length : MOST_PER_STORY),
  );
}

function planOf(backlog: Backlog, facts: PlanFacts): Plan {
  const byId = new Map(backlog.stories.map((story) => [story.id, story]));
  const known = new Map<Story, ReadonlySet<Story>>();
  const waitsFor = (story: Story, other: Story) => {
    const found = known.get(story) ?? allDependencies(story, byId);
    known.set(story, found);
    return found.has(other);
  };
  return { backlog, facts, open: backlog.stories.filter((story) => !story.passes), waitsFor };
}

/** Every story that a story depends on; iterative, because chains of dependencies may be long. */
function allDependencies(story: Story, byId: ReadonlyMap<string, Story>): ReadonlySet<Story> {
  const found = new Set<Story>();
  const todo = [story];
  for (let next = todo.pop(); next; next = todo.pop()) {
    for (const id of next.dependsOn) {
      const before = byId.get(id);
      if (!before || found.has(before)) continue;
      found.add(before);
      todo.push(before);
    }
  }
  return found;
}

/** Optional program runners before a command. */
const RUNNER = /^(?:npx |pnpm (?:exec |dlx )?|yarn |bunx? )?/.source;

/** Commands that run until they are stopped: a check that never ends is stopped by its time limit, and is red. */
const NEVER_ENDS: readonly RegExp[] = [
  /\s--watch(?:-?all)?(?=\s|=true|$)/i,
  new RegExp(`${RUNNER}(?:tsc|vitest|jest|mocha|rollup|webpack|tailwindcss|vue-tsc)\\b.*\\s-w(?=\\s|$)`),
  new RegExp(`${RUNNER}(?:vitest (?:watch|dev)|tsx watch|nodemon|cargo watch|dotnet watch|air|watchexec|entr)\\b`),
  /^(?:npm|pnpm|yarn|bun)(?: run)? (?:dev|develop|start|serve|watch|preview|storybook|(?:dev|start|test|build|serve):watch|watch:\S+|dev:\S+|start:\S+)(?=\s|$)/,
  new RegExp(`${RUNNER}(?:next|nuxt|astro|remix|vinxi|wrangler|storybook|netlify|vercel) (?:dev|start)\\b`),
  new RegExp(`${RUNNER}vite(?: (?:dev|serve|preview)\\b| --port.*|)$`),
  new RegExp(
    `${RUNNER}(?:ng|vue-cli-service|webpack|hugo|jekyll|mkdocs) serve\\b|${RUNNER}(?:webpack-dev-server|live-server|http-server|json-server|serve|expo start|gatsby develop)\\b`,
  ),
  /^(?:python3? -m http\.server|(?:\S*\s)?flask run|(?:\S+\s)?\S*manage\.py runserver|(?:bin\/)?rails (?:s|server)\b|php (?:artisan serve|-S)|(?:\S+ run )?(?:uvicorn|gunicorn|hypercorn)\b)/,
  /^(?:docker[ -]compose up(?!.*\s(?:-d|--detach|--wait|--abort-on-container-exit|--exit-code-from))|tail -[fF]|watch\s)/,
];

/** Commands that always end with 0. */
const ALWAYS_GREEN: readonly RegExp[] = [
  /^(?:true|:|exit 0|\/bin\/true|pwd|(?:echo|printf)\b[^;&|]*)$/,
  /(?:\|\||;)\s*(?:true|:|exit 0|(?:echo|printf)\b[^;&|]*)$/,
  /^\S+(?: \S+)? (?:--version|--help)$/,
];

/** What is wrong with a command as a check, if anything is known. */
function problemsOf(command: string, story: Story | null): readonly Finding[] {
  const line = command.trim().replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, '');
  if (ALWAYS_GREEN.some((pattern) => pattern.test(line))) {
    const message = `the check ${quoted(command)} is green whatever is done: it checks nothing`;
    return [warning(story, message, 'a command that fails when the work is wrong: tests, linter, build; or none')];
  }
  // In the background or with a time limit, it is intended.
  if (/^timeout\s|&$/.test(line) || !NEVER_ENDS.some((pattern) => pattern.test(line))) return [];
  const message = `the check ${quoted(command)} watches or serves: it does not end by itself, and is red once its time is up`;
  const suggestion = 'the form that runs once and ends, e.g. `vitest run`, `tsc --noEmit`, `npm run build`';
  return [warning(story, message, suggestion)];
}

/** Checks that say nothing about the work: watchers, servers, and commands that cannot fail. */
const uselessChecks: Rule = {
  name: 'checks/useless',
  check: ({ backlog, open, facts: { configured } }) => [
    ...[...new Set([...configured, ...backlog.verifyCommands])].flatMap((command) => problemsOf(command, null)),
    ...open.flatMap((story) => (story.verifyCommands ?? []).flatMap((command) => problemsOf(command, story))),
  ],
};

/** "Write tests" may occur twice in a plan; a title with this many distinctive words may not. */
const TELLING_WORDS = 3;

/** Two open stories that are the same: with the same distinctive title, or equal in every word. */
const duplicates: Rule = {
  name: 'duplicate',
  check: ({ open }) => {
    const first = new Map<string, Story>();
    return open.flatMap((story) => {
      const words = titleWords(story.title);
      const rest = words.length >= TELLING_WORDS ? '' : bodyOf(story);
      const key = `${words.join(' ')}\n${rest}`;
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, story);
        return [];
      }
      const message = `says the same as ${earlier.id} (line ${earlier.line})`;
      return [warning(story, message, 'keep one of the two, or say in the titles what sets them apart')];
    });
  },
};

/** All words, in any order: "sign in" is not "sign up". */
function titleWords(title: string): readonly string[] {
  return (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).sort();
}

function bodyOf({ description, acceptanceCriteria }: Story): string {
  return [description, ...acceptanceCriteria].join('\n').trim();
}

/** A PRD that is unchanged since `ralph init` wrote it. */
const prdRule: Rule = {
  name: 'prd/empty',
  check: ({ facts: { prd }, open }) => {
    if (prd === null || open.length === 0 || hasPrdContent(prd)) return [];
    const message = 'prd.md says nothing yet, and every iteration reads it for the constraints of all stories';
    return [
      hint(null, message, '`ralph plan` writes it with you; a summary, the goals and the constraints are enough'),
    ];
  },
};

/** Work without checks. A native file without checks is already a problem: this names those it could have. */
const checksRule: Rule = {
  name: 'checks/none',
  check: ({ backlog, open, facts: { configured, detected } }) => {
    const named =
      configured.length > 0 ||
      backlog.verifyCommands.length > 0 ||
      open.some(({ verifyCommands }) => verifyCommands !== undefined);
    if (named || open.length === 0 || (detected.length === 0 && backlog.format === 'tasks-json')) return [];
    const suggestion =
      detected.length > 0
        ? `this project's own: "verifyCommands": ${JSON.stringify(detected)}`
        : 'name the commands that must pass after every story: tests, linter, build ("verifyCommands" or the setting)';
    return [warning(null, 'no checks: the loop would have to believe that a story works', suggestion)];
  },
};

/** Placeholders of templates: `[describe …]`, `{{name}}`, `TBD`, an empty bullet. A longer bracket is real text. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\[[^\]\n]{0,500}\](?!\()/g,
  /\{\{?[^}\n]{0,500}\}\}?/g,
  /\b(?:tbd|todo|n\/a)\b/gi,
];

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^ {0,3}#{1,6}(?:[ \t].*)?$/gm;
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/** Whether a PRD has a word besides front matter, comments, headings and placeholders. */
export function hasPrdContent(text: string): boolean {
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(FRONT_MATTER, '')
    .replace(COMMENT, '')
    .replace(HEADING, '');
  return /[\p{L}\p{N}]/u.test(PLACEHOLDERS.reduce((rest, placeholder) => rest.replace(placeholder, ''), bare));
}

// At the end, because the table refers to the rules above.
const RULES: readonly Rule[] = [
  ...storyRules,
  prdRule,
  checksRule,
  uselessChecks,
  noCriteriaRule,
  testsRule,
  layerOrder,
  priorityOrder,
  missingDependencies,
  duplicates,
];
