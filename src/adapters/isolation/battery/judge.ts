import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { list, readBytes, stat } from '../../../platform/index.ts';
import type { Attempt, AttemptResult, Heard } from './attempt.ts';
import { markOf } from './plan.ts';

/** What was observed of one attempt, inside and on the host. */
interface Evidence {
  readonly began: boolean;
  /** What it printed; null when its end was not reported. */
  readonly output: string | null;
  readonly stream: string;
  /** The secret that must not be in `stream`. */
  readonly secret: string;
  /** The key of the provider, which must not be in `output`. */
  readonly key: string;
  /** What changed where nothing may: its folder outside or its protected file; null when nothing did. */
  readonly outside: string | null;
  readonly protectedFile: string | null;
  readonly heard: readonly Heard[];
  readonly victimAlive: boolean;
  readonly found: string | null;
}

export function notTried(reason: string): AttemptResult {
  return { tried: false, held: false, detail: reason.slice(0, DETAIL) };
}

/** Maximum length of a detail, in characters. */
const DETAIL = 200;

/** Did it hold? Evidence on the host outweighs what the script reports. Pure. */
export function judge(attempt: Attempt, evidence: Evidence): AttemptResult {
  const wayOut = firstEscape(attempt, evidence);
  if (wayOut !== null) return { tried: true, held: false, detail: wayOut.slice(0, DETAIL) };
  if (!evidence.began) return notTried(lastLine(evidence.stream));
  const lacks = /^LACKS (.*)$/m.exec(evidence.output ?? '')?.[1];
  if (lacks !== undefined) return { ...notTried(`there is no ${lacks} inside`), lacks };
  // An attempt with a sandbox to itself may destroy it: that is not a way out.
  const isShared = (attempt.phase ?? 'together') === 'together';
  if (evidence.output === null && isShared)
    return { tried: true, held: false, detail: 'was not finished: the sandbox ended first' };
  return { tried: true, held: true, detail: lastLine(evidence.output ?? '').slice(0, DETAIL) };
}

function firstEscape({ id, category, phase = 'together' }: Attempt, evidence: Evidence): string | null {
  if (evidence.outside !== null) return `outside the work tree, ${evidence.outside}`;
  if (evidence.protectedFile !== null) return `of the protected files, ${evidence.protectedFile}`;
  const heard = evidence.heard.find(({ text }) => text.includes(markOf(id)) || text.includes(questionOf(id)));
  if (heard) return `${heard.where} was reached`;
  const mayEndOthers = category === 'processes' || phase !== 'together';
  if (mayEndOthers && !evidence.victimAlive) return 'a process of the host was ended';
  if (evidence.stream.includes(evidence.secret)) return 'a secret from outside came out';
  if (evidence.output?.includes(evidence.key)) return "the provider's key came out";
  if (evidence.found !== null) return evidence.found;
  const said = /^ESCAPED (.*)$/m.exec(evidence.output ?? '');
  return said ? (said[1] ?? '') : null;
}

/** `ID.battery.test` as a DNS packet spells it in a question: every label preceded by its length. */
function questionOf(id: string): string {
  return `${id}\u0007battery\u0004test`;
}

function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // Without the position in the script, which means nothing to a reader.
  return (
    lines
      .at(-1)
      ?.trim()
      .replace(/^\S*\.sh: (line )?\d+: /, '') ?? 'nothing showed outside'
  );
}

/** Every file of a folder, links not followed: path → description. */
export type Footprint = ReadonlyMap<string, string>;

/** @param skip names directly below `root` to pass over */
export async function footprintOf(root: string, skip: readonly string[] = []): Promise<Footprint> {
  const found = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    const at = join(root, path);
    const entry = await stat(at);
    if (entry === null) return;
    const isFile = entry.kind === 'file';
    const bytes = isFile ? await readBytes(at) : null;
    const content = bytes === null ? '' : createHash('sha256').update(bytes).digest('hex');
    found.set(path, [entry.kind, entry.mode, content, isFile ? entry.mtimeMs : 0].join(' '));
    if (entry.kind !== 'dir') return;
    for (const name of await list(at)) if (path !== '' || !skip.includes(name)) await visit(join(path, name));
  };
  await visit('');
  return found;
}

/** The first difference, in words; null when there is none. */
export function differenceOf(before: Footprint, after: Footprint): string | null {
  for (const [path, was] of before) {
    const is = after.get(path);
    const name = path === '' ? 'the folder' : path;
    if (is === undefined) return `${name} is gone`;
    if (is !== was) return `${name} was changed`;
  }
  const added = [...after.keys()].find((path) => !before.has(path));
  return added === undefined ? null : `${added} was made`;
}
