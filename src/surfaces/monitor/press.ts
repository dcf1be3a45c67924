import type { ControlAction } from '../../contracts/index.ts';
import { AWAITS_APPROVAL } from '../../rules/backlog/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import { openChoice, pressInChoice, pressInDialog } from './dialogs.ts';
import { openQuestions } from './header.ts';
import type { Key, KeyName } from './key.ts';
import { type Asking, type Outcome, PANES, type Scene, type Typing, type Ui } from './scene.ts';

/** How far the shown pane can scroll, and how much of it is seen at once. */
export interface Reach {
  readonly most: number;
  readonly page: number;
}

type Press = (ui: Ui, scene: Scene, reach: Reach) => Outcome;

const stay = (ui: Ui): Outcome => ({ ui, wish: null });
const complain = (ui: Ui, text: string): Outcome => stay({ ...ui, message: { text, bad: true } });
const control = (ui: Ui, action: ControlAction): Outcome => ({ ui, wish: { do: 'control', action } });
const type = (ui: Ui, dialog: Omit<Typing, 'text' | 'cursor'>): Outcome =>
  stay({ ...ui, dialog: { ...dialog, text: '', cursor: 0 } });

function turn(ui: Ui, step: number): Outcome {
  const at = PANES.indexOf(ui.pane);
  const pane = PANES[(at + step + PANES.length) % PANES.length] ?? 'overview';
  return stay({ ...ui, pane, scroll: 0 });
}

/** The log scrolls away from its end, the other panes from their beginning. */
function move(ui: Ui, scene: Scene, { most }: Reach, towardsEnd: number): Outcome {
  const scroll = Math.min(most, Math.max(0, ui.scroll + (isLog(ui) ? -towardsEnd : towardsEnd)));
  const wantsOlder = isLog(ui) && scroll === most && towardsEnd < 0 && scene.log.hasOlder;
  return { ui: { ...ui, scroll }, wish: wantsOlder ? { do: 'older-lines' } : null };
}

const isLog = ({ pane }: Ui) => pane === 'log' || pane === 'overview';

const pause: Press = (ui, { state, asked }) => {
  const goesOn = state === 'paused' || asked !== null;
  return control(ui, { do: goesOn ? 'resume' : 'pause' });
};

const stopNow: Press = (ui) =>
  stay({
    ...ui,
    dialog: {
      kind: 'confirm',
      text: 'Stop the agent now? Its work of this iteration is kept in a rescue.',
      action: { do: 'stop', now: true },
    },
  });

const answer: Press = (ui, { view }) => {
  const [question] = view === null ? [] : openQuestions(view);
  if (view === null || question === undefined) return complain(ui, 'no question is open');
  return type(ui, { kind: 'answer', question: { ...question, run: view.run } });
};

/** One question for each story that waits, so that one can be left out. */
const approve: Press = (ui, { view }) => {
  const held = (view?.stories ?? []).filter(({ blocked }) => blocked === AWAITS_APPROVAL);
  const dialog = held.reduceRight<Asking | null>((next, { id, title }) => {
    const action: ControlAction = { do: 'story', story: id, title, run: view?.run ?? '', decision: 'approve' };
    return { kind: 'confirm', text: `Approve ${oneLine(`${id}, ${title}`)}?`, action, next };
  }, null);
  return dialog === null ? complain(ui, 'no story waits for your approval') : stay({ ...ui, dialog });
};

/** The last story that was worked on is meant, unless the text begins with the id of another. */
const reject: Press = (ui, { view }) => {
  const stories = (view?.stories ?? []).filter(
    ({ state, blocked }) => blocked === AWAITS_APPROVAL || (state !== 'to do' && state !== 'blocked'),
  );
  const last = view?.iterations.findLast(({ story }) => stories.some(({ id }) => id === story))?.story;
  const first = stories.find(({ id }) => id === last) ?? stories[0];
  if (view === null || first === undefined) return complain(ui, 'no story is implemented');
  return type(ui, { kind: 'reject', rejectable: { stories: [first, ...stories], run: view.run } });
};

