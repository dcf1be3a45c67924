import type { Attempt } from './attempt.ts';
import type { Heard } from './listeners.ts';
import { markOf } from './plan.ts';

/** What was seen of one attempt, inside and on the host. */
export interface Evidence {
  /** The driver said that it began. */
  readonly began: boolean;
  /** What it printed; null when its end was not reported. */
  readonly output: string | null;
  /** Everything that came out of its sandbox. */
  readonly stream: string;
  /** The secret that must not be in there. */
  readonly secret: string;
  /** What changed where nothing may: its folder outside, its protected file; null when nothing did. */
  readonly outside: string | null;
  readonly protectedFile: string | null;
  readonly heard: readonly Heard[];
  /** The process of the host is still there. */
  readonly victimAlive: boolean;
  /** What the check of the attempt itself found. */
  readonly found: string | null;
}

export interface Verdict {
  /** False: it shows nothing, and has not held. */
  readonly tried: boolean;
  readonly held: boolean;
  /** What got out; what stopped it, in its own words; or why it was not tried. */
  readonly detail: string;
  /** What it cannot be tried without and is not there. */
  readonly lacks?: string;
}

/** Does it speak against a sandbox? What is not tried does too, but for want of a program. */
export function isAgainst({ held, lacks }: Verdict): boolean {
  return !held && lacks === undefined;
}

/** Of an attempt that was left out. */
export function notTried(reason: string): Verdict {
  return { tried: false, held: false, detail: reason.slice(0, DETAIL) };
}

/** Longest detail, characters. */
const DETAIL = 200;

/** Did it hold? What shows on the host outweighs what is said inside. Pure. */
export function judge(attempt: Attempt, evidence: Evidence): Verdict {
  const wayOut = firstEscape(attempt, evidence);
  if (wayOut !== null) return { tried: true, held: false, detail: wayOut.slice(0, DETAIL) };
  if (!evidence.began) return notTried(lastLine(evidence.stream));
  const lacks = /^LACKS (.*)$/m.exec(evidence.output ?? '')?.[1];
  if (lacks !== undefined) return { ...notTried(`there is no ${lacks} inside`), lacks };
  // An attempt that has a sandbox to itself may take it down: that is no way out.
  const isShared = (attempt.phase ?? 'together') === 'together';
  if (evidence.output === null && isShared)
    return { tried: true, held: false, detail: 'was not finished: the sandbox ended before' };
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
  if (evidence.found !== null) return evidence.found;
  const said = /^ESCAPED (.*)$/m.exec(evidence.output ?? '');
  return said ? (said[1] ?? '') : null;
}

/** `ID.battery.test` as the question of a DNS packet spells it: every part after its length. */
function questionOf(id: string): string {
  return `${id}\u0007battery\u0004test`;
}

function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // Without the place in the script, which says nothing to anybody.
  return (
    lines
      .at(-1)
      ?.trim()
      .replace(/^\S*\.sh: (line )?\d+: /, '') ?? 'nothing showed outside'
  );
}
