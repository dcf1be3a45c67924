import type { Redirection } from 'unbash';
import type { GuardContext, Redirect, Word } from '../api.ts';
import { pathOf } from '../paths.ts';
import { expandParts, expandWord } from './expand.ts';
import { type Frame, inputOf, type Runner } from './frame.ts';
import type { Scope } from './scope.ts';
import { concat, constant, EMPTY, isKnown, originOf, type Text, wordOf } from './text.ts';

/** A redirection with its descriptor, which says whether standard output goes there. */
export interface Redirected extends Redirect {
  readonly descriptor: number | null;
}

/** The redirections of a command, and the frame in which it reads what they give it. */
export function expandRedirects(
  nodes: readonly Redirection[],
  frame: Frame,
  runner: Runner,
): { readonly redirects: readonly Redirected[]; readonly frame: Frame } {
  let inner = frame;
  const redirects = nodes.map((node): Redirected => {
    const text = node.type === 'HereDoc' ? hereDocument(node, frame, runner) : null;
    const target = text === null ? targetOf(node, frame, runner) : wordOf(text.text, false, text.from);
    const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null;
    if (descriptor !== null && descriptor > 2) rememberDescriptor(descriptor, node.operator, target, frame, runner);
    if (descriptor === null || descriptor === 0) inner = withInput(inner, node.operator, target, runner.context);
    return { operator: node.operator, target, descriptor };
  });
  return { redirects, frame: inner };
}

function targetOf(node: Redirection, frame: Frame, runner: Runner): Word {
  if (node.type === 'HereDoc' || node.target === undefined) return wordOf('');
  const words = expandWord(node.target, frame, runner);
  const [first] = words;
  if (first !== undefined && words.length === 1) return first;
  return wordOf(words.map((word) => word.text).join(' '));
}

function hereDocument(node: Extract<Redirection, { type: 'HereDoc' }>, frame: Frame, runner: Runner): Text {
  const { body, delimiter, operator } = node;
  const text =
    delimiter?.quoted === true || body.parts === undefined
      ? constant(body.text)
      : expandParts(body.parts, frame, runner);
  return operator === '<<-' ? { ...text, text: text.text.replace(/^\t+/gm, '') } : text;
}

/** `exec 3<<< text`, for a later `<&3` or `/dev/fd/3`. */
function rememberDescriptor(descriptor: number, operator: string, target: Word, frame: Frame, runner: Runner): void {
  const { stdin } = withInput({ ...frame, stdin: null }, operator, target, runner.context);
  if (stdin !== null) frame.scope.files.set(`/dev/fd/${descriptor}`, stdin.rest);
}

function withInput(frame: Frame, operator: string, target: Word, context: GuardContext): Frame {
  if (operator === '<<' || operator === '<<-' || operator === '<<<') {
    const text: Text = { text: operator === '<<<' ? `${target.text}\n` : target.text, from: originOf(target) };
    return { ...frame, input: inputOf(text), stdin: { rest: text } };
  }
  if (operator === '<&') {
    const opened = frame.scope.files.get(`/dev/fd/${target.text}`);
    return opened === undefined ? frame : { ...frame, input: inputOf(opened), stdin: { rest: opened } };
  }
  if (operator !== '<' && operator !== '<>') return frame;
  const written = fileText(target, frame.scope, context);
  if (written === null) return { ...frame, input: { kind: 'file', file: target }, stdin: null };
  return { ...frame, input: inputOf(written), stdin: { rest: written } };
}

/** What the text itself wrote to a file before. */
export function fileText(file: Word, scope: Scope, context: GuardContext): Text | null {
  const path = pathOf(file, scope, context);
  return path === null ? null : (scope.files.get(path) ?? null);
}

/** Notes what a command writes to files. Returns what is left of its output for the pipe. */
export function divertOutput(redirects: readonly Redirected[], output: Text, frame: Frame, runner: Runner): Text {
  let left = output;
  for (const { operator, target, descriptor } of redirects) {
    if (!/^(&?>>?|>\|)$/.test(operator) || (descriptor !== null && descriptor !== 1)) continue;
    rememberFile(target, output, operator.endsWith('>>'), frame, runner);
    left = EMPTY;
  }
  return left;
}

/** Notes what a file holds from now on, and lets a program read it that waits for it. */
export function rememberFile(file: Word, text: Text, append: boolean, frame: Frame, runner: Runner): void {
  const path = pathOf(file, frame.scope, runner.context);
  if (path !== null) frame.scope.readers.get(path)?.(text);
  if (path === null || !isKnown(file) || path.startsWith('/dev/')) return;
  const before = append ? (frame.scope.files.get(path) ?? EMPTY) : EMPTY;
  frame.scope.files.set(path, concat([before, text]));
}
