import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import type { Refusal } from '../support/model-turn.ts';
import { ledgerOf } from '../support/records.ts';
import { type AgentProject, type AgentSetup, makeAgentProject } from './agent-project.ts';
import { type AgentWords, wholeStory } from './story.ts';

export interface Behaviour {
  readonly setup: AgentSetup;
  /** The same client without settings that name the provider, by its own variables: its key stays outside. */
  readonly outside: AgentSetup;
  readonly words: AgentWords;
  /** How its provider says that a limit is reached. */
  readonly limit: Refusal;
}

const missing = await needs('bwrap');

/** Registers what every agent has to do with its real client behind the built `ralph run`. */
export function behaves(program: readonly string[] | null, { setup, outside, words, limit }: Behaviour): void {
  describe.skipIf(!program)(`ralph run with the real ${setup.name}`, () => {
    let made: AgentProject | null = null;
    afterEach(async () => {
      const left = await made?.leftOver();
      await made?.remove();
      made = null;
      expect(left, 'processes left behind').toEqual([]);
    });

    test('a story is implemented, claimed, reviewed and approved', async () => {
      made = await makeAgentProject(setup, wholeStory(words));
      const { code, stdout, stderr } = await made.run();
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
      expect((await ledgerOf(made.project)).map(({ mode, verdict }) => [mode, verdict])).toEqual([
        ['implement', 'accepted'],
        ['review', 'accepted'],
      ]);
      expect(await made.project.stories()).toMatchObject([{ passes: true, reviewStatus: 'approved', reviewCount: 1 }]);
      expect(await made.project.read('greet.txt')).toBe('hello world\n');
      expect(await made.project.git('status', '--porcelain')).toBe('');
      const { requests } = made.provider;
      expect(
        requests.every(({ raw }) => raw.includes('Be polite.')),
        'memory of the project',
      ).toBe(true);
    });

    test.skipIf(missing)('its key reaches the provider from inside bwrap, and is not inside', async () => {
      made = await makeAgentProject(outside, wholeStory(words));
      const { code, stdout } = await made.run();
      expect(code, stdout).toBe(0);
      const { requests } = made.provider;
      const keys = requests.map(({ headers }) => headers['x-api-key'] ?? headers.authorization);
      expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^(Bearer )?made-up-key$/)]));
      const told = requests.map(({ raw }) => raw).join('\n');
      expect(told).toMatch(/_API_KEY=[\w-]*ralph-[0-9a-f]{48}/);
      expect(told).not.toContain('made-up-key');
    });

    test.skipIf(!words.tool)('a server of the project that the settings name is started and answers', async () => {
      made = await makeAgentProject(setup, ({ turn }) =>
        turn === 1 && words.tool ? { tools: [words.tool('say', {}, 'notes')] } : 'Done.',
      );
      const { stdout } = await made.run(['--once']);
      expect(made.provider.requests[1]?.raw, stdout).toContain('hi there');
    });

    test('a limit of the provider ends the run with 5 and costs the story nothing', async () => {
      made = await makeAgentProject(setup, () => limit);
      const { code, stdout } = await made.run();
      expect(code, stdout).toBe(5);
      expect(await ledgerOf(made.project)).toMatchObject([{ verdict: 'limited', counts: 'ignored' }]);
    });

    test('talk about limits is talk', async () => {
      made = await makeAgentProject(
        setup,
        () => "You've hit your usage limit. Try again at 5pm. 429 Too Many Requests",
      );
      await made.run(['--once']);
      const [line] = await ledgerOf(made.project);
      expect(line?.verdict).not.toBe('limited');
    });

    test('a refused key ends the run with 7 and costs the story nothing', async () => {
      made = await makeAgentProject(setup, () => ({ status: 401, message: 'the key is wrong' }));
      const { code, stdout } = await made.run();
      expect(code, stdout).toBe(7);
      expect(await ledgerOf(made.project)).toMatchObject([{ counts: 'ignored' }]);
    });

    test('a missing key ends the run with 7 before anything was asked', async () => {
      made = await makeAgentProject(setup, () => 'never', null);
      const { code, stdout } = await made.run();
      expect(code, stdout).toBe(7);
      expect(made.provider.requests).toEqual([]);
    });
  });
}
