import type { RunView } from '../../src/rules/view/model.ts';
import { questionIn } from '../../src/surfaces/terminal/words.ts';
import { controlToken } from '../api.ts';
import { ask } from '../controls/ask.ts';
import { answerAsk } from '../controls/asks.ts';
import { Icon } from '../parts/icon.tsx';
import { shutOut } from '../state/access.ts';
import { isLatest } from '../state/overview.ts';
import { said } from '../text.ts';
import { LongText } from '../transcript/long-text.tsx';

interface OpenQuestion {
  readonly id: string;
  readonly story: string;
  readonly text: string;
}

/** What waits for a person: open questions, and a breaker that let go. */
export function Attention({ project, view }: { readonly project: string; readonly view: RunView }) {
  const questions = openQuestions(view);
  const { breaker } = view;
  const tone = breaker.state === 'open' ? 'bad' : 'warn';
  if (questions.length === 0 && breaker.state === 'closed') return null;
  return (
    <section class="attention" aria-label="Waits for you">
      {breaker.state !== 'closed' && (
        <div class={`panel notice-card ${tone}`}>
          <h2>
            <Icon name="alert" /> The circuit breaker is {breaker.state}
          </h2>
          <LongText text={breaker.reason} lines={8} />
          <Lines lines={breaker.evidence} />
          <Lines lines={breaker.mend} />
        </div>
      )}
      {questions.map((question) => (
        <div key={question.id} class="panel notice-card warn">
          <h2 class="clamped">
            <Icon name="question" /> {said(question.id)} · {said(question.story)}
          </h2>
          <LongText text={question.text} lines={12} />
          {!isLatest(project, view.run) ? null : controlToken() === null ? (
            <p class="dim note">
              <code>ralph answer {said(question.id)} "…"</code>
            </p>
          ) : (
            <button
              type="button"
              class="button main"
              disabled={shutOut.value}
              onClick={() => ask(answerAsk(project, view.run, question))}
            >
              Answer
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="note">
      {lines.map((line) => (
        <li key={line} class="clamped" title={said(line)}>
          {said(line)}
        </li>
      ))}
    </ul>
  );
}

/** A question is open while its story is blocked by it. */
function openQuestions(view: RunView): readonly OpenQuestion[] {
  return view.stories.flatMap((story) => {
    const open = questionIn(story.blocked ?? undefined);
    return open === null ? [] : [{ id: open.id, story: story.id, text: open.text }];
  });
}
