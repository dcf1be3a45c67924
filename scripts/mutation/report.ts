import { relative } from 'node:path';
import { root } from '../root.ts';
import type { Mutant } from './mutate.ts';

const NOTICED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const MISSED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

export interface ReportOptions {
  readonly sample: number | null;
  readonly seed: number;
  readonly skipStatic: boolean;
  readonly tookMs: number;
}

/** The closing words about an area: its score, by file where something was missed, and every mutant no test noticed. */
export function reportOf(area: string, mutants: readonly Mutant[], options: ReportOptions): string {
  const tried = mutants.filter(({ status }) => NOTICED.has(status) || MISSED.has(status));
  const missed = tried.filter(({ status }) => MISSED.has(status));
  const { sample, seed, skipStatic, tookMs } = options;
  const scope = skipStatic ? 'without static ones' : 'static ones too';
  const of = sample === null ? `all, ${scope}` : `${tried.length} of ${mutants.length}, seed ${seed}, ${scope}`;
  const score = tried.length === 0 ? 100 : (100 * (tried.length - missed.length)) / tried.length;
  return [
    '',
    ...missed.map(described),
    `${area}: ${tried.length - missed.length} of ${tried.length} mutants noticed (${of}): ${score.toFixed(1)} %, ${Math.round(tookMs / 1000)} s`,
  ].join('\n');
}

function described({ fileName, location, mutatorName, replacement, status }: Mutant): string {
  const { line, column } = location.start;
  const what = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 90);
  return `${relative(root, fileName)}:${line}:${column} ${status === 'NoCoverage' ? 'not run' : 'survived'} ${mutatorName} → ${what}`;
}
