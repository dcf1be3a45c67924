import { UsageError } from '../../contracts/errors.ts';
import { parseCount, type RawFlags, textOf } from '../shared/flags.ts';

/** The flags with the number that was given as an argument: that of the spec folder. @throws UsageError */
export function placed(flags: RawFlags, number: string | undefined): RawFlags {
  if (number === undefined) return flags;
  const prd = String(parseCount(number.replace(/^PRD-/i, ''), 'the number of the PRD'));
  const other = textOf(flags, 'prd');
  if (other === undefined || other === prd) return { ...flags, prd };
  throw new UsageError({ what: `--prd ${other} and ${prd} name different spec folders`, mend: ['give one of them'] });
}
