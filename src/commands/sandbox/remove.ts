import { loginStore, removeLogins } from '../../adapters/isolation/home/homes.ts';
import { removeSbx } from '../../adapters/isolation/sbx/manage.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printLines } from '../shared/print.ts';
import { backendNamed, backendOf, openGround } from './ground.ts';

/** `ralph sandbox remove [backend]`: deletes what `create` made, logins inside included. */
export async function removeSandbox([name]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const ground = await openGround(flags, io);
  const backend = name === undefined ? backendOf(ground.config) : backendNamed(name);
  const logins = loginStore(io.env);
  const isMachine = backend === 'sbx';
  if (!isOn(flags, 'yes')) {
    const what = isMachine
      ? 'everything that was installed in the sandbox of this project goes with it'
      : `every login that was made inside goes (${logins}), for all backends but sbx`;
    throw new UsageError({ what, mend: [`ralph sandbox remove ${backend} --yes`] });
  }
  if (isMachine) {
    const removed = await removeSbx(ground.policy.input);
    printLines(io, [removed ? 'the sandbox of this project is removed' : 'this project has no sandbox']);
    return 0;
  }
  const removed = await removeLogins(io.env);
  printLines(io, [removed ? `${logins} is removed: agents have to log in again` : 'there is no login to remove']);
  return 0;
}
