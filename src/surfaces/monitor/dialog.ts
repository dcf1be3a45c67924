import { oneLine } from '../terminal/sanitise.ts';
import { displayWidth, truncate } from '../terminal/width.ts';
import type { Key } from './key.ts';
import { edited } from './line-edit.ts';
import type { Canvas } from './scene.ts';
import type { Asking, Outcome, Typing, Ui } from './ui.ts';

/** What a key does while something is asked or typed. Pure. */
export function pressInDialog(ui: Ui, dialog: Typing | Asking, key: Key): Outcome {
  const closed = { ...ui, dialog: null, message: null };
  if (key.name === 'escape' || key.name === 'ctrl-c') return { ui: closed, wish: null };
  if (dialog.kind === 'confirm') {
    if (key.text === 'y' || key.text === 'Y') return { ui: closed, wish: { do: 'control', action: dialog.action } };
    return { ui: closed, wish: null };
  }
  if (key.name === 'enter') return submit(closed, dialog);
  return { ui: { ...ui, message: null, dialog: { ...dialog, ...edited(dialog, key) } }, wish: null };
}

function submit(ui: Ui, { kind, text, question }: Typing): Outcome {
  const said = oneLine(text);
  if (kind === 'search') return { ui: { ...ui, search: said, scroll: 0 }, wish: null };
  if (said === '') return { ui: { ...ui, message: { text: `an empty ${kind} is not sent`, bad: true } }, wish: null };
  if (kind === 'note') return { ui, wish: { do: 'control', action: { do: 'note', text: said } } };
  if (question === undefined) return { ui, wish: null };
  return {
    ui,
    wish: { do: 'control', action: { do: 'answer', question: question.id, text: said, run: question.run } },
  };
}

const PROMPTS: Readonly<Record<Typing['kind'], string>> = {
  note: 'note for the next prompt:',
  answer: 'answer:',
  search: 'search:',
};

/** The dialog at the foot of the screen. Pure. */
export function dialogLine(dialog: Typing | Asking, { paint, width }: Canvas): string {
  // What is asked may be cut, how to answer never is.
  if (dialog.kind === 'confirm') return `${paint('warn', truncate(dialog.text, width - 4))} ${paint('strong', 'y/n')}`;
  const prompt = dialog.question
    ? truncate(`answer ${oneLine(`${dialog.question.id}, ${dialog.question.text}`)}:`, Math.floor(width * 0.6))
    : PROMPTS[dialog.kind];
  const room = Math.max(2, width - displayWidth(prompt) - 2);
  const before = endOf(shownPart(dialog.text.slice(0, dialog.cursor)), room);
  const behind = truncate(shownPart(dialog.text.slice(dialog.cursor)), room - displayWidth(before));
  return `${paint('strong', prompt)} ${before}${paint('accent', '▏')}${behind}`;
}

/** Safe, with the blanks at both ends, which belong to what is being typed. */
function shownPart(text: string): string {
  return oneLine(`.${text}.`).slice(1, -1);
}

/** Of a text that is longer than its place, the end: that is where it grows. */
function endOf(text: string, columns: number): string {
  let rest = text;
  while (displayWidth(rest) > columns)
    rest = Array.from(rest)
      .slice(Math.max(1, rest.length - columns * 2))
      .join('');
  return rest;
}
