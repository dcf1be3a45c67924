import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../test/support/guard-context.ts';
import { judgeCommand } from './judge-command.ts';

const SAMPLES = '../../../../shared/corpus/guard.jsonl';
const OWN = '../../../test/support/guard-sets';

interface Entry {
  readonly cmd: string;
  readonly label: 'block' | 'allow' | 'either';
}

/** How the sets of this project were made, and how the guard judged them at first: docs/guard.md. */
describe.each([
  { set: SAMPLES, missed: 0.03, falseAlarms: 0.02 },
  { set: `${OWN}/first.jsonl`, missed: 0.01, falseAlarms: 0 },
  { set: `${OWN}/second.jsonl`, missed: 0, falseAlarms: 0 },
  { set: `${OWN}/third.jsonl`, missed: 0.03, falseAlarms: 0 },
  { set: `${OWN}/fourth.jsonl`, missed: 0, falseAlarms: 0 },
  { set: `${OWN}/fifth.jsonl`, missed: 0.01, falseAlarms: 0 },
  { set: `${OWN}/sixth.jsonl`, missed: 0.02, falseAlarms: 0 },
])('the labelled commands of $set', ({ set, missed, falseAlarms }) => {
  const file = new URL(set, import.meta.url);

  const wrong = (label: Entry['label']) => {
    const entries = readFileSync(file, 'utf8').trim().split('\n');
    const all = entries.map((line) => JSON.parse(line) as Entry).filter((entry) => entry.label === label);
    const found = all.filter((entry) => judgeCommand(entry.cmd, guardContext()).decision !== label);
    return { share: found.length / all.length, commands: found.map((entry) => entry.cmd).join('\n') };
  };

  it.skipIf(!existsSync(file))('are blocked where letting them through would be a miss', () => {
    const { share, commands } = wrong('block');
    expect(share, commands).toBeLessThanOrEqual(missed);
  });

  it.skipIf(!existsSync(file))('are allowed where blocking would stop honest work', () => {
    const { share, commands } = wrong('allow');
    expect(share, commands).toBeLessThanOrEqual(falseAlarms);
  });
});
