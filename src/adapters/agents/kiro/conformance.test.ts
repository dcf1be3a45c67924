import { conforms } from '../conformance.fixture.ts';
import { kiro } from './adapter.ts';

/** Output after the client's documentation: not tried with an account. */
conforms(
  kiro,
  [
    {
      name: 'success',
      exitCode: 0,
      stdout: ['\u001b[38;5;141m> \u001b[0mI write it.', '\u001b[1mAll is done.\u001b[0m'],
      events: [
        { type: 'text', text: '> I write it.' },
        { type: 'text', text: 'All is done.' },
      ],
      result: { error: null, text: '> I write it.\nAll is done.' },
    },
    {
      name: 'failure',
      exitCode: 1,
      stdout: [],
      stderr: 'error: you are not logged in\n',
      events: [],
      result: { error: 'crash' },
    },
  ],
  { plainText: true },
);
