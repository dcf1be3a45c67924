import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../root.ts';

/** Commands that people are told to type and that take names of files or branches. */
const COMMAND =
  /(?:\bgit (?:add|rm|mv|checkout|restore|switch|merge|push|clone)|\bralph (?:import|rescue restore|stories \w+|stream \w+|fleet \w+)|\bchmod|\bchown|(?<![\w-])(?:mv|rm|cd|cat|cp)) (?:[^`'"\n$]|\$(?!\{))*\$\{([^}]{1,60})/g;
const QUOTED = /shellWord|\bword\(|\bquoted\(|rescueName|nameOf\(|namesOf\(/;
/** Not typed by people, or looked at before: made by ralph of letters and digits, left out where it
 * would need quotes, or quoted in the line that names it. */
const FINE: ReadonlySet<string> = new Set([
  'adapters/git/rescue.ts: ralph rescue restore ${name',
  'adapters/workspace/config/detect-checks.ts: cd ${folder',
  'adapters/workspace/records/state-folder.ts: git rm --cached ${STATE_FOLDER',
  'adapters/workspace/records/state-folder.ts: rm ${STATE_FOLDER',
  'commands/init.ts: ralph stream start ${number',
  "commands/status/next-step.ts: ralph stories approve ${ids.join(' ')",
  'commands/status/next-step.ts: ralph stories show ${ids[0]',
  'commands/stories/show.ts: ralph stories approve ${id',
  'commands/stories/show.ts: ralph stories reject ${id',
  'commands/stories/show.ts: ralph stories reset ${id',
  'loop/evidence/checks.ts: ralph rescue restore ${name',
  'loop/protect/precious.ts: ralph rescue restore ${name',
  'loop/protect/user-work.ts: ralph rescue restore ${name',
  'loop/plugins.ts: rm ${COMPLETE_FILE',
  'streams/merge/merge.ts: ralph stream merge ${stream',
  'streams/remove.ts: ralph stream remove ${name',
  'streams/tree.ts: ralph stream start ${stream',
  'surfaces/report/outcome.ts: ralph stories show ${id',
]);
/** Programs that we run, texts of the guard, and what a scripted agent plays. */
const NOT_TOLD = /\.(?:test|fixture)\.ts$|\/(?:scripts|guard|battery|scripted|selftest|verdict|test-results|torture)\//;

test('names in commands that people are told to type are quoted', async () => {
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !NOT_TOLD.test(`/${file}`),
  );
  const bare: string[] = [];
  for (const file of files) {
    const text = await readFile(join(root, 'src', file), 'utf8');
    for (const [command, name = ''] of text.matchAll(COMMAND)) {
      if (!QUOTED.test(name) && !FINE.has(`${file}: ${command}`)) bare.push(`${file}: ${command}`);
    }
  }
  expect(bare).toEqual([]);
});
