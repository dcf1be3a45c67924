import { join } from 'node:path';
import { checkboxes, type Peer, readCheckboxes, tick } from '../peer.ts';

const marks = tick('ralph/fix_plan.md');
const status = (exit: boolean): string =>
  `---RALPH_STATUS---\\nSTATUS: ${exit ? 'COMPLETE' : 'IN_PROGRESS'}\\nEXIT_SIGNAL: ${exit}\\n---END_RALPH_STATUS---`;

/** ralph-template: a scaffold around a bash loop; its agent ticks the boxes of fix_plan.md. */
export const ralphTemplate: Peer = {
  name: 'ralph-template',
  packages: ['ralph-template'],
  started: '`ralph-template ralph` scaffolded into the project, then `./run.sh claude 20` there (`npm start 20`)',
  version: ({ folder }) => [
    process.execPath,
    join(folder, 'node_modules/ralph-template/bin/ralph-template.js'),
    '--version',
  ],
  // The scaffold refuses a folder that is there: it is made beside, and our plan stays.
  run: ({ folder }) => [
    'bash',
    '-c',
    `[ -e run.sh ] || cp -r -n '${join(folder, 'node_modules/ralph-template/template')}/.' .; exec ./run.sh claude 20`,
  ],
  cwd: 'ralph',
  files: (stories) => ({ 'ralph/fix_plan.md': `# Fix Plan\n\n${checkboxes(stories)}` }),
  timeLimit: null,
  taskFile: 'ralph/fix_plan.md',
  progress: readCheckboxes,
  markNext: marks.next,
  markAll: marks.all,
  says: { done: status(false), allDone: status(true) },
  loopProcess: /run\.sh claude/,
};
