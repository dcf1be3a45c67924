import type { ComponentChildren } from 'preact';
import { counted } from '../text.ts';

/** How many stories are done, blocked and left. */
export function StoryBar(props: { readonly total: number; readonly done: number; readonly blocked: number }) {
  const { total, done, blocked } = props;
  const blockedText = blocked > 0 ? `, ${blocked} blocked` : '';
  return (
    <span class="story-bar">
      <span class="track" role="img" aria-label={`${done} of ${counted(total, 'story', 'stories')} done${blockedText}`}>
        <span class="fill good" style={{ width: share(done, total) }} />
        <span class="fill hatched" style={{ width: share(blocked, total) }} />
      </span>
      <span class="number" aria-hidden="true">
        {done}/{total}
      </span>
    </span>
  );
}

/** A gauge: its name, what it stands at in words, and how full that is. Without a limit there is nothing to fill. */
export function Gauge(props: {
  readonly name: string;
  readonly value: number;
  readonly limit: number | null;
  readonly children: ComponentChildren;
  readonly note?: string | undefined;
}) {
  const { value, limit } = props;
  const used = limit === null || limit <= 0 ? null : value / limit;
  const tone = used === null || used < 0.75 ? 'accent' : used < 0.95 ? 'warn' : 'bad';
  return (
    <div class="gauge">
      <div class="gauge-head">
        <span class="dim">{props.name}</span>
        <span class="number">{props.children}</span>
      </div>
      <span class="track" aria-hidden="true">
        {used !== null && <span class={`fill ${tone}`} style={{ width: share(value, limit ?? 0) }} />}
      </span>
      {props.note !== undefined && <span class="note dim">{props.note}</span>}
    </div>
  );
}

/** A part of a whole as a width, between 0 % and 100 %. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return '0%';
  return `${Math.min(100, Math.max(0, (part / whole) * 100)).toFixed(2)}%`;
}
