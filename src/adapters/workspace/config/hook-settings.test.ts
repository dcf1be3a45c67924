import { expect, test } from 'vitest';
import { HOOK_SETTINGS } from '../../../contracts/index.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { givenHookSettings } from './config.ts';
import { readHookSettings } from './hook-settings.ts';
import { settingsIn } from './settings.ts';

test('where nothing is set, hooks have the defaults of the schema', async () => {
  const root = await tempTree({ '.git/': '' });
  expect(await readHookSettings(root, { PATH: '/bin' })).toEqual(await givenHookSettings(root, {}));
});

test.each(settingsIn(HOOK_SETTINGS).map(({ path }) => path))('hooks know the variable of %s %s', async (...path) => {
  const root = await tempTree({ '.git/': '' });
  const variable = `RALPH_${path.filter(Boolean).join('_')}`.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  const given = path.at(-1) === 'bytesPerToken' ? '5' : '7000';
  const defaults = await readHookSettings(root, {});
  expect(await readHookSettings(root, { [variable]: given })).not.toEqual(defaults);
});

test('hooks know the variable of earlier loops', async () => {
  const root = await tempTree({ '.git/': '' });
  expect((await readHookSettings(root, { CLAUDE_CONTEXT_WINDOW: '7000' })).context.window).toBe(7000);
});
