import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../test/support/guard-context.ts';
import { judgeCommand } from './judge-command.ts';

const CORPUS = new URL('../../../../shared/corpus/guard.jsonl', import.meta.url);

interface Entry {
  readonly cmd: string;
  readonly label: 'block' | 'allow' | 'either';
}

describe.skipIf(!existsSync(CORPUS))('the sample set of commands', () => {
  const entries = (): readonly Entry[] =>
    readFileSync(CORPUS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);

  const wrong = (label: Entry['label'], decision: string) => {
    const all = entries().filter((entry) => entry.label === label);
    const missed = all.filter((entry) => judgeCommand(entry.cmd, guardContext()).decision !== decision);
    return { share: missed.length / all.length, missed: missed.map((entry) => entry.cmd) };
  };

  it('is blocked where letting it through would be a miss', () => {
    const { share, missed } = wrong('block', 'block');
    expect(share, missed.join('\n')).toBeLessThanOrEqual(0.03);
  });

  it('is allowed where blocking would stop honest work', () => {
    const { share, missed } = wrong('allow', 'allow');
    expect(share, missed.join('\n')).toBeLessThanOrEqual(0.02);
  });
});
