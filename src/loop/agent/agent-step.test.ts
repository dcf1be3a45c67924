import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DILIGENT, makeLoopProject } from '../../../test/support/loop-project.ts';

/** The first process leaves something behind and says nothing, which counts as a transient error. */
async function secondTry(plant: string, look: string) {
  const one = makeLoopProject(
    1,
    `if [ -e .git/first ]; then ${look} && touch .git/seen; ${DILIGENT}; else touch .git/first; ${plant}; fi`,
  );
  try {
    await one.loop({ request: { turn: false }, settings: { transient: { delayMs: 1 } } });
    return { wasSeen: existsSync(`${one.root}/.git/seen`), ...one };
  } finally {
    one.remove();
  }
}

test.each([
  [
    'the settings of its client',
    "mkdir .claude; echo '*' >.claude/.gitignore; echo '{}' >.claude/settings.local.json",
    '[ -e .claude/settings.local.json ]',
  ],
  ['a hook in the git dir', "echo 'exit 1' >.git/hooks/pre-commit", '[ -e .git/hooks/pre-commit ]'],
])(
  'what an agent plants before a transient error, %s, is gone when the next process starts',
  async (_, plant, look) => {
    const { wasSeen, events } = await secondTry(plant, look);
    expect(events.filter(({ type }) => type === 'transient')).toHaveLength(1);
    expect(wasSeen).toBe(false);
    expect(JSON.stringify(events)).toMatch(/settings\.local\.json|hooks\/pre-commit/);
  },
);
