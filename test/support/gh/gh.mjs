import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSchema, graphqlSync } from 'graphql';

/*
 * Stands in for gh and one pull request: answers in the documented form of the real one, from the file $GH_STATE, and
 * refuses what the real one would: unknown fields, and queries that GitHub's schema does not allow.
 */

const args = process.argv.slice(2);
appendFileSync(process.env.GH_LOG, `${args.join(' ')}\n`);
const state = JSON.parse(readFileSync(process.env.GH_STATE, 'utf8'));
const head = () =>
  execFileSync('git', ['--git-dir', state.remote, 'rev-parse', `refs/heads/${state.branch}`], {
    encoding: 'utf8',
  }).trim();

// `gh pr view --help` and `gh pr checks --help` list these, among others.
const VIEW = ['number', 'url', 'state', 'headRefOid', 'headRefName', 'baseRefName', 'title', 'isCrossRepository'];
const CHECKS = ['bucket', 'completedAt', 'description', 'event', 'link', 'name', 'startedAt', 'state', 'workflow'];

function picked(known, value) {
  const fields = args[args.indexOf('--json') + 1].split(',');
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) fail(`Unknown JSON field: "${unknown}"`);
  return Object.fromEntries(fields.map((field) => [field, value[field] ?? '']));
}

function fail(text, code = 1) {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}

/** Values of `-f` as they are; `-F` makes numbers of numbers. */
function fieldsOf() {
  const fields = {};
  for (const [at, arg] of args.entries()) {
    if (arg !== '-f' && arg !== '-F') continue;
    const [name, ...rest] = args[at + 1].split('=');
    const text = rest.join('=');
    fields[name] = arg === '-F' && /^\d+$/.test(text) ? Number(text) : text;
  }
  return fields;
}

function graphql() {
  const { query, ...variables } = fieldsOf();
  const threadOf = (id) => state.threads.find((thread) => thread.id === id);
  const user = (login) => (login === null ? null : { __typename: 'User', login });
  const commentOf = ({ author, ...comment }) => ({ ...comment, author: user(author) });
  const shown = (thread) => ({
    ...thread,
    comments: { nodes: thread.comments.map(commentOf), pageInfo: { hasNextPage: false } },
  });
  const rootValue = {
    viewer: { login: state.viewer },
    repository: () => ({
      pullRequest: () => ({
        // Three threads a page: who asks has to go on.
        reviewThreads: ({ after }) => {
          const at = after === undefined ? 0 : Number(after);
          const nodes = state.threads.slice(at, at + 3).map(shown);
          return { nodes, pageInfo: { hasNextPage: at + 3 < state.threads.length, endCursor: String(at + 3) } };
        },
      }),
    }),
    addPullRequestReviewThreadReply: ({ input }) => {
      const comment = { body: input.body, url: `${state.url}#reply`, author: state.viewer, originalCommit: null };
      threadOf(input.pullRequestReviewThreadId).comments.push(comment);
      return { comment: commentOf(comment) };
    },
    resolveReviewThread: ({ input }) => {
      threadOf(input.threadId).isResolved = true;
      return { thread: shown(threadOf(input.threadId)) };
    },
  };
  const schema = buildSchema(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'));
  const result = graphqlSync({ schema, source: query, variableValues: variables, rootValue });
  if (result.errors) fail(`gh: ${result.errors.map(({ message }) => message).join('\n')}`);
  writeFileSync(process.env.GH_STATE, JSON.stringify(state));
  return result;
}

function answer() {
  const [one, two] = args;
  if (one === 'auth') return '';
  if (one === 'pr' && two === 'list') return JSON.stringify(state.isOpened ? [picked(VIEW, state)] : []);
  if (one === 'pr' && (two === 'create' || two === 'edit')) {
    if (two === 'create' && !args.includes('--draft')) fail('reviewers would be notified');
    const body = readFileSync(0, 'utf8');
    writeFileSync(process.env.GH_STATE, JSON.stringify({ ...state, isOpened: true, body }));
    return `${state.url}\n`;
  }
  if (one === 'pr' && two === 'view' && ![String(state.number), state.url, state.branch].includes(args[2]))
    fail(`no pull requests found for branch "${args[2]}"`);
  if (one === 'pr' && two === 'view')
    return JSON.stringify(picked(VIEW, { ...state, state: 'OPEN', headRefOid: head(), headRefName: state.branch }));
  if (one === 'pr' && two === 'checks') {
    if (state.checks.length === 0) fail(`no checks reported on the '${state.branch}' branch`);
    return JSON.stringify(state.checks.map((check) => picked(CHECKS, check)));
  }
  if (one === 'run' && two === 'view') return state.log;
  if (one === 'api' && two === 'graphql') return JSON.stringify(graphql());
  if (one === 'api') {
    const login = /\/collaborators\/([^/]+)\/permission$/.exec(args.at(-1))?.[1];
    const permission = state.permissions[login];
    if (permission === undefined) fail('gh: Not Found (HTTP 404)');
    return JSON.stringify({ permission, role_name: permission, user: { login } });
  }
  return fail(`unknown command "${one}" for "gh"`);
}

process.stdout.write(answer());
