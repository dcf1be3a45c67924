import { readDocument } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import type { Problem } from '../../contracts/model.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { validateBacklog } from '../../rules/backlog/validate.ts';
import type { PlanRemark } from '../../rules/plan-lint/api.ts';

/** What is wrong with a backlog, as `ralph validate` prints it. */
export interface Validation {
  readonly file: string;
  /** Could a run start with it? */
  readonly ok: boolean;
  readonly stories: number;
  readonly problems: readonly Problem[];
  /** What would make the plan better; only where it was asked for. */
  readonly remarks?: readonly PlanRemark[];
}

/** Nobody reads a PRD of more. */
const MOST_PRD_BYTES = 1024 * 1024;

/** Judges the backlog of a workspace. @throws UsageError when it has none at all */
export async function validateWorkspace(workspace: Workspace): Promise<Validation> {
  return (await readAndJudge(workspace)).validation;
}

/**
 * The same, with remarks on its plan; a backlog that cannot be read gets none.
 * @param configured checks that the settings name
 */
export async function validatePlan(workspace: Workspace, configured: readonly string[]): Promise<Validation> {
  const { document, validation } = await readAndJudge(workspace);
  if (document === null) return { ...validation, remarks: [] };
  const [{ lintPlan }, { detectChecks }] = await Promise.all([
    import('../../rules/plan-lint/lint.ts'),
    import('../../adapters/workspace/config/detect-checks.ts'),
  ]);
  const [detected, prd] = await Promise.all([detectChecks(workspace.root), readPrd(workspace)]);
  return { ...validation, remarks: lintPlan(document.backlog, { configured, detected, prd }) };
}

/** Text of the PRD; null when there is none that could be read. */
export async function readPrd({ root, prdPath }: Workspace): Promise<string | null> {
  const { bytes } = await readInside(root, prdPath, MOST_PRD_BYTES);
  return bytes?.toString('utf8') ?? null;
}

async function readAndJudge(workspace: Workspace) {
  const { document, problems } = await readDocument(workspace);
  const all = document === null ? problems : [...problems, ...validateBacklog(document)];
  const validation: Validation = {
    file: workspace.backlog?.path ?? workspace.specDir,
    ok: all.every((problem) => problem.severity !== 'error'),
    stories: document?.backlog.stories.length ?? 0,
    problems: all,
  };
  return { document, validation };
}
