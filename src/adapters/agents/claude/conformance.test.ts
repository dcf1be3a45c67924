import { testTask } from '../../../../test/support/agent-task.ts';
import { conforms, type Recording } from '../conformance.fixture.ts';
import { claude } from './adapter.ts';

const init = {
  type: 'system',
  subtype: 'init',
  session_id: 'session-1',
  model: 'model-a',
  claude_code_version: '2.1.330',
  tools: ['Bash'],
};
const usage = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
const said = (id: string, block: object) => ({
  type: 'assistant',
  message: { id, model: 'model-a', content: [block], usage: usage(40, 2) },
});
const answered = (block: object) => ({ type: 'user', message: { content: [{ type: 'tool_result', ...block }] } });
const result = (rest: object) => ({
  usage: usage(80, 9),
  total_cost_usd: 0.02,
  num_turns: 2,
  session_id: 'session-1',
  is_error: false,
  type: 'result',
  subtype: 'success',
  terminal_reason: 'completed',
  ...rest,
});
/** A failed request: the client's own words as a message, then a result that calls itself a success. */
const apiFailure = (error: string, status: number | null, text: string) => [
  init,
  { type: 'assistant', error, message: { id: 's', model: '<synthetic>', content: [{ type: 'text', text }] } },
  result({ is_error: true, terminal_reason: 'api_error', api_error_status: status, result: text }),
];

function recording(
  name: string,
  lines: readonly object[],
  expected: Pick<Recording, 'result'> & Partial<Recording>,
): Recording {
  return { name, stdout: lines.map((line) => JSON.stringify(line)), exitCode: 1, events: [], ...expected };
}

const RECORDINGS: readonly Recording[] = [
  recording(
    'a session with a tool',
    [
      init,
      said('m1', { type: 'text', text: 'First the tests.' }),
      said('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make check' } }),
      answered({ tool_use_id: 't1', content: 'all good' }),
      said('m2', { type: 'text', text: 'All good.' }),
      result({ result: 'All good.' }),
    ],
    {
      exitCode: 0,
      events: [
        { type: 'session', sessionId: 'session-1', model: 'model-a', version: '2.1.330' },
        { type: 'text', text: 'First the tests.' },
        { type: 'tool-call', id: 't1', name: 'Bash', summary: 'make check' },
        { type: 'tool-result', id: 't1', ok: true, summary: 'all good' },
        { type: 'usage' },
      ],
      result: { error: null, text: 'All good.', costUsd: 0.02, turns: 2, sessionId: 'session-1' },
    },
  ),
  recording(
    'the limit of a subscription',
    [
      init,
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1_800_000_000, rateLimitType: 'five_hour' },
      },
      ...apiFailure('rate_limit', 429, 'Later.').slice(1),
    ],
    {
      events: [{ type: 'limit' }],
      result: { error: 'limit', limit: { status: 'rejected', kind: 'five_hour', resetsAt: 1_800_000_000_000 } },
    },
  ),
  recording('an overloaded provider', apiFailure('overloaded', 529, 'Overloaded.'), {
    result: { error: 'limit', limit: { status: 'rejected', kind: 'overloaded', resetsAt: null } },
  }),
  recording('a refused key', apiFailure('authentication_failed', 401, 'No.'), { result: { error: 'auth' } }),
  recording('an unknown model', apiFailure('model_not_found', 404, 'Which?'), { result: { error: 'model' } }),
  recording('a refused connection', apiFailure('server_error', null, 'Nobody there.'), {
    result: { error: 'network' },
  }),
  recording('an empty answer', [init, result({ result: '' })], { exitCode: 0, result: { error: 'empty' } }),
  recording('an end by signal', [init, said('m1', { type: 'text', text: 'Work' })], {
    exitCode: null,
    signal: 'SIGTERM',
    result: { error: 'crash', text: 'Work' },
  }),
];

// As root the client refuses its default permission mode unless it is told that it is in a sandbox.
const { env } = testTask({ cwd: '/', tempDir: '/' });
conforms(claude, RECORDINGS, { task: { env: { ...env, IS_SANDBOX: '1' } } });
