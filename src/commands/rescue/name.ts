import type { Git, Rescue } from '../../adapters/git/port.ts';
import { UsageError } from '../../contracts/errors.ts';
import { nearest } from '../../rules/nearest.ts';

/** The rescue that a person named, by its short name or its full ref. @throws UsageError with the nearest name */
export async function rescueByName(git: Git, name: string): Promise<Rescue> {
  const rescues = await git.rescues();
  const found = rescues.find((rescue) => rescue.name === name || rescue.ref === name);
  if (found) return found;
  const near = nearest(
    name,
    rescues.map((rescue) => rescue.name),
  );
  throw new UsageError({
    what: `there is no rescue '${name}'${near ? `; did you mean ${near}?` : ''}`,
    mend: ['`ralph rescue list` lists them'],
  });
}
