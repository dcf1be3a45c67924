import type { ProjectOptions } from './project.ts';

/** A project whose check fails when `broken.txt` exists. */
export const CHECKED: ProjectOptions = {
  files: { 'check.sh': 'test ! -e broken.txt || { echo it is broken; exit 1; }\n', 'kept.txt': 'kept\n' },
  verifyCommands: ['sh check.sh'],
};

/** A process that ends without a word counts as broken off. */
export const STOPS = { say: 'I stop here.' };
