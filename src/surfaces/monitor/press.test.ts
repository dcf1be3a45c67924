import { describe, expect, it } from 'vitest';
import { AWAITS_APPROVAL } from '../../rules/backlog/index.ts';
import { plain } from '../terminal/index.ts';
import { frame } from './frame.ts';
import type { Key } from './key.ts';
import { press } from './press.ts';
import { RUN_START, SELECT, START, sceneOf, storyRow, viewOf } from './scene.fixture.ts';
import { FIRST_UI, type Ui } from './scene.ts';

const REACH = { most: 100, page: 10 };
const scene = sceneOf(viewOf(RUN_START, SELECT));
const letter = (text: string): Key => ({ name: null, text });
const pressed = (ui: Ui, ...keys: readonly Key[]) =>
  keys.reduce((outcome, key) => press(outcome.ui, key, scene, REACH), press(ui, letter('·'), scene, REACH));
const typed = (text: string) => Array.from(text, letter);
const enter: Key = { name: 'enter', text: '' };

describe('keys', () => {
  it('pause a run that goes on, and let one go on that is paused or was told to pause', () => {
    expect(pressed(FIRST_UI, letter('p')).wish).toEqual({ do: 'control', action: { do: 'pause' } });
    expect(press(FIRST_UI, letter('p'), { ...scene, asked: 'stop' }, REACH).wish).toEqual({
      do: 'control',
      action: { do: 'resume' },
    });
    const paused = { ...scene, state: 'paused' as const };
    expect(press(FIRST_UI, letter('p'), paused, REACH).wish).toEqual({ do: 'control', action: { do: 'resume' } });
  });

  it('tell Ctrl-C from q: beside a run it means the run', () => {
    expect(pressed(FIRST_UI, letter('q')).wish).toEqual({ do: 'detach' });
    expect(pressed(FIRST_UI, { name: 'ctrl-c', text: '' }).wish).toEqual({ do: 'interrupt' });
  });

  it('stop at once only after a yes', () => {
    expect(pressed(FIRST_UI, letter('S')).wish).toBeNull();
    expect(pressed(FIRST_UI, letter('S'), letter('n')).wish).toBeNull();
    expect(pressed(FIRST_UI, letter('S'), enter).wish).toBeNull();
    expect(pressed(FIRST_UI, letter('S'), letter('y')).wish).toEqual({
      do: 'control',
      action: { do: 'stop', now: true },
    });
  });

  it('type a note, in which letters are letters', () => {
    const note = pressed(FIRST_UI, letter('n'), ...typed('Sq é'), { name: 'backspace', text: '' }, letter('!'), enter);
    expect(note.wish).toEqual({ do: 'control', action: { do: 'note', text: 'Sq !' } });
    expect(pressed(FIRST_UI, letter('n'), ...typed('x'), { name: 'escape', text: '' }).wish).toBeNull();
    expect(pressed(FIRST_UI, letter('n'), enter).wish).toBeNull();
  });

  it('answer a question that blocks a story', () => {
    const asked = viewOf(RUN_START, {
      type: 'backlog',
      whole: true,
      stories: [storyRow('US-001', { state: 'blocked', blocked: 'question Q1: euros?' })],
      removed: [],
    });
    const typing = press(FIRST_UI, letter('a'), sceneOf(asked), REACH).ui;
    expect(pressed(typing, ...typed('yes'), enter).wish).toEqual({
      do: 'control',
      action: { do: 'answer', question: 'Q1', text: '·yes', run: asked.run },
    });
    expect(pressed(FIRST_UI, letter('a')).ui.message?.bad).toBe(true);
  });

  it('reject the last story that was worked on, or the one that is named first', () => {
    const view = viewOf(RUN_START, SELECT, {
      type: 'backlog',
      whole: true,
      stories: [storyRow('US-000', { state: 'done' }), storyRow('US-001', { state: 'needs review' })],
      removed: [],
    });
    const typing = press(FIRST_UI, letter('x'), sceneOf(view), REACH).ui;
    const sent = (text: string) => {
      const { wish } = [...typed(text), enter].reduce(
        (outcome, key) => press(outcome.ui, key, sceneOf(view), REACH),
        press(typing, { name: 'end', text: '' }, sceneOf(view), REACH),
      );
      return wish?.do === 'control' ? wish.action : null;
    };
    const rejected = { do: 'reject', run: view.run, title: expect.any(String) };
    expect(sent('round it')).toEqual({ ...rejected, story: 'US-001', changes: [{ text: 'round it' }] });
    expect(sent('us-000: test it')).toEqual({ ...rejected, story: 'US-000', changes: [{ text: 'test it' }] });
    expect(sent(' ')).toBeNull();
    expect(pressed(FIRST_UI, letter('x')).ui.message?.text).toBe('no story is implemented');
  });

  it('approve stories that wait for it, one by one; only then the foot of the screen has the key', () => {
    const view = viewOf(RUN_START, {
      type: 'backlog',
      whole: true,
      stories: ['US-1', 'US-2', 'US-3'].map((id) => storyRow(id, { state: 'blocked', blocked: AWAITS_APPROVAL })),
      removed: [],
    });
    const waiting = sceneOf(view);
    expect(press(FIRST_UI, letter('x'), waiting, REACH).ui.dialog?.kind).toBe('reject');
    const said: unknown[] = [];
    let ui = FIRST_UI;
    for (const key of ['A', 'y', 'n', 'Y', 'q']) {
      const outcome = press(ui, letter(key), waiting, REACH);
      said.push(outcome.wish);
      ui = outcome.ui;
    }
    const approval = (story: string) => ({
      do: 'control',
      action: { do: 'story', decision: 'approve', story, title: `story ${story}`, run: view.run },
    });
    expect(said).toEqual([null, approval('US-1'), null, approval('US-3'), { do: 'detach' }]);
    const foot = (shown: typeof scene) => frame(shown, FIRST_UI, { columns: 120, rows: 24 }, START, plain).lines.at(-1);
    expect(foot(waiting)).toContain('A approve');
    expect(foot(scene)).not.toContain('approve');
    expect(pressed(FIRST_UI, letter('A')).ui.message?.text).toBe('no story waits for your approval');
  });

  it('move the log up from its end, other panes down from their beginning, never too far', () => {
    const log = { ...FIRST_UI, pane: 'log' as const };
    expect(pressed(log, { name: 'page-up', text: '' }).ui.scroll).toBe(10);
    expect(pressed(log, { name: 'home', text: '' }).ui.scroll).toBe(100);
    expect(pressed({ ...log, scroll: 5 }, { name: 'end', text: '' }).ui.scroll).toBe(0);
    expect(pressed({ ...FIRST_UI, pane: 'stories' }, { name: 'end', text: '' }).ui.scroll).toBe(100);
    expect(pressed({ ...FIRST_UI, pane: 'stories' }, { name: 'up', text: '' }).ui.scroll).toBe(0);
  });

  it('ask for older lines at the top of the log', () => {
    const older = { ...scene, log: { ...scene.log, hasOlder: true } };
    const ui = { ...FIRST_UI, pane: 'log' as const };
    expect(press(ui, { name: 'home', text: '' }, older, REACH).wish).toEqual({ do: 'older-lines' });
  });

  it('choose a work tree that is there', () => {
    expect(pressed(FIRST_UI, letter('1')).wish).toEqual({ do: 'stream', index: 0 });
    expect(pressed(FIRST_UI, letter('7')).ui.message?.text).toContain('no stream 7');
  });

  it('say that an empty note is none', () => {
    expect(pressed(FIRST_UI, letter('n'), enter).ui).toMatchObject({ dialog: null, message: { bad: true } });
  });

  it('choose from the list of work trees, those with a run under way first', () => {
    const [one] = scene.streams;
    const tab = (id: string, state: 'running' | 'ended') => ({
      project: { ...one!.project, id, root: `/projects/${id}` },
      state,
      summary: null,
    });
    const many = { ...scene, streams: [tab('a', 'ended'), tab('b', 'ended'), tab('c', 'running')], selected: 0 };
    const listed = (...names: readonly Key[]) =>
      names.reduce((outcome, key) => press(outcome.ui, key, many, REACH), press(FIRST_UI, letter('o'), many, REACH));
    const key = (name: Key['name']): Key => ({ name, text: '' });
    expect(listed(key('up'), enter)).toMatchObject({ wish: { do: 'stream', index: 2 }, ui: { choosing: null } });
    expect(listed(key('end'), enter).wish).toEqual({ do: 'stream', index: 1 });
    expect(listed(key('down'), key('escape'))).toMatchObject({ wish: null, ui: { choosing: null } });
    expect(listed(key('ctrl-c')).wish).toEqual({ do: 'interrupt' });
  });

  it('open what the agent did at l, and what it printed at L', () => {
    expect(pressed(FIRST_UI, letter('l')).wish).toEqual({ do: 'agent-log', iteration: 1, raw: false });
    expect(pressed(FIRST_UI, letter('L')).wish).toEqual({ do: 'agent-log', iteration: 1, raw: true });
  });

  it('move the help where there is more of it, and close it else', () => {
    const down: Key = { name: 'down', text: '' };
    const help = { ...FIRST_UI, help: true };
    expect(press(help, down, scene, REACH).ui).toMatchObject({ help: true, scroll: 1 });
    expect(press(help, down, scene, { most: 0, page: 5 }).ui.help).toBe(false);
  });

  it('close the help before they do anything else', () => {
    const { ui, wish } = pressed(FIRST_UI, letter('?'), letter('s'));
    expect(ui.help).toBe(false);
    expect(wish).toBeNull();
  });
});
