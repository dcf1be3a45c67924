import { findWorkspace, type Workspace } from '../../adapters/workspace/layout.ts';

/** The workspace in a throw-away project. */
export function workspaceOf(root: string): Promise<Workspace> {
  return findWorkspace({ root, cwd: root, flags: { ralphDir: 'ralph' }, env: {} });
}
