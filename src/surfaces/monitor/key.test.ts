import { describe, expect, it } from 'vitest';
import { keysOf } from './key.ts';

const NONE = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  tab: false,
  shift: false,
  return: false,
  escape: false,
  backspace: false,
  delete: false,
  ctrl: false,
  meta: false,
};

describe('keys', () => {
  it('have names where they have no character', () => {
    expect(keysOf('', { ...NONE, pageUp: true })).toEqual([{ name: 'page-up', text: '' }]);
    expect(keysOf('', { ...NONE, tab: true, shift: true })).toEqual([{ name: 'shift-tab', text: '' }]);
    expect(keysOf('', { ...NONE, delete: true })).toEqual([{ name: 'backspace', text: '' }]);
    expect(keysOf('c', { ...NONE, ctrl: true })).toEqual([{ name: 'ctrl-c', text: '' }]);
    expect(keysOf('', { ...NONE, escape: true, meta: true })).toEqual([{ name: 'escape', text: '' }]);
  });

  it('that were typed fast are taken apart', () => {
    expect(keysOf('né', NONE)).toEqual([
      { name: null, text: 'n' },
      { name: null, text: 'é' },
    ]);
  });

  it('behind a line break of a pasted text are dropped: they must not stop a run', () => {
    expect(keysOf('a\rS', NONE)).toEqual([
      { name: null, text: 'a' },
      { name: 'enter', text: '' },
    ]);
  });

  it('that nobody knows do nothing', () => {
    expect(keysOf('x', { ...NONE, ctrl: true })).toEqual([]);
    expect(keysOf('x', { ...NONE, meta: true })).toEqual([]);
  });
});
