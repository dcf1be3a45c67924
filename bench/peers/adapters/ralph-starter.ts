import { join } from 'node:path';
import { checkboxes, type Peer, readCheckboxes, tick } from '../peer.ts';

const PLAN = 'IMPLEMENTATION_PLAN.md';
const marks = tick(PLAN);
const cli = (folder: string): string => join(folder, 'node_modules/ralph-starter/dist/cli.js');

/** ralph-starter: its agent ticks the boxes of IMPLEMENTATION_PLAN.md. */
export const ralphStarter: Peer = {
  name: 'ralph-starter',
  packages: ['ralph-starter'],
  ignoreScripts: 'its preinstall script refuses npm (only-allow pnpm)',
  started: '`ralph-starter run "…" --agent claude-code --commit --validate --headless --no-auto-skills --output-dir .`',
  version: ({ folder }) => [process.execPath, cli(folder), '--version'],
  run: ({ folder }) => [
    ...[process.execPath, cli(folder), 'run', `Work through ${PLAN}, one task at a time, and tick what is done.`],
    ...['--agent', 'claude-code', '--commit', '--validate', '--headless', '--no-auto-skills', '--output-dir', '.'],
  ],
  files: (stories) => ({ [PLAN]: `# Plan\n\n${checkboxes(stories)}` }),
  timeLimit: null,
  fixedTimeLimit: 300,
  taskFile: PLAN,
  progress: readCheckboxes,
  markNext: marks.next,
  markAll: marks.all,
  says: { done: 'The next file is written.', allDone: 'EXIT_SIGNAL: true\\n<TASK_DONE>' },
  loopProcess: /ralph-starter\/dist\/cli\.js/,
};
