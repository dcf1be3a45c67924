import { describe, expect, it } from 'vitest';
import { coloured, plain } from '../terminal/paint.ts';
import { frame } from './frame.ts';
import { RUN_START, SELECT, START, sceneOf, storyRow, viewOf } from './scene.fixture.ts';
import { styledWidth } from './styled.ts';
import { FIRST_UI, PANES } from './ui.ts';

const NOW = START + 20_000;

const stories = Array.from({ length: 40 }, (_, i) =>
  storyRow(`US-${String(i + 1).padStart(3, '0')}`, { title: '漢字 ñ 👩‍👩‍👧 '.repeat(9) }),
);
const view = viewOf(RUN_START, { type: 'backlog', whole: true, stories, removed: [] }, SELECT);
const lines = Array.from({ length: 400 }, (_, i) => coloured('bad', `line ${i} ${'漢'.repeat(i % 90)}`));
const scene = sceneOf(view, { log: { brief: lines, full: lines, hasOlder: false } });

const text = (shown = scene, ui = FIRST_UI, size = { columns: 80, rows: 24 }) =>
  frame(shown, ui, size, NOW, plain).lines.join('\n');

describe('a frame', () => {
  it('never is higher or wider than the terminal, whatever is in it', () => {
    for (const pane of PANES) {
      for (const columns of [1, 12, 40, 71, 80, 90, 200]) {
        for (const rows of [1, 2, 5, 12, 24, 60]) {
          const { lines: drawn } = frame(scene, { ...FIRST_UI, pane, scroll: 3 }, { columns, rows }, NOW, coloured);
          expect(drawn.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
          for (const line of drawn) expect(styledWidth(line)).toBeLessThan(Math.max(12, columns));
        }
      }
    }
  });

  it('tells run, iteration, mode, story, limits and how long it takes', () => {
    const shown = text();
    expect(shown).toContain('iteration 1 of 15');
    expect(shown).toContain('implement · US-001 Log in');
    expect(shown).toContain('20260131-080000-abcd');
    expect(shown).toContain('0:20');
    expect(shown).toContain('$0.00 of $5.00');
    expect(shown).toContain('0 of 100');
    expect(shown).toContain('closed');
  });

  it('counts down what is waited for', () => {
    const wait = { type: 'wait', why: 'limit', until: NOW + 65_000, text: 'five hours are used up' } as const;
    const shown = text(sceneOf(viewOf(RUN_START, wait), { state: 'waiting' }));
    expect(shown).toContain('00:01:05 until');
    expect(shown).toContain('five hours are used up');
    expect(shown).toContain('◌ waiting');
  });

  it('says how a run that was cut off is picked up, and stops its clock', () => {
    const shown = text(sceneOf(view, { state: 'cut-off' }));
    expect(shown).toContain('✗ cut off');
    expect(shown).toContain('`ralph run` picks it up');
    expect(shown).toContain('0:02');
  });

  it('says that it waits where there is no run', () => {
    expect(text(sceneOf(null))).toContain('No run here yet');
  });

  it('lets nothing of what agents write act on the terminal', () => {
    const evil = 'x\u001b]0;title\u0007\u001b[2J\u202e';
    const shown = text(
      sceneOf(
        viewOf(
          { ...RUN_START, branch: evil, agent: evil },
          { type: 'backlog', whole: true, stories: [storyRow('US-001', { title: evil })], removed: [] },
          { ...SELECT, title: evil },
          { type: 'denied', iteration: 1, tool: evil, rule: evil, reason: evil, subject: evil },
        ),
      ),
      { ...FIRST_UI, pane: 'denials & tests' },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it('shows several work trees, the chosen one in brackets', () => {
    const [one] = scene.streams;
    const other = { project: { ...one!.project, id: 'p2', name: 'app-login' }, state: 'ended' as const };
    const shown = text({ ...scene, streams: [one!, other], selected: 1 });
    expect(shown).toContain(' 1 app ●');
    expect(shown).toContain('[2 app-login ■]');
  });

  it('keeps the story at work in view', () => {
    const late = viewOf(
      RUN_START,
      { type: 'backlog', whole: true, stories, removed: [] },
      {
        ...SELECT,
        story: 'US-037',
      },
    );
    expect(text(sceneOf(late))).toMatch(/▸○ US-037/);
  });
});
