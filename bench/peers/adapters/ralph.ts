import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
import { type Peer, pass, readStories, storiesJson } from '../peer.ts';

const RALPH = join(root, 'bin/ralph.js');
const status = (review: string): string =>
  `Done.\\n---RALPH_STATUS---\\nSTATUS: COMPLETE\\n${review}EXIT_SIGNAL: true\\n---END_RALPH_STATUS---`;
const marks = pass('ralph/tasks.json');

/** ralph itself, built from this tree, without isolation: what that adds depends on the machine. */
export const ralph: Peer = {
  name: 'ralph',
  packages: [],
  started:
    '`ralph run --max-iterations 40 --trust`, defaults but for `verifyCommands` (the project’s test) and no isolation',
  version: () => [process.execPath, RALPH, '--version'],
  run: () => [process.execPath, RALPH, 'run', '--max-iterations', '40', '--trust'],
  files: (stories) => ({
    'ralph/tasks.json': storiesJson(stories).replace('"main"', '"ralph/peers"'),
    'ralph/prd.md': '# Files\n\nOne file for each story.\n',
    'ralph.config.json': `${JSON.stringify({ verifyCommands: ['node --test'], isolation: { backend: 'none' } })}\n`,
  }),
  timeLimit: {
    'ralph.config.json': `${JSON.stringify({ timeout: '5s', verifyCommands: ['node --test'], isolation: { backend: 'none' } })}\n`,
  },
  taskFile: 'ralph/tasks.json',
  progress: readStories,
  markNext: '',
  markAll: marks.all,
  // The stub knows a review by $RALPH_MODE and approves.
  says: { done: status(''), allDone: status('') },
  loopProcess: /bin\/ralph\.js run/,
};
