import type { PlanRule, Remark } from './api.ts';
import { quoted } from './words.ts';

/** Runners that only look on while they are asked to. */
const RUNNER = /^(?:npx |pnpm (?:exec |dlx )?|yarn |bunx? )?/.source;

/** Commands that go on until somebody ends them: a check that never ends is ended by its time limit, and red. */
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

/** Commands that end with 0 whatever the agent did. */
const ALWAYS_GREEN: readonly RegExp[] = [
  /^(?:true|:|exit 0|\/bin\/true|pwd|(?:echo|printf)\b[^;&|]*)$/,
  /(?:\|\||;)\s*(?:true|:|exit 0|(?:echo|printf)\b[^;&|]*)$/,
  /^\S+(?: \S+)? (?:--version|--help)$/,
];

/** What a command does that a check must not, and what to write instead; null when nothing is known against it. */
function problemOf(command: string): Remark | null {
  const line = command.trim().replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, '');
  if (ALWAYS_GREEN.some((pattern) => pattern.test(line))) {
    return {
      severity: 'warning',
      message: `the check ${quoted(command)} is green whatever is done: it checks nothing`,
      suggestion: 'a command that fails when the work is wrong: tests, linter, build; or none',
    };
  }
  // Whoever puts it into the background, or limits its time, knows.
  if (/^timeout\s|&$/.test(line) || !NEVER_ENDS.some((pattern) => pattern.test(line))) return null;
  return {
    severity: 'warning',
    message: `the check ${quoted(command)} watches or serves: it does not end by itself, and is red once its time is up`,
    suggestion: 'the form that runs once and ends, e.g. `vitest run`, `tsc --noEmit`, `npm run build`',
  };
}

/** Checks that say nothing about the work: watchers, servers, and commands that cannot fail. */
export const uselessChecks: PlanRule = {
  name: 'checks/useless',
  check: ({ backlog, open, facts: { configured } }) => {
    const ofPlan = [...new Set([...configured, ...backlog.verifyCommands])].map((command) => ({
      story: null,
      command,
    }));
    const ofStories = open.flatMap((story) => (story.verifyCommands ?? []).map((command) => ({ story, command })));
    return [...ofPlan, ...ofStories].flatMap(({ story, command }) => {
      const remark = problemOf(command);
      return remark === null ? [] : [{ story, remark }];
    });
  },
};
