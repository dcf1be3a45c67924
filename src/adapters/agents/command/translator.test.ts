import { describe, expect, it } from 'vitest';
import { testTask } from '../../../../test/support/agent-task.ts';
import { command } from './adapter.ts';

const commandTranslator = () => command.translator(testTask({ cwd: '/project', tempDir: '/tmp/t' }));

describe('the output of a command', () => {
  it('keeps the end of a long answer, and stops making events of it', () => {
    const translator = commandTranslator();
    const events = Array.from({ length: 20_000 }, (_, index) => translator.line(`line ${index}`)).flat();
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(2_000);
    expect(events.filter(({ type }) => type === 'notice')).toEqual([{ type: 'notice', text: 'more output not shown' }]);
    const { text } = translator.end({ exitCode: 0, signal: null, stderr: '' });
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect(text.length).toBeGreaterThan(60 * 1024);
    expect(text.endsWith('line 19998\nline 19999')).toBe(true);
  });

  it('cuts long lines for events only', () => {
    const translator = commandTranslator();
    expect(translator.line('x'.repeat(5_000))).toEqual([{ type: 'text', text: 'x'.repeat(2_000) }]);
    expect(translator.end({ exitCode: 0, signal: null, stderr: '' }).text).toHaveLength(5_000);
  });
});
