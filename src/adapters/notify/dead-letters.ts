import { appendLine } from '../../platform/append-line.ts';
import { readLog } from '../../platform/append-log.ts';
import { writeAtomic } from '../../platform/atomic-file.ts';
import type { Address, Message } from './port.ts';

/** Letters that are kept; the oldest give way. */
const MOST_LETTERS = 500;

/** A message that did not arrive. */
export interface DeadLetter extends Message {
  /** {@link Address.key} */
  readonly key: string;
  readonly shown: string;
  readonly why: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Keeps a message that did not arrive. */
export async function keepLetter(
  stateDir: string,
  { key, shown }: Address,
  { id, type, body }: Message,
  why: string,
): Promise<void> {
  const letter: DeadLetter = { id, type, body, key, shown, why, at: new Date().toISOString() };
  await appendLine(lettersPath(stateDir), JSON.stringify(letter));
}

/** Every message that did not arrive, oldest first. */
export async function readLetters(stateDir: string): Promise<readonly DeadLetter[]> {
  const { lines } = await readLog(lettersPath(stateDir));
  return lines.flatMap((line) => parseLetter(line) ?? []);
}

/** Takes letters out, and the oldest where there are too many. Those that came in meanwhile stay. */
export async function dropLetters(stateDir: string, gone: ReadonlySet<DeadLetter['id']>): Promise<void> {
  const letters = await readLetters(stateDir);
  const left = letters.filter((letter) => !gone.has(letterId(letter))).slice(-MOST_LETTERS);
  if (left.length === letters.length) return;
  await writeAtomic(lettersPath(stateDir), left.map((letter) => `${JSON.stringify(letter)}\n`).join(''));
}

/** The same message may be dead for several addresses. */
export function letterId({ key, id }: Pick<DeadLetter, 'key' | 'id'>): string {
  return `${key} ${id}`;
}

function lettersPath(stateDir: string): string {
  return `${stateDir}/webhooks-undelivered.jsonl`;
}

function parseLetter(line: string): DeadLetter | null {
  try {
    const value: Partial<Record<keyof DeadLetter, unknown>> | null = JSON.parse(line);
    const whole = ['id', 'type', 'body', 'key', 'shown', 'why', 'at'] as const;
    return whole.every((name) => typeof value?.[name] === 'string') ? (value as unknown as DeadLetter) : null;
  } catch {
    return null;
  }
}
