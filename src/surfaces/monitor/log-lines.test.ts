import { describe, expect, it } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import { plain } from '../terminal/index.ts';
import { createLogLines } from './log-lines.ts';

const ENVELOPE = { ts: '2026-01-31T08:00:00.000Z', run: '20260131-080000-abcd', iteration: 0 };
const notice = (text: string): RalphEvent => ({ ...ENVELOPE, type: 'notice', level: 'info', text });

describe('lines of the log', () => {
  it('leave out events that are not what they say', () => {
    const lines = createLogLines(plain);
    const broken = [
      { type: 'eclipse' },
      { type: 'budget', overrun: { budget: 'moon' } },
      { type: 'agent', event: null },
      { type: 'constructor' },
      { type: 'agent', event: { type: 'toString' } },
    ];
    lines.see(notice('before'), 1);
    for (const [i, event] of broken.entries()) lines.see({ ...ENVELOPE, ...event } as never, i + 2);
    lines.see(notice('after'), 7);
    const { brief } = lines.view();
    expect(brief).toHaveLength(2);
    expect(brief.map(({ text }) => text).join(' ')).toMatch(/before.*after/);
  });

  it('do not say that Ctrl-C ends the run: here it detaches', () => {
    const lines = createLogLines(plain);
    lines.see({ ...ENVELOPE, type: 'wait', why: 'pause', until: null, text: 'paused' }, 1);
    const said = lines.view().brief.map(({ text }) => text);
    expect(said.join(' ')).toContain('paused');
    expect(said.join(' ')).not.toContain('Ctrl-C');
  });
});
