import type { ComponentChildren } from 'preact';
import type { Refused } from '../api.ts';
import { said, saidLines } from '../text.ts';
import { Icon } from './icon.tsx';

export function Problem({ problem }: { readonly problem: Refused }) {
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p class="said">{saidLines(problem.message)}</p>
        {problem.fix.length > 0 && (
          <ul>
            {problem.fix.map((way) => (
              <li key={way}>{said(way)}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** The first row of a table. */
export function Heads({ heads }: { readonly heads: readonly string[] }) {
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Names and values; a value that is not known is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: string | null])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={said(value)}>{said(value)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Shown when there is no content: why, and what brings some. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty stack-2">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
