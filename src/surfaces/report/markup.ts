import { printable } from '../../rules/text/index.ts';

const source = Symbol('markup');

/** HTML that this program wrote. Nothing read from a file can be one: JSON has no symbols. */
export interface Markup {
  readonly [source]: string;
}

export type Part = string | number | Markup | null | readonly Part[];

/**
 * HTML from a template: the template is markup, every inserted value is text, unless it is `Markup` itself. The only
 * way to make markup, so no text of an agent ever becomes any.
 */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const text = template.reduce((all, piece, i) => all + textOf(parts[i - 1] ?? null) + piece);
  return { [source]: text };
}

export function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return printable(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  // Figures come from logs too: an invalid number draws nothing, and breaks nothing.
  if (typeof part === 'number') return Number.isFinite(part) ? String(Math.round(part * 100) / 100) : '0';
  return source in part ? part[source] : part.map(textOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
