import type { RunView } from '../../src/rules/view/model.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { clockTime, said } from '../text.ts';

/** Shown at once; the transcript has them all. */
const SHOWN = 12;

interface Line {
  readonly at: number;
  readonly text: string;
  readonly icon: IconName;
  readonly tone: string;
}

/** What is worth knowing besides the iterations: notices, and what people said from outside; the latest first. */
export function Notices({ view }: { readonly view: RunView }) {
  const lines = linesOf(view);
  if (lines.length === 0) return null;
  return (
    <section class="panel notices" aria-labelledby="notices">
      <h2 id="notices">Notices</h2>
      <ul>
        {lines.slice(0, SHOWN).map((line) => (
          <li key={`${line.at} ${line.text}`} class={line.tone}>
            <Icon name={line.icon} />
            <span class="clamped" title={said(line.text)}>
              {said(line.text)}
            </span>
            <time class="dim number" dateTime={new Date(line.at).toISOString()}>
              {clockTime(line.at, view.lastEventAt)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LEVEL = {
  info: { icon: 'note', tone: 'dim-icon' },
  warning: { icon: 'alert', tone: 'warn-icon' },
  error: { icon: 'cross-circle', tone: 'bad-icon' },
} as const;

function linesOf(view: RunView): readonly Line[] {
  const signs: readonly Line[] = [
    ...view.notices.last.map(({ at, text, level }) => ({ at, text, ...LEVEL[level] })),
    ...view.steered.last.map(({ at, text }) => ({ at, text, icon: 'sliders' as const, tone: 'accent-icon' })),
  ];
  return [...signs].sort((a, b) => b.at - a.at);
}
