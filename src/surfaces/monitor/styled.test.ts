import { describe, expect, it } from 'vitest';
import { plain, unpainted, widthOf } from '../terminal/index.ts';
import { coloured } from '../terminal/paint.fixture.ts';
import { apart, bar, beside, cutStyled, flow } from './styled.ts';

describe('lines with styles', () => {
  const line = `${coloured('bad', 'red')} and ${coloured('good', 'green 漢字')}`;

  it('take as many columns as their text', () => {
    expect(widthOf(line)).toBe('red and green '.length + 4);
  });

  it('are cut to a width without leaving a style open', () => {
    const cut = cutStyled(line, 6);
    expect(unpainted(cut)).toBe('red a…');
    expect(cut.endsWith('\u001b[39m')).toBe(true);
  });

  it('never split a wide character', () => {
    expect(widthOf(cutStyled(line, 16))).toBeLessThanOrEqual(16);
  });

  it('give way on the left where two stand apart', () => {
    expect(apart('a long text on the left', 'right', 20)).toBe('a long text …  right');
    expect(apart('left', '', 20)).toBe('left');
  });

  it('stand beside each other in step', () => {
    expect(beside(['a', 'bb'], ['c'], { leftWidth: 3, gap: 1, width: 10 })).toEqual(['a   c', 'bb  ']);
  });

  it('flow into as many lines as they need', () => {
    expect(flow(['one', 'two', 'three'], 10, ' · ')).toEqual(['one · two', 'three']);
  });
});

describe('a bar', () => {
  it('is as long as asked, whatever the share', () => {
    for (const share of [-1, 0, 0.5, 1, 7, Number.NaN]) expect(bar(share, 10, plain, 'good')).toHaveLength(10);
    expect(bar(0.5, 10, plain, 'good')).toBe('█████░░░░░');
  });
});
