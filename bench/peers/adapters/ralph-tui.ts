import { join } from 'node:path';
import { type Peer, pass, readStories, storiesJson } from '../peer.ts';

const marks = pass('prd.json');
const bun = (folder: string): string => join(folder, 'node_modules/bun/bin/bun.exe');
const cli = (folder: string): string => join(folder, 'node_modules/ralph-tui/dist/cli.js');
const config = (timeout: string): string =>
  `configVersion = "2.1"\ntracker = "json"\nagent = "claude"\nmaxIterations = 40\nautoCommit = true\n${timeout}`;

/** ralph-tui: sets `passes` itself when its agent prints the promise. */
export const ralphTui: Peer = {
  name: 'ralph-tui',
  packages: ['ralph-tui', 'bun'],
  started: '`ralph-tui run --prd prd.json --headless --no-setup`; config: agent claude, autoCommit, 40 iterations',
  version: ({ folder }) => [bun(folder), cli(folder), '--version'],
  run: ({ folder }) => [bun(folder), cli(folder), 'run', '--prd', 'prd.json', '--headless', '--no-setup'],
  resume: ({ folder }) => [bun(folder), cli(folder), 'resume', '--headless', '--force'],
  files: (stories) => ({ 'prd.json': storiesJson(stories), '.ralph-tui/config.toml': config('') }),
  timeLimit: {
    '.ralph-tui/config.toml': config(
      '[[agents]]\nname = "claude"\nplugin = "claude"\ndefault = true\ntimeout = 5000\n',
    ),
  },
  taskFile: 'prd.json',
  progress: readStories,
  markNext: '',
  markAll: marks.all,
  says: { done: '<promise>COMPLETE</promise>', allDone: '<promise>COMPLETE</promise>' },
  loopProcess: /ralph-tui\/dist\/cli\.js/,
};
