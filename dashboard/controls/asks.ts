import { signal } from '@preact/signals';
import type { ControlAction, RequestedChange, RunLimits, StoryDecision } from '../../src/contracts/index.ts';
import { changesProblem, LONGEST_NOTE, noteProblem } from '../../src/rules/steering/index.ts';
import { counted, said } from '../text.ts';

/** A field of the form that an {@link Ask} shows. */
export interface AskField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number';
  readonly value: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** Only whole numbers. */
  readonly whole?: boolean;
  /** Bytes of UTF-8 that the text may have. */
  readonly maxBytes?: number;
}

/** A question to the user before an action. */
export interface Ask {
  readonly project: string;
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly text: string;
  /** Other people's or agents' words that the decision is about: shown unchanged. */
  readonly quote?: string;
  readonly confirm: string;
  /** It loses or cuts short something. */
  readonly grave?: boolean;
  readonly fields: readonly AskField[];
  /** The action for the fields' values; null when there is nothing to do. */
  readonly action: (values: Readonly<Record<string, string>>) => ControlAction | null;
  /** What is wrong with the values, in a sentence; null when nothing is. */
  readonly problem?: (values: Readonly<Record<string, string>>) => string | null;
  /** Called after the action. */
  readonly onDone?: () => void;
}

/** The open question; its dialog is in the shell. */
export const asked = signal<Ask | null>(null);

export function ask(what: Ask): void {
  asked.value = what;
}

const NO_FIELDS: readonly AskField[] = [];

export function pauseAsk(project: string): Ask {
  return plain(project, { do: 'pause' }, 'Pause the run', 'Pause', {
    text: 'The current iteration finishes. Then the run waits until you resume it; waiting costs nothing.',
  });
}

export function resumeAsk(project: string): Ask {
  return plain(project, { do: 'resume' }, 'Resume the run', 'Resume', {
    text: 'It continues with its next iteration.',
  });
}

export function stopAsk(project: string, now: boolean): Ask {
  if (!now) {
    return plain(project, { do: 'stop', now }, 'Stop after this iteration', 'Stop', {
      text: 'The current iteration finishes and is kept. The next `ralph run` continues from there.',
    });
  }
  return plain(project, { do: 'stop', now }, 'Stop now', 'Stop now', {
    text: 'The agent is stopped and its iteration rolled back. Its changes are kept in a rescue.',
    grave: true,
  });
}

export function resetCircuitAsk(project: string): Ask {
  return plain(project, { do: 'reset-circuit' }, 'Reset the circuit breaker', 'Reset', {
    text: 'Iterations can start again at once. Unless something else changes, the breaker may open again.',
  });
}

export function noteAsk(project: string): Ask {
  return {
    project,
    title: 'Note to the agent',
    text: 'The next prompt includes it, once.',
    confirm: 'Send',
    fields: [textField('Note')],
    problem: ({ text = '' }) => textProblem('The note', text),
    action: ({ text = '' }) => (text.trim() === '' ? null : { do: 'note', text: text.trim() }),
  };
}

export function answerAsk(
  project: string,
  run: string,
  question: { readonly id: string; readonly story: string; readonly text: string },
): Ask {
  return {
    project,
    title: `Answer ${said(question.id)}`,
    text: `Story ${said(question.story)} is blocked until you answer.`,
    quote: question.text,
    confirm: 'Answer',
    fields: [textField('Answer')],
    problem: ({ text = '' }) => textProblem('The answer', text),
    action: ({ text = '' }) =>
      text.trim() === '' ? null : { do: 'answer', question: question.id, text: text.trim(), run },
  };
}

export function storyAsk(
  project: string,
  run: string,
  story: { readonly id: string; readonly title: string },
  decision: StoryDecision,
): Ask {
  const name = said(story.id);
  const texts = {
    approve: {
      title: `Approve ${name}`,
      text: 'It is marked done without a review.',
      confirm: 'Approve',
    },
    reopen: {
      title: `Reopen ${name}`,
      text: 'The loop works on it again, with fresh attempts and reviews.',
      confirm: 'Reopen',
    },
  };
  return {
    project,
    ...texts[decision],
    quote: story.title,
    fields: NO_FIELDS,
    action: () => ({ do: 'story', story: story.id, title: story.title, run, decision }),
  };
}

