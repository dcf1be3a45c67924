import { join } from 'node:path';
import { checkboxes, type Peer, readCheckboxes, tick } from '../peer.ts';

const marks = tick('PRD.md');

/** ralphy-cli: ticks the boxes of PRD.md itself when its agent ends well. */
export const ralphy: Peer = {
  name: 'ralphy-cli',
  packages: ['ralphy-cli'],
  started: '`ralphy --prd PRD.md`, defaults; `.ralphy/config.yaml` names the project’s test',
  version: ({ folder }) => [process.execPath, join(folder, 'node_modules/ralphy-cli/bin.js'), '--version'],
  run: ({ folder }) => [process.execPath, join(folder, 'node_modules/ralphy-cli/bin.js'), '--prd', 'PRD.md'],
  files: (stories) => ({
    'PRD.md': `# Files\n\n${checkboxes(stories)}`,
    '.ralphy/config.yaml': 'project:\n  name: "peers"\n  language: "JavaScript"\ncommands:\n  test: "node --test"\n',
  }),
  timeLimit: null,
  taskFile: 'PRD.md',
  progress: readCheckboxes,
  markNext: '',
  markAll: marks.all,
  says: { done: 'Done.', allDone: 'Done.' },
  loopProcess: /ralphy/,
};
