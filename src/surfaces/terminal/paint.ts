import { styleText } from 'node:util';
import type { Tone } from '../../rules/text/index.ts';
import type { Io } from './io.ts';

export type Paint = (tone: Tone, text: string) => string;

const FORMATS: Readonly<Record<Tone, 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan'>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  dim: 'dim',
  strong: 'bold',
  accent: 'cyan',
};

export const plain: Paint = (_tone, text) => text;

const coloured: Paint = (tone, text) => (text === '' ? '' : styleText(FORMATS[tone], text, { validateStream: false }));

/** Colours on a terminal only; `FORCE_COLOR` and `NO_COLOR` override that, in this order. */
export function paintFor(io: Pick<Io, 'env' | 'isTTY'>): Paint {
  return wantsColour(io) ? coloured : plain;
}

function wantsColour({ env, isTTY }: Pick<Io, 'env' | 'isTTY'>): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return isTTY && env['TERM'] !== 'dumb';
}