const agentLog = (ui: Ui, { view }: Scene, raw: boolean): Outcome => {
  const iterations = view?.iterations ?? [];
  // In the list of iterations the top one on the screen is meant, elsewhere the last.
  const chosen =
    ui.pane === 'iterations' && ui.scroll > 0 ? iterations[iterations.length - 1 - ui.scroll] : iterations.at(-1);
  if (chosen === undefined) return complain(ui, 'no iteration has begun');
  return { ui, wish: { do: 'agent-log', iteration: chosen.iteration, raw } };
};

/** What a character does; the hints of `frame.ts` have the words. */
const LETTERS: Readonly<Record<string, Press>> = {
  q: (ui) => ({ ui, wish: { do: 'detach' } }),
  p: pause,
  s: (ui) => control(ui, { do: 'stop', now: false }),
  S: stopNow,
  r: (ui) => control(ui, { do: 'reset-circuit' }),
  n: (ui) => type(ui, { kind: 'note' }),
  a: answer,
  A: approve,
  x: reject,
  l: (ui, scene) => agentLog(ui, scene, false),
  L: (ui, scene) => agentLog(ui, scene, true),
  o: (ui, scene) => stay(openChoice(ui, scene)),
  v: (ui) => stay({ ...ui, verbose: !ui.verbose, scroll: 0 }),
  '/': (ui) => type({ ...ui, pane: 'log', scroll: 0 }, { kind: 'search' }),
  '?': (ui) => stay({ ...ui, help: true, scroll: 0 }),
  '[': (ui) => ({ ui, wish: { do: 'run', step: -1 } }),
  ']': (ui) => ({ ui, wish: { do: 'run', step: 1 } }),
};

const NAMED: Readonly<Partial<Record<KeyName, Press>>> = {
  tab: (ui) => turn(ui, 1),
  'shift-tab': (ui) => turn(ui, -1),
  escape: (ui) => stay({ ...ui, search: '', scroll: 0 }),
};

export function press(ui: Ui, key: Key, scene: Scene, reach: Reach): Outcome {
  if (ui.dialog !== null) return pressInDialog(ui, ui.dialog, key);
  const quiet = { ...ui, message: null };
  if (key.name === 'ctrl-c') return { ui: quiet, wish: { do: 'interrupt' } };
  if (ui.choosing !== null) return pressInChoice(quiet, key, scene, reach.page);
  if (ui.help && key.text !== 'q') return pressInHelp(quiet, key, reach);
  if (/^[1-9]$/.test(key.text)) return choose(quiet, scene, Number(key.text) - 1);
  const step = STEPS[key.name ?? ''];
  if (step !== undefined) return move(quiet, scene, reach, step(reach.page));
  const act = key.name !== null ? NAMED[key.name] : Object.hasOwn(LETTERS, key.text) ? LETTERS[key.text] : undefined;
  return act ? act(quiet, scene, reach) : stay(quiet);
}

/** Scroll keys scroll it where it does not fit; any other key closes it. */
function pressInHelp(ui: Ui, key: Key, { most, page }: Reach): Outcome {
  const step = STEPS[key.name ?? ''];
  if (step === undefined || most === 0) return stay({ ...ui, help: false, scroll: 0 });
  return stay({ ...ui, scroll: Math.min(most, Math.max(0, ui.scroll + step(page))) });
}

/** Lines that a key moves by. */
const STEPS: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  down: () => 1,
  'page-up': (page) => -page,
  'page-down': (page) => page,
  home: () => -Number.MAX_SAFE_INTEGER,
  end: () => Number.MAX_SAFE_INTEGER,
};

function choose(ui: Ui, { streams }: Scene, index: number): Outcome {
  const stream = streams[index];
  if (stream === undefined) return complain(ui, `there is no stream ${index + 1}`);
  const message = { text: oneLine(stream.project.name), bad: false };
  return { ui: { ...ui, scroll: 0, message }, wish: { do: 'stream', index } };
}
