import { GitRefusal, messageOf, RalphError } from '../../contracts/index.ts';
import { crashpoint } from '../../platform/index.ts';

/** A branch that moves together with others. */
export interface Step {
  readonly name: string;
  /** `beyond`: someone built on the new commit. `elsewhere`: someone moved it to another one. */
  look(): Promise<'before' | 'there' | 'beyond' | 'elsewhere'>;
  /** By compare and swap. @returns why it did not move; null: it did */
  move(back: boolean): Promise<string | null>;
}

export interface Landing {
  /** `kept`: not all could move, and some stay, because someone built on them. */
  readonly kind: 'landed' | 'undone' | 'kept';
  /** Names of those that are at their new commit, or beyond it. */
  readonly landed: readonly string[];
  /** Why not all of them. */
  readonly why: readonly string[];
}

/**
 * Moves all branches, or none: when one cannot move, those that did are moved back. It can be killed at any point and
 * repeated.
 * @throws GitRefusal when one that has moved cannot be moved back now; repeat it later
 */
export async function landTogether(steps: readonly Step[]): Promise<Landing> {
  const why: string[] = [];
  for (const step of steps) {
    const now = await step.look();
    if (MOVED.has(now)) continue;
    const problem = now === 'elsewhere' ? 'its branch was moved by someone else' : await tried(step, false);
    if (problem !== null) {
      why.push(`${step.name}: ${problem}`);
      break;
    }
    crashpoint('landing-moved');
  }
  const all = await standing(steps);
  if (all.length === steps.length) return { kind: 'landed', landed: all, why: [] };

  const stuck: string[] = [];
  for (const step of steps) {
    if ((await step.look()) !== 'there') continue;
    const problem = await tried(step, true);
    if (problem !== null && (await step.look()) === 'there') stuck.push(`${step.name}: ${problem}`);
    crashpoint('landing-undone');
  }
  if (stuck.length > 0) {
    throw new GitRefusal({
      what: 'not all repositories could be merged into, and one of them cannot be moved back',
      where: stuck.join('; '),
      why: why.join('; '),
      fix: ['fix that, then run `ralph stream merge` in the folder of the repositories again'],
    });
  }
  const left = await standing(steps);
  return { kind: left.length === 0 ? 'undone' : 'kept', landed: left, why };
}

async function standing(steps: readonly Step[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const step of steps) if (MOVED.has(await step.look())) found.push(step.name);
  return found;
}

const MOVED: ReadonlySet<string> = new Set(['there', 'beyond']);

async function tried(step: Step, back: boolean): Promise<string | null> {
  try {
    return await step.move(back);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return messageOf(error);
  }
}
