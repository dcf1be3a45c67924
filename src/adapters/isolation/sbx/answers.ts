/** What sbx prints, read. Pure; null stands for an answer of another shape than documented. */

export interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string;
}

export interface Sandbox {
  readonly name: string;
  /** `running`, `stopped`, … */
  readonly status: string;
  readonly workspaces: readonly string[];
}

/** The checks of `sbx diagnose --output json`. */
export function checksIn(stdout: string): readonly Check[] | null {
  const checks = listIn(stdout, 'checks');
  return (
    checks?.map(({ name, status, message, hint }) => ({
      name: textOf(name),
      status: textOf(status),
      message: textOf(message),
      hint: textOf(hint),
    })) ?? null
  );
}

/** Those without which nothing can be isolated, and that failed. */
export function failedChecks(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ name, status }) => status === 'fail' && NEEDED.test(name));
}

const NEEDED = /daemon|virtuali[sz]ation|authentication|socket/i;

/** The sandboxes of `sbx ls --json`. */
export function sandboxesIn(stdout: string): readonly Sandbox[] | null {
  const sandboxes = listIn(stdout, 'sandboxes');
  return (
    sandboxes?.map(({ name, status, workspaces }) => ({
      name: textOf(name),
      status: textOf(status),
      workspaces: Array.isArray(workspaces) ? workspaces.filter((one) => typeof one === 'string') : [],
    })) ?? null
  );
}

/** What decides, in the words of `sbx policy check network`; reasons that follow may use both. */
const DECISION =
  /\b(?:(den(?:y|ied|ies)|block(?:ed|s)?|not allowed|forbidden|refused|allowed\W{1,4}(?:no|false)\b)|allow(?:ed|s)?|permit(?:ted|s)?)\b/i;

/**
 * Does `sbx policy check network` allow it? Null when it does not say so clearly.
 * @param target the host that was asked for, whose name may hold any of the words
 */
export function isAllowedIn(exitCode: number | null, output: string, target: string): boolean | null {
  const decision = DECISION.exec(output.replaceAll(target, ''));
  if (decision === null) return null;
  if (decision[1] !== undefined) return false;
  return exitCode === 0 ? true : null;
}

/** The objects in a list of an answer; sbx writes `null` for a list with nothing in it. */
function listIn(stdout: string, name: string): readonly Record<string, unknown>[] | null {
  const answer = objectIn(stdout);
  if (answer === null || !Object.hasOwn(answer, name)) return null;
  const list = answer[name] ?? [];
  return Array.isArray(list) && list.every(isObject) ? list : null;
}

/** The JSON object in an output: banners and notices of updates come before it. */
function objectIn(stdout: string): Record<string, unknown> | null {
  const lines = stdout.split('\n');
  const start = lines.findIndex((line) => line.trimStart().startsWith('{'));
  if (start < 0) return null;
  try {
    const value: unknown = JSON.parse(lines.slice(start).join('\n'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
