import { UsageError } from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';

/** `ralph stream merge [N…]`: here, or with `--pr` as a pull request. */
export async function mergeStreams(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const into = textOf(flags, 'into');
  const base = textOf(flags, 'base');
  if (into !== undefined && base !== undefined && into !== base) {
    throw new UsageError({
      what: `--into ${into} and --base ${base} name different branches`,
      mend: ['give one of them'],
    });
  }
  if (!isOn(flags, 'pr')) {
    const { mergeHere } = await import('./merge-here.ts');
    return mergeHere(names, flags, io);
  }
  const { mergeByPullRequest } = await import('./merge-pr.ts');
  const [only, ...more] = names;
  if (more.length === 0) return mergeByPullRequest(only, flags, io);
  throw new UsageError({
    what: 'a pull request is of one stream',
    mend: names.map((name) => `ralph stream merge ${shellWord(name)} --pr`),
  });
}
