import type { ControlAction } from '../../src/contracts/control.ts';
import type { RunLimits, StoryDecision } from '../../src/contracts/state.ts';
import { said } from '../text.ts';
import type { Ask, AskField } from './ask.ts';

const NO_FIELDS: readonly AskField[] = [];

/** Pauses before the next iteration. */
export function pauseAsk(project: string): Ask {
  return plain(project, { do: 'pause' }, 'Pause the run', 'Pause', {
    text: 'The iteration under way goes on to its end. Then the run waits until it is resumed; waiting costs nothing.',
  });
}

export function resumeAsk(project: string): Ask {
  return plain(project, { do: 'resume' }, 'Resume the run', 'Resume', { text: 'The next iteration starts at once.' });
}

export function stopAsk(project: string, now: boolean): Ask {
  if (!now) {
    return plain(project, { do: 'stop', now }, 'Stop after this iteration', 'Stop after it', {
      text: 'The iteration under way is finished and kept. The next `ralph run` goes on from there.',
    });
  }
  return plain(project, { do: 'stop', now }, 'Stop now', 'Stop now', {
    text: 'The agent is ended and its iteration rolled back. What it changed is kept as a rescue.',
    grave: true,
  });
}

export function resetCircuitAsk(project: string): Ask {
  return plain(project, { do: 'reset-circuit' }, 'Reset the circuit breaker', 'Reset', {
    text: 'Iterations may start again at once. If nothing else changes, the breaker is likely to open again.',
  });
}

export function noteAsk(project: string): Ask {
  return {
    project,
    title: 'Note to the agent',
    text: 'The next prompt carries it, once.',
    confirm: 'Send',
    fields: [{ name: 'text', label: 'Note', kind: 'text', value: '', required: true }],
    action: ({ text = '' }) => (text.trim() === '' ? null : { do: 'note', text: text.trim() }),
  };
}

export function answerAsk(
  project: string,
  question: { readonly id: string; readonly story: string; readonly text: string },
): Ask {
  return {
    project,
    title: `Answer ${said(question.id)}`,
    text: `Story ${said(question.story)} waits for it. With the answer it is free again.`,
    quote: question.text,
    confirm: 'Answer',
    fields: [{ name: 'text', label: 'Answer', kind: 'text', value: '', required: true }],
    action: ({ text = '' }) => (text.trim() === '' ? null : { do: 'answer', question: question.id, text: text.trim() }),
  };
}

export function storyAsk(
  project: string,
  story: { readonly id: string; readonly title: string },
  decision: StoryDecision,
): Ask {
  const name = said(story.id);
  const texts = {
    approve: {
      title: `Approve ${name}`,
      text: 'It counts as done by your word, without a review.',
      confirm: 'Approve',
    },
    reopen: {
      title: `Re-open ${name}`,
      text: 'It is worked on again, with fresh attempts and reviews.',
      confirm: 'Re-open',
    },
  };
  return {
    project,
    ...texts[decision],
    quote: story.title,
    fields: NO_FIELDS,
    action: () => ({ do: 'story', story: story.id, decision }),
  };
}

interface LimitField {
  readonly name: keyof RunLimits;
  readonly label: string;
  readonly hint?: string;
  /** What one of the field is in the limit's own unit. */
  readonly unit: number;
}

const LIMITS: readonly LimitField[] = [
  { name: 'maxIterations', label: 'Iterations', unit: 1 },
  { name: 'calls', label: 'Agent starts per hour', unit: 1 },
  { name: 'maxCost', label: 'Cost in US dollars', hint: 'empty: no limit', unit: 1 },
  { name: 'maxTokens', label: 'Tokens', hint: 'empty: no limit', unit: 1 },
  { name: 'maxDurationMs', label: 'Duration in minutes', hint: 'empty: no limit', unit: 60_000 },
  { name: 'storyMaxCost', label: 'Cost per story in US dollars', hint: 'empty: no limit', unit: 1 },
  { name: 'storyMaxAttempts', label: 'Attempts per story', unit: 1 },
];

/** @param limits as they are; null when the log does not tell */
export function limitsAsk(project: string, limits: RunLimits | null): Ask {
  const shown = (field: LimitField): string => {
    const value = limits?.[field.name] ?? null;
    return value === null ? '' : String(value / field.unit);
  };
  return {
    project,
    title: 'Limits of this run',
    text: 'They hold from the next iteration on, for this run only.',
    confirm: 'Change',
    fields: LIMITS.map((field) => ({
      name: field.name,
      label: field.label,
      kind: 'number',
      value: shown(field),
      ...(field.hint === undefined ? {} : { hint: field.hint }),
    })),
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
