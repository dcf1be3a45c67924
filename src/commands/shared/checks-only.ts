import { agentsOf } from '../../adapters/agents/index.ts';
import type { OpenRun } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isolate } from '../isolate.ts';
import { withPluginFiles } from './open.ts';

/**
 * What checks need: no agent works, so none is looked up.
 * @param room name of a clean room beside the one of the work tree's runs
 */
export function checksOnly(io: Io, room?: string): OpenRun {
  return async ({ git, workspace, config }) => {
    const agents = await agentsOf(config);
    const isolated = await isolate({
      git,
      workspace,
      config,
      env: io.env,
      agents,
      asked: false,
      ...(room && { room }),
    });
    return {
      ...isolated,
      workspace: await withPluginFiles(workspace, config),
      agents,
      openControl: () => Promise.reject(new Error('checks start no agent')),
      see: () => {},
      close: async () => {},
    };
  };
}
