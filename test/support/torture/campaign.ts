import { describeCase, type TortureCase } from './case.ts';
import { play } from './play.ts';
import { saveCase } from './save.ts';
import { shrink } from './shrink.ts';

export interface Campaign {
  /** The next case, or null when there are no more. */
  next(): TortureCase | null;
  /** Cases at a time. */
  readonly lanes: number;
  /** How long a failing case may be shrunk. */
  readonly shrinkMs: number;
  say(line: string): void;
}

export interface CampaignEnd {
  readonly played: number;
  readonly failed: readonly {
    readonly torture: TortureCase;
    readonly file: string;
    readonly violations: readonly string[];
  }[];
  /** KiB, the most that a loop took. */
  readonly peakMemory: number;
  /** How often each exit code was seen. */
  readonly codes: Readonly<Record<string, number>>;
}

/** Plays case after case; a failing one is shrunk and saved. */
export async function runCampaign({ next, lanes, shrinkMs, say }: Campaign): Promise<CampaignEnd> {
  const failed: CampaignEnd['failed'][number][] = [];
  const codes: Record<string, number> = {};
  let played = 0;
  let peakMemory = 0;
  const lane = async (): Promise<void> => {
    for (let torture = next(); torture !== null; torture = next()) {
      const result = await play(torture);
      played += 1;
      peakMemory = Math.max(peakMemory, result.peakMemory);
      for (const code of result.codes) codes[code] = (codes[code] ?? 0) + 1;
      say(
        `${result.violations.length === 0 ? '✓' : '✗'} seed ${torture.seed}: ${describeCase(torture)} (${result.codes.join(' ')})`,
      );
      if (result.violations.length > 0) failed.push(await keep(torture, result.violations));
    }
  };
  const keep = async (torture: TortureCase, violations: readonly string[]): Promise<CampaignEnd['failed'][number]> => {
    say(`  seed ${torture.seed}: ${violations[0]?.split('\n')[0]}; makes it smaller …`);
    const end = Date.now() + shrinkMs;
    let found = violations;
    const smallest = await shrink(
      torture,
      async (smaller) => {
        const result = await play(smaller);
        // Smaller, and the same thing wrong: another fault would be another case.
        const same = result.violations.some((line) => kindOf(line) === kindOf(violations[0] ?? ''));
        if (same) found = result.violations;
        return same;
      },
      () => Date.now() < end,
    );
    const file = await saveCase(smallest, found);
    say(`  ✗ seed ${torture.seed}, as small as it got: ${describeCase(smallest)}`);
    for (const line of found) say(`    ${line.replaceAll('\n', '\n      ')}`);
    say(`  npm run torture -- --replay ${file}`);
    return { torture: smallest, file, violations: found };
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { played, failed, peakMemory, codes };
}

/** What kind of violation a line tells of: its first words. Pure. */
const kindOf = (line: string): string => line.split(/[ :]/).slice(0, 3).join(' ');
