import { describe, expect, it } from 'vitest';
import type { EventBody, RunState } from '../../contracts/index.ts';
import { summaryOf } from '../../rules/view/index.ts';
import { plain, widthOf } from '../terminal/index.ts';
import { coloured } from '../terminal/paint.fixture.ts';
import { frame } from './frame.ts';
import { RUN_START, SELECT, START, sceneOf, storyRow, viewOf } from './scene.fixture.ts';
import { FIRST_UI, PANES } from './scene.ts';

const NOW = START + 20_000;

const stories = Array.from({ length: 40 }, (_, i) =>
  storyRow(`US-${String(i + 1).padStart(3, '0')}`, { title: '漢字 ñ 👩‍👩‍👧 '.repeat(9) }),
);
const view = viewOf(RUN_START, { type: 'backlog', whole: true, stories, removed: [] }, SELECT);
const lines = Array.from({ length: 400 }, (_, i) => coloured('bad', `line ${i} ${'漢'.repeat(i % 90)}`));
const logged = lines.map((text, i) => ({ text, iteration: i % 12 }));
const scene = sceneOf(view, { log: { brief: logged, full: logged, hasOlder: false } });

const text = (shown = scene, ui = FIRST_UI, size = { columns: 80, rows: 24 }) =>
  frame(shown, ui, size, NOW, plain).lines.join('\n');

