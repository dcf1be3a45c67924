import { findWorkspace } from '../../adapters/workspace/layout.ts';
import type { RunContext } from '../../loop/context.ts';
import { openRoom } from '../../loop/room/room.ts';
import type { Crew, Lane } from './crew.ts';

/** Does something in the lane's work tree as the run does it in its own, in the isolation that belongs there. */
export async function insideLane<T>(
  { context, openRun }: Crew,
  { git }: Lane,
  task: (inside: RunContext) => Promise<T>,
): Promise<T> {
  const { config, run, egress } = context;
  const { root } = git.repo;
  const workspace = await findWorkspace({
    root,
    cwd: root,
    flags: { ralphDir: context.workspace.specDir },
    env: {},
  });
  const opened = await openRun({ git, workspace, config });
  const { isolation, checksIsolation } = opened;
  const room =
    opened.room && (await openRoom(opened.room, { config, env: context.env, git, run, onRefusal: egress.refused }));
  const insides = [...new Set([isolation, checksIsolation])];
  try {
    await Promise.all(insides.map((one) => one.prepare({ run, localPorts: [], onRefusal: egress.refused })));
    return await task({ ...context, git, workspace: opened.workspace, isolation, checksIsolation, room });
  } finally {
    await Promise.all([...insides.map((one) => one.dispose()), room?.close()]);
    await opened.close();
  }
}
