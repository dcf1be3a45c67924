import { hasPrdContent } from '../../rules/plan-lint/prd-content.ts';

/** `interview`: there is no PRD yet, so that the agent asks; `derive`: stories are made from the one there is. */
export type PlanMode = 'interview' | 'derive';

/** What the planning skill is told. Paths are as the agent is to use them. */
export interface PlanRequest {
  readonly mode: PlanMode;
  readonly specDir: string;
  readonly prd: string;
  readonly backlog: string;
  /** A text to start from. */
  readonly from: string | null;
}

/** Which of the two it is, by what stands in the PRD; null is a PRD that is missing. */
export function planMode(prd: string | null): PlanMode {
  return prd !== null && hasPrdContent(prd) ? 'derive' : 'interview';
}

/** The arguments of the skill: one line of words, names with blanks in quotes. Pure. */
export function skillArguments({ mode, specDir, prd, backlog, from }: PlanRequest): string {
  const named = { spec: specDir, prd, backlog, ...(from === null ? {} : { from }) };
  return [mode, ...Object.entries(named).map(([name, path]) => `${name}=${word(path)}`)].join(' ');
}

/**
 * A skill's text as a prompt for an agent that has no skills: without its front matter, the variables put in. Pure.
 * @param folder where the skill's other files are, absolute
 */
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