/** @param comments on lines of its diff, sent together with what is typed here */
export function rejectAsk(
  project: string,
  run: string,
  story: { readonly id: string; readonly title: string },
  comments: readonly RequestedChange[] = [],
): Ask {
  const none = comments.length === 0;
  const sent = none ? '' : ` Your ${counted(comments.length, 'comment')} on lines will be sent with it.`;
  const changesIn = ({ text = '' }: Readonly<Record<string, string>>) => [
    ...(text.trim() === '' ? [] : [{ text: text.replaceAll('\r\n', '\n').trim() }]),
    ...comments,
  ];
  return {
    project,
    title: `Request changes in ${said(story.id)}`,
    text: `The next iteration works on it with your words, and the story is reviewed again.${sent}`,
    quote: story.title,
    confirm: 'Send back',
    fields: [{ ...textField(none ? 'What to change' : 'In general'), required: none }],
    problem: (values) => {
      const problem = changesProblem(changesIn(values));
      return problem === null ? null : `The rejection ${problem}.`;
    },
    action: (values) => ({ do: 'reject', story: story.id, title: story.title, run, changes: changesIn(values) }),
  };
}

function textField(label: string): AskField {
  const hint = `At most ${LONGEST_NOTE / 1024} KB.`;
  return { name: 'text', label, kind: 'text', value: '', required: true, maxBytes: LONGEST_NOTE, hint };
}

function textProblem(name: string, text: string): string | null {
  const problem = noteProblem(text.replaceAll('\r\n', '\n').trim());
  return problem === null ? null : `${name} ${problem}.`;
}

interface LimitField {
  readonly name: keyof RunLimits;
  readonly label: string;
  /** An empty field means no limit. */
  readonly open?: boolean;
  readonly whole?: boolean;
  /** One unit of the field, in the limit's own unit. */
  readonly unit: number;
}

const LIMITS: readonly LimitField[] = [
  { name: 'maxIterations', label: 'Iterations', unit: 1, whole: true },
  { name: 'calls', label: 'Agent starts per hour', unit: 1, whole: true },
  { name: 'maxCost', label: 'Cost in US dollars', open: true, unit: 1 },
  { name: 'maxTokens', label: 'Tokens', open: true, unit: 1, whole: true },
  { name: 'maxDurationMs', label: 'Duration in minutes', open: true, unit: 60_000 },
  { name: 'storyMaxCost', label: 'Cost per story in US dollars', open: true, unit: 1 },
  { name: 'storyMaxAttempts', label: 'Attempts per story', unit: 1, whole: true },
];

/** @param limits the current ones; null when the log does not have them */
export function limitsAsk(project: string, limits: RunLimits | null): Ask {
  const shown = (field: LimitField): string => {
    const value = limits?.[field.name] ?? null;
    return value === null ? '' : String(value / field.unit);
  };
  return {
    project,
    title: 'Limits of this run',
    text: 'They apply at once, to this run only. A limit that is already exceeded stops the agent.',
    confirm: 'Change',
    fields: LIMITS.map((field) => ({
      name: field.name,
      label: field.label,
      kind: 'number',
      value: shown(field),
      hint: field.open ? 'empty: no limit' : 'a whole number',
      // When the log does not have the limits, an empty field leaves its limit unchanged.
      required: limits !== null && !field.open,
      whole: field.whole ?? false,
    })),
    problem: (values) => {
      const empty = LIMITS.find((field) => limits !== null && !field.open && (values[field.name] ?? '').trim() === '');
      return empty === undefined ? null : `${empty.label}: enter a number.`;
    },
    action: (values) => {
      const changed: Record<string, number | null> = {};
      for (const field of LIMITS) {
        const value = (values[field.name] ?? '').trim();
        if (value !== shown(field)) changed[field.name] = value === '' ? null : Number(value) * field.unit;
      }
      return Object.keys(changed).length === 0 ? null : { do: 'limits', limits: changed as Partial<RunLimits> };
    },
  };
}

function plain(
  project: string,
  action: ControlAction,
  title: string,
  confirm: string,
  more: Pick<Ask, 'text' | 'grave'>,
): Ask {
  return { project, title, confirm, fields: NO_FIELDS, action: () => action, ...more };
}
