import { styleText } from 'node:util';
import type { Io } from './io.ts';

/** What a piece of text means; how that looks is decided here alone. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong' | 'accent';

export type Paint = (tone: Tone, text: string) => string;

type Format = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan';

const FORMATS: Readonly<Record<Tone, Format>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
};

/** Text as it is. */
export const plain: Paint = (_tone, text) => text;

/** Text with ANSI colours. */
export const coloured: Paint = (tone, text) =>
  text === '' ? '' : styleText(FORMATS[tone], text, { validateStream: false });

/** Colours on a terminal only; `FORCE_COLOR` and `NO_COLOR` win over that, in this order. */
export function paintFor(io: Pick<Io, 'env' | 'isTTY'>): Paint {
  return wantsColour(io) ? coloured : plain;
}

function wantsColour({ env, isTTY }: Pick<Io, 'env' | 'isTTY'>): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return isTTY && env['TERM'] !== 'dumb';
}
