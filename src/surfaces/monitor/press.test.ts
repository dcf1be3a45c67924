import { describe, expect, it } from 'vitest';
import type { Key } from './key.ts';
import { press } from './press.ts';
import { RUN_START, SELECT, sceneOf, storyRow, viewOf } from './scene.fixture.ts';
import { FIRST_UI, type Ui } from './ui.ts';

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
    expect(pressed({ ...FIRST_UI, told: 'stop' }, letter('p')).wish).toEqual({
      do: 'control',
      action: { do: 'resume' },
    });
    const paused = { ...scene, state: 'paused' as const };
    expect(press(FIRST_UI, letter('p'), paused, REACH).wish).toEqual({ do: 'control', action: { do: 'resume' } });
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

  it('answer the question that a story waits with', () => {
    const asked = viewOf(RUN_START, {
      type: 'backlog',
      whole: true,
      stories: [storyRow('US-001', { state: 'blocked', blocked: 'question Q1: euros?' })],
      removed: [],
    });
    const typing = press(FIRST_UI, letter('a'), sceneOf(asked), REACH).ui;
    expect(pressed(typing, ...typed('yes'), enter).wish).toEqual({
      do: 'control',
      action: { do: 'answer', question: 'Q1', text: '·yes' },
    });
    expect(pressed(FIRST_UI, letter('a')).ui.message?.bad).toBe(true);
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

  it('close the help before they do anything else', () => {
    const { ui, wish } = pressed(FIRST_UI, letter('?'), letter('s'));
    expect(ui.help).toBe(false);
    expect(wish).toBeNull();
  });
});