describe('a frame', () => {
  it('never is higher or wider than the terminal, whatever is in it', () => {
    for (const pane of PANES) {
      for (const columns of [1, 12, 40, 71, 80, 90, 200]) {
        for (const rows of [1, 2, 5, 12, 24, 60]) {
          const { lines: drawn } = frame(scene, { ...FIRST_UI, pane, scroll: 3 }, { columns, rows }, NOW, coloured);
          expect(drawn.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
          for (const line of drawn) expect(widthOf(line)).toBeLessThan(Math.max(12, columns));
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
    expect(shown).toContain('`ralph run` recovers it');
    expect(shown).toContain('0:02');
  });

  it('asks for y or n on the smallest screen too', () => {
    const dialog = { kind: 'confirm', text: 'Stop the agent now? '.repeat(5), action: { do: 'pause' } } as const;
    expect(text(scene, { ...FIRST_UI, dialog }, { columns: 40, rows: 12 })).toMatch(/… y\/n$/);
  });

  it('has every key in its help, which moves where the screen is low', () => {
    const size = { columns: 40, rows: 12 };
    const { most } = frame(scene, { ...FIRST_UI, help: true }, size, NOW, plain).reach;
    const screens = Array.from({ length: most + 1 }, (_, scroll) =>
      text(scene, { ...FIRST_UI, help: true, scroll }, size),
    );
    expect(screens[0]).toMatch(/1 of \d+ · ↑ ↓ scroll/);
    for (const words of ['detach: the run continues', 'stop now; asks first', 'another work tree', 'to choose from'])
      expect(screens.join('\n')).toMatch(new RegExp(words.replaceAll(' ', '\\s+')));
  });

  it('breaks a message that is too long, so that the command it names is there', () => {
    const message = { text: `${'words and '.repeat(8)}: ralph init --force`, bad: true };
    expect(text(scene, { ...FIRST_UI, message }, { columns: 40, rows: 12 })).toMatch(/ralph\s+init\s+--force$/);
  });

  it('says what the run was asked for as long as it holds', () => {
    expect(text({ ...scene, asked: 'pause' })).toContain('pauses after this iteration: p cancels that');
    expect(text({ ...scene, asked: 'stop' }, FIRST_UI, { columns: 40, rows: 12 })).toContain('stops after this');
  });

  it('says of a silent agent how long it is silent, and when it is stopped', () => {
    const start = { type: 'agent-start', agent: 'claude', model: null, pid: 1, try: 1, iteration: 1 } as const;
    const silent = sceneOf(viewOf(RUN_START, SELECT, { ...start, idleTimeoutMs: 900_000 }));
    const at = (ms: number) => frame(silent, FIRST_UI, { columns: 80, rows: 24 }, START + ms, plain).lines.join('\n');
    expect(at(100_000)).toContain('the agent is thinking');
    expect(at(200_000)).toMatch(/no sign of life for 3m, stopped at 15m/);
  });

  it('does not count down in a run that was cut off while it waited', () => {
    const wait = { type: 'wait', why: 'limit', until: NOW + 65_000, text: 'five hours are used up' } as const;
    expect(text(sceneOf(viewOf(RUN_START, wait), { state: 'cut-off' }))).not.toContain('00:01:05');
  });

  it('tells of the lines that were found to which iteration they belong', () => {
    const ui = { ...FIRST_UI, pane: 'log', search: 'line 15 ' } as const;
    expect(text(scene, ui)).toMatch(/#3 +\S*line 15/);
  });

  it('shows the cursor of what is typed where it stands', () => {
    const dialog = { kind: 'note', text: 'the API', cursor: 4 } as const;
    expect(text(scene, { ...FIRST_UI, dialog })).toMatch(/prompt: the ▏API$/);
  });

  it('tells of ends and states that this version does not know', () => {
    const stories = [storyRow('US-001', { state: 'on hold' as never })];
    const totals = { total: 1, done: 0, blocked: 0 };
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const end = {
      type: 'run-end',
      exitCode: 3,
      summary: '',
      stories: totals,
      costUsd: 0,
      usage,
      durationMs: 1,
    } as const;
    const later = viewOf(
      RUN_START,
      { type: 'backlog', whole: true, stories, removed: [] },
      { ...end, reason: 'eclipse' as never },
    );
    const shown = text(sceneOf(later, { state: 'ended' }));
    expect(shown).toContain('eclipse (exit 3)');
    expect(shown).toContain('on hold');
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
    const other = { project: { ...one!.project, id: 'p2', name: 'app-login' }, state: 'ended' as const, summary: null };
    const shown = text({ ...scene, streams: [one!, other], selected: 1 });
    expect(shown).toContain(' 1 app ●');
    expect(shown).toContain('[2 app-login ■]');
  });

  it('counts the work trees that do not fit, and lists them all', () => {
    const [one] = scene.streams;
    const streams = Array.from({ length: 30 }, (_, i) => ({
      project: { ...one!.project, id: `p${i}`, name: `app-${i}`, root: `/projects/app-${i}` },
      state: i === 20 ? ('running' as const) : ('ended' as const),
      summary: null,
    }));
    const many = { ...scene, streams, selected: 12 };
    expect(text(many)).toMatch(/\[13 app-12 ■\].*… \d+ more \(o\)/);
    const list = text(many, { ...FIRST_UI, choosing: 'p12' }, { columns: 80, rows: 40 });
    expect(list).toMatch(/30 work trees.*21 ● running +app-20.*▸ 13 ■ ended +app-12/s);
    for (let i = 0; i < 30; i += 1) {
      expect(text(many, { ...FIRST_UI, choosing: `p${i}` }, { columns: 40, rows: 12 })).toMatch(
        new RegExp(`▸ *${i + 1} .*app-${i} `),
      );
    }
  });

  it('lists streams with what they do, and lanes below the run that they are of', () => {
    const trees = '/projects/app/.ralph/worktrees';
    const tab = (id: string, root: string, state: RunState, ...events: readonly EventBody[]) => ({
      project: { id, name: root.split('/').at(-1) ?? '', root, repository: '/projects/app/.git' },
      state,
      summary: summaryOf(viewOf(RUN_START, ...events), id, state),
    });
    const later = { type: 'turn-end', next: 'later', until: NOW + 65_000, why: 'limit', text: '' } as const;
    const streams = [
      tab('p1', '/projects/app', 'ended'),
      tab('p2', `${trees}/PRD-10`, 'between', later),
      tab('p3', `${trees}/PRD-2-lane-1`, 'running'),
      tab('p4', `${trees}/PRD-2`, 'running'),
    ];
    const shown = text({ ...scene, streams }, { ...FIRST_UI, choosing: 'p4' }, { columns: 120, rows: 40 });
    expect(shown).toMatch(/4 ● running +PRD-2 +0\/2 +\$0\.00 +ralph\/login.*3 ● running +└ lane 1 /s);
    expect(shown).toMatch(/└ lane 1 .*1 ■ ended +app .*2 ◦ between +PRD-10 .*usage limit 1:05/s);
  });

  it('says of a run between turns what it waits for, and how it goes on', () => {
    const later = {
      type: 'turn-end',
      next: 'later',
      until: NOW + 65_000,
      why: 'limit',
      text: 'no calls left',
    } as const;
    const project = { ...scene.streams[0]!.project, root: '/projects/app/.ralph/worktrees/PRD-2' };
    const streams = [{ project, state: 'between' as const, summary: null }];
    const waits = text(sceneOf(viewOf(RUN_START, later), { state: 'between', streams }));
    expect(waits).toMatch(/◦ between.*between two turns.*`ralph stream start 2` continues.*00:01:05.*usage limit/s);
    const next = { ...later, next: 'next', until: null, why: null } as const;
    expect(text(sceneOf(viewOf(RUN_START, next), { state: 'between' }))).toContain('for its turn');
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
