import { LockedError } from '../../../contracts/index.ts';
import { type Lock, type LockHolder, systemClock, tryLock } from '../../../platform/index.ts';

/** The names commands use as holders; they hold the lock only briefly. Every other holder is a run. */
const COMMAND = /^ralph\b/;
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 25;

/**
 * Takes the one lock of a work tree. Waits while a command holds it, but not for a run.
 * @throws LockedError (exit 4) naming its holder.
 */
export async function acquireRunLock(
  stateDir: string,
  holder: LockHolder,
  patienceMs: number = PATIENCE_MS,
): Promise<Lock> {
  const until = systemClock.now() + patienceMs;
  for (;;) {
    const result = await tryLock(`${stateDir}/lock`, holder);
    if (!('heldBy' in result)) return result;
    const { heldBy } = result;
    if (holdsForLong(heldBy) || systemClock.now() >= until) throw lockedError(heldBy);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

function isCommand(holder: LockHolder): boolean {
  return COMMAND.test(holder.run);
}

/** A holder whose name cannot be read may be about to release the lock. */
function holdsForLong(holder: LockHolder | null): boolean {
  return holder !== null && !isCommand(holder);
}

function lockedError(held: LockHolder | null): LockedError {
  const where = held === null ? {} : { where: `pid ${held.pid} on ${held.host}, since ${held.startedAt}` };
  if (held !== null && isCommand(held)) {
    return new LockedError(
      {
        what: `\`${held.run}\` is at work in this work tree`,
        ...where,
        why: 'two changes at once would undo each other',
        mend: ['wait for it to end, then try again'],
      },
      false,
    );
  }
  return new LockedError({
    what: held === null ? 'another run works on this work tree' : `run ${held.run} works on this work tree`,
    ...where,
    why: 'two runs in one work tree would undo each other',
    mend: [
      '`ralph status` shows how far it is',
      'wait for it to end, or stop it: `ralph stop`, or Ctrl-C in its terminal',
    ],
  });
}
