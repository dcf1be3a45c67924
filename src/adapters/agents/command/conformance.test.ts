import { testConfig } from '../../../../test/support/agent-task.ts';
import { conforms, type Recording } from '../conformance.fixture.ts';
import { command } from './adapter.ts';

const RECORDINGS: readonly Recording[] = [
  {
    name: 'an answer',
    stdout: ['I changed the parser.', 'All tests pass.'],
    exitCode: 0,
    events: [
      { type: 'text', text: 'I changed the parser.' },
      { type: 'text', text: 'All tests pass.' },
    ],
    result: { error: null, text: 'I changed the parser.\nAll tests pass.' },
  },
  {
    name: 'an answer about limits',
    stdout: ["You've hit your usage limit. 429: try again at 5pm."],
    exitCode: 0,
    events: [{ type: 'text' }],
    result: { error: null, limit: null },
  },
  {
    name: 'nothing but white space',
    stdout: ['  '],
    exitCode: 0,
    events: [],
    result: { error: 'empty' },
  },
  {
    name: 'a failure that tells of a limit',
    stdout: ['Working.'],
    stderr: 'warming up\nError: 429 Too Many Requests\n',
    exitCode: 3,
    events: [{ type: 'text', text: 'Working.' }],
    result: { error: 'crash', limit: null, text: 'Working.' },
  },
  {
    name: 'a program that is not there',
    stdout: [],
    stderr: 'sh: 1: my-agent: not found\n',
    exitCode: 127,
    events: [],
    result: { error: 'unavailable' },
  },
  {
    name: 'a program that may not be executed',
    stdout: [],
    stderr: 'sh: 1: ./agent.sh: Permission denied\n',
    exitCode: 126,
    events: [],
    result: { error: 'unavailable' },
  },
];

conforms(command, RECORDINGS, {
  plainText: true,
  task: { config: testConfig({ command: { run: 'my-agent --yes' } }) },
});
