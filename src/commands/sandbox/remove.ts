import { homePath, removeHome } from '../../adapters/isolation/home/prepare.ts';
import { removeSbx } from '../../adapters/isolation/sbx/manage.ts';
import { UsageError } from '../../contracts/errors.ts';
import { exists } from '../../platform/files/files.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printLines } from '../shared/print.ts';
import { backendNamed, backendOf, openGround } from './ground.ts';

/** `ralph sandbox remove [backend]`: deletes what `create` made, logins inside included. */
export async function removeSandbox([name]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const ground = await openGround(flags, io);
  const backend = name === undefined ? backendOf(ground.config) : backendNamed(name);
  const home = homePath(io.env, backend);
  const isMachine = backend === 'sbx';
  if (!isMachine && !(await exists(home))) {
    printLines(io, [`there is nothing of ${backend} to remove`]);
    return 0;
  }
  if (!isOn(flags, 'yes')) {
    const what = isMachine
      ? 'everything that was installed in the sandbox of this project goes with it'
      : `logins that were made inside go with ${home}`;
    throw new UsageError({ what, mend: [`ralph sandbox remove ${backend} --yes`] });
  }
  if (isMachine) {
    const removed = await removeSbx(ground.inputFor('sbx'));
    printLines(io, [removed ? 'the sandbox of this project is removed' : 'this project has no sandbox']);
    return 0;
  }
  await removeHome(io.env, backend);
  printLines(io, [`${home} is removed; the next run makes it anew`]);
  return 0;
}
