import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeBinary } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import type { Turn } from '../support/model-turn.ts';
import { clientOf } from './clients.ts';
import { codexProvider, startResponsesServer } from './responses-server.ts';

const claude = await claudeBinary();
const codex = clientOf('codex');

const status = (...lines: readonly string[]) =>
  ['---RALPH_STATUS---', 'STATUS: COMPLETE', ...lines, '---END_RALPH_STATUS---'].join('\n');
const APPROVED = status('REVIEW: APPROVED');
const REFUSED = status('REVIEW: CHANGES_REQUESTED', 'FEEDBACK: 1. greet.txt:1: the greeting has no end');
const write = (text: string): Turn => ({ tools: [{ name: 'Bash', input: { command: `echo '${text}' > greet.txt` } }] });
const CLAUDE: Readonly<Record<string, readonly Turn[]>> = {
  implement: [write('hello'), status()],
  review: [APPROVED],
  'review-fix': [write('hello.'), status()],
};
const modeOf = (raw: string) => /Mode: \*\*([a-z-]+)\*\*/.exec(raw)?.[1] ?? '';

describe.skipIf(!claude || !codex)('a panel of the real claude and the real codex', () => {
  let made: ClientProject | undefined;
  let provider: Awaited<ReturnType<typeof startResponsesServer>> | undefined;
  afterEach(async () => {
    await made?.remove();
    await provider?.close();
  });

  test('both must approve; what one of them finds is fixed first', async () => {
    let reviews = 0;
    provider = await startResponsesServer(() => (++reviews === 1 ? REFUSED : APPROVED));
    made = await makeClientProject(
      claude ?? '',
      () =>
        ({ raw, turn }) =>
          CLAUDE[modeOf(raw)]?.[turn - 1] ?? 'Nothing to say.',
      { files: { 'greet.txt': 'hi\n' }, stories: [{ id: 'US-001', title: 'Greet the world' }] },
      {
        agents: {
          claude: { command: claude },
          codex: { command: codex, model: 'a-model', args: codexProvider(provider.url) },
        },
        review: { agents: ['claude', 'codex'], panel: 2 },
      },
    );
    const home = join(made.project.outside, 'codex');
    await mkdir(home);
    const { code, stdout } = await made.project.ralph(['run'], {
      ...made.env,
      CODEX_HOME: home,
      OPENAI_API_KEY: 'made-up-key',
    });
    expect(code, stdout).toBe(0);
    expect((await made.ledger()).map(({ mode, agent }) => `${mode} ${agent}`)).toEqual([
      'implement claude',
      'review claude',
      'review codex',
      'review-fix claude',
      'review claude',
      'review codex',
    ]);
    const { findings } = JSON.parse(await made.project.read('ralph/reviews.json')).stories['US-001'];
    expect(findings).toMatchObject([{ file: 'greet.txt', by: ['codex'], state: 'resolved' }]);
    expect(await made.project.stories()).toMatchObject([{ passes: true, reviewStatus: 'approved', reviewCount: 2 }]);
  });
});
