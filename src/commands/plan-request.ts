import { hasPrdContent } from '../rules/plan-lint/index.ts';

/** `interview`: no PRD exists yet, so the agent asks; `derive`: stories are made from the existing PRD. */
type PlanMode = 'interview' | 'derive';

/** The arguments of the planning skill. Paths are as the agent should use them. */
export interface PlanRequest {
  readonly mode: PlanMode;
  readonly specDir: string;
  readonly prd: string;
  readonly backlog: string;
  readonly from: string | null;
  /** What to build, in a person's words. */
  readonly idea: string | null;
}

export function planMode(prd: string | null): PlanMode {
  return prd !== null && hasPrdContent(prd) ? 'derive' : 'interview';
}

/** The arguments of the skill: one line of words, names with blanks in quotes. Pure. */
export function skillArguments({ mode, specDir, prd, backlog, from, idea }: PlanRequest): string {
  const named = { spec: specDir, prd, backlog, ...(from === null ? {} : { from }) };
  return [
    mode,
    ...Object.entries(named).map(([name, path]) => `${name}=${word(path)}`),
    ...(idea === null ? [] : [idea.trim().replace(/\s+/g, ' ')]),
  ].join(' ');
}

/** A skill's text as a prompt for an agent without skills. Pure. @param folder of the skill's other files, absolute */
export function skillPrompt(skill: string, folder: string, request: PlanRequest): string {
  return (
    skill
      .replace(/^---\n[\s\S]*?\n---\n/, '')
      .replaceAll('$ARGUMENTS', () => skillArguments(request))
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the variable as skills write it
      .replaceAll('${CLAUDE_SKILL_DIR}', () => folder)
      .trim()
  );
}

function word(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : JSON.stringify(path);
}
