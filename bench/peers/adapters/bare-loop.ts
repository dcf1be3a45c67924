import { checkboxes, type Peer, readCheckboxes, tick } from '../peer.ts';

const marks = tick('PRD.md');

/** The loop that gave the others their name: an agent, the same prompt, for ever. The floor of everything here. */
export const bareLoop: Peer = {
  name: 'bare loop',
  packages: [],
  started: '`while :; do claude -p … <PROMPT.md; done` in bash',
  version: () => ['bash', '--version'],
  run: () => ['bash', 'loop.sh'],
  files: (stories) => ({
    'PRD.md': checkboxes(stories),
    'PROMPT.md': 'Do the next open task of PRD.md and tick it.\n',
    'loop.sh': 'while :; do claude -p --dangerously-skip-permissions <PROMPT.md; done\n',
  }),
  timeLimit: null,
  endless: true,
  taskFile: 'PRD.md',
  progress: readCheckboxes,
  markNext: marks.next,
  markAll: marks.all,
  says: { done: 'Done.', allDone: 'All done.' },
  loopProcess: /bash loop\.sh/,
};
