import { html, type Markup, type Part } from './markup.ts';

/** A part of the report under a heading; nothing at all when it has nothing to say. */
export function section(title: string, body: Part): Markup | null {
  const isEmpty = body === null || (Array.isArray(body) && body.every((part) => part === null));
  return isEmpty ? null : html`\n<section><h2>${title}</h2>${body}</section>`;
}

/** A sentence below a table; nothing when there is none. */
export function remark(text: string | null): Markup | null {
  return text === null ? null : html`<p class="dim">${text}</p>`;
}
