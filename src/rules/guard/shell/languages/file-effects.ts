import type { Word } from '../../api.ts';
import type { Nested } from '../nested.ts';
import { constant, UNKNOWN, wordOf } from '../text.ts';
import { type Call, listOf, NOT_KNOWN, textOf, type Value } from './values.ts';

/** A call, and the language that it is written in. */
export interface Site extends Call {
  readonly language: string;
}

/** The commands that a call comes to. */
export type Effect = (site: Site) => readonly Nested[];

export function argv(...words: readonly string[]): readonly Nested[] {
  return [{ kind: 'argv', via: '', words: words.map((word) => wordOf(word)) }];
}

/** The path a call is about: its first argument, or what it is a method of. */
export function pathOf(site: Site): string {
  return textOf(site.args[0] ?? site.receiver ?? undefined);
}

export const removesTree: Effect = (site) => argv('rm', '-rf', pathOf(site));

export const removesFile: Effect = (site) => {
  const paths =
    site.args.length === 0 ? [pathOf(site)] : site.args.flatMap((value) => listOf(value) ?? [textOf(value)]);
  const known = paths.filter((path) => path !== UNKNOWN);
  return known.length === 0 ? [] : argv('rm', '-f', ...known);
};

export const removes: Effect = (site) => {
  const recursive = site.args[1]?.kind === 'record' && site.args[1].fields.has('recursive');
  return recursive ? removesTree(site) : removesFile(site);
};

export const writes: Effect = (site) => redirectTo(pathOf(site));

/** `Path('x').write_text('…')`: the argument is not the path. */
export const writesReceiver: Effect = (site) => redirectTo(textOf(site.receiver ?? undefined));

function redirectTo(path: string): readonly Nested[] {
  if (path === UNKNOWN) return [];
  const target: Word = wordOf(path);
  return [{ kind: 'argv', via: '', words: [wordOf('printf')], redirects: [{ operator: '>', target }] }];
}

export const reads: Effect = (site) => {
  const path = pathOf(site);
  return path === UNKNOWN ? [] : argv('cat', path);
};

/** `open(path, mode)`, and Perl's `open(F, '>path')`, `open(F, '>', path)`, `open(F, '|cmd')`. */
export const opens: Effect = (site) => {
  const texts = site.args.map(textOf);
  if (site.language === 'perl') return opensInPerl(site, texts.slice(1));
  const [path = UNKNOWN, ...modes] =
    site.receiver?.kind === 'text' && texts.length < 2 && site.receiver.text !== UNKNOWN
      ? [site.receiver.text, ...texts]
      : texts;
  if (path.startsWith('|')) return [{ kind: 'shell', via: '', code: constant(path.slice(1)), where: 'child' }];
  return modes.some((mode) => /^[rbt]*[wax+][bt+]*$/.test(mode))
    ? redirectTo(path)
    : reads({ ...site, args: [text(path)] });
};

function text(value: string): Value {
  return value === UNKNOWN ? NOT_KNOWN : { kind: 'text', text: value };
}

function opensInPerl(site: Site, args: readonly string[]): readonly Nested[] {
  const match = /^\s*(\+?[<>]{0,2}|\||-\|)\s*([^|]*)(\|?)/.exec(args.join(' '));
  const [, mode = '', path = '', pipe = ''] = match ?? [];
  if (mode.includes('|') || pipe !== '') return [{ kind: 'shell', via: '', code: constant(path), where: 'child' }];
  return mode.includes('>') || mode.startsWith('+') ? redirectTo(path) : reads({ ...site, args: [text(path)] });
}

export const twoPaths =
  (program: string, ...flags: string[]): Effect =>
  (site) => {
    const paths = site.args.slice(0, 2).flatMap((value) => listOf(value) ?? [textOf(value)]);
    return argv(
      program,
      ...flags,
      ...(paths.length === 1 && site.receiver !== null ? [textOf(site.receiver), ...paths] : paths),
    );
  };

/** Mode first in Ruby and Perl, path first elsewhere. */
export const changesMode: Effect = (site) => {
  const [first = UNKNOWN, second = UNKNOWN] = site.args.map(textOf);
  const modeFirst = /^(ruby|perl)$/.test(site.language);
  const mode = (modeFirst ? first : second).replace(/^0o?(?=\d)/, '');
  return argv('chmod', mode, modeFirst ? second : first);
};
