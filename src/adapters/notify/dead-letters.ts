import { timingSafeEqual } from 'node:crypto';
import { appendLine } from '../../platform/files/append-line.ts';
import { readLog } from '../../platform/files/append-log.ts';
import { writePrivate } from '../../platform/files/private.ts';
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
  /** Of a webhook with a secret: proves that who kept it had the secret, for an agent may write into the file. */
  readonly seal?: string;
}

/** A message that did not arrive, as it is kept. */
export function letterOf({ key, shown, seal }: Address, { id, type, body }: Message, why: string): DeadLetter {
  const letter: DeadLetter = { id, type, body, key, shown, why, at: new Date().toISOString() };
  return seal === null ? letter : { ...letter, seal: seal(sealedText(letter)) };
}

/** Keeps letters, in one write: somebody may be waiting for the end. */
export async function keepLetters(stateDir: string, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length > 0)
    await appendLine(lettersPath(stateDir), letters.map((letter) => JSON.stringify(letter)).join('\n'));
}

/** May the letter be signed? What an agent wrote into the file, or kept under another secret, may not. */
export function isGenuine(letter: DeadLetter, { seal }: Pick<Address, 'seal'>): boolean {
  if (seal === null) return true;
  const [is, should] = [letter.seal ?? '', seal(sealedText(letter))].map((text) => Buffer.from(text));
  return is !== undefined && should !== undefined && is.length === should.length && timingSafeEqual(is, should);
}

function sealedText({ key, id, type, body }: DeadLetter): string {
  return JSON.stringify([key, id, type, body]);
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
  await writePrivate(lettersPath(stateDir), left.map((letter) => `${JSON.stringify(letter)}\n`).join(''));
}

/** The same message may be dead for several addresses. */
export function letterId({ key, id }: Pick<DeadLetter, 'key' | 'id'>): string {
  return `${key} ${id}`;
}

/** Where they are. */
export function lettersPath(stateDir: string): string {
  return `${stateDir}/webhooks-undelivered.jsonl`;
}

function parseLetter(line: string): DeadLetter | null {
  try {
    const value: Partial<Record<keyof DeadLetter, unknown>> | null = JSON.parse(line);
    const whole = ['id', 'type', 'body', 'key', 'shown', 'why', 'at'] as const;
    const isWhole = whole.every((name) => typeof value?.[name] === 'string');
    return isWhole && ['string', 'undefined'].includes(typeof value?.seal) ? (value as unknown as DeadLetter) : null;
  } catch {
    return null;
  }
}
