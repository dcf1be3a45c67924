import { afterAll, describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import { NOT_TRIED, PLACES, STANDS_FOR, STAYING } from './examples.ts';
import { type OpenProject, openProject } from './open-project.ts';
import { tryBlock } from './try-block.ts';

/** The examples of the command table, which are those of docs/commands.md, of the help and of the manual pages. */
const examples = commands.flatMap(({ name, examples: all }) =>
  all
    .filter(([command]) => !NOT_TRIED.some(([begin]) => command.startsWith(begin)))
    .map(([command, effect]) => ({ name, command, effect, place: PLACES[name] ?? 'blocked' })),
);

for (const place of new Set(examples.map((example) => example.place))) {
  describe.concurrent(place, () => {
    let project: Promise<OpenProject> | null = null;
    afterAll(async () => (await project)?.close());
    for (const { name, command, effect } of examples.filter((example) => example.place === place)) {
      test.sequential(command, async () => {
        project ??= openProject(place);
        const text = `${withRealNames(command)}   # ${effect}\n`;
        const stays = STAYING.includes(name);
        await tryBlock({ line: 0, language: 'sh', stays, file: null, noRun: null, text }, await project);
      });
    }
  });
}

test('what is said of examples is said of some that there are', () => {
  const all = commands.flatMap((spec) => spec.examples.map(([command]) => command));
  const idle = NOT_TRIED.filter(([begin]) => !all.some((command) => command.startsWith(begin)));
  expect(idle).toEqual([]);
  const names = commands.map(({ name }) => name);
  expect([...Object.keys(PLACES), ...STAYING].filter((name) => !names.includes(name))).toEqual([]);
});

function withRealNames(command: string): string {
  return STANDS_FOR.reduce((text, [name, real]) => text.replace(name, real), command);
}
