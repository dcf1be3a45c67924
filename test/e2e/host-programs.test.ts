import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

/** Programs that an agent plants where the person's own PATH leads first: `npm run` puts node_modules/.bin there. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const APPROVED = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };

let project: Project;
afterEach(() => project?.remove());

const ran = () => readFile(join(project.outside, 'ran'), 'utf8').catch(() => '');

test('a planted git and sh on PATH never run on the host, and the run says what it leaves out', async () => {
  const plant = [
    'mkdir -p node_modules/.bin',
    ...['git', 'sh'].map(
      (name) =>
        `printf '#!/bin/bash\\necho ${name} >> "$HOME/ran"\\nexec /usr/bin/${name} "$@"\\n' > node_modules/.bin/${name}`,
    ),
    'chmod +x node_modules/.bin/*',
  ].join(' && ');
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { '.gitignore': 'node_modules/\n' },
    steps: [
      { when: { mode: 'implement' }, do: [{ run: plant }, { write: { path: 'new.txt', content: 'new\n' } }, READY] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const path = `${project.root}/node_modules/.bin:.:${process.env['PATH']}`;
  const { code, stdout } = await project.run([], { PATH: path });
  expect(code, stdout).toBe(0);
  expect(await ran()).toBe('');
  expect(stdout).toMatch(/PATH.*node_modules\/\.bin/);
});
