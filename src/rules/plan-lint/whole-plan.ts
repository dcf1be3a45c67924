import type { PlanRule } from './api.ts';
import { hasPrdContent } from './prd-content.ts';

/** A PRD that is still as `ralph init` wrote it. */
export const prdRule: PlanRule = {
  name: 'prd/empty',
  check: ({ facts: { prd }, open }) =>
    prd === null || open.length === 0 || hasPrdContent(prd)
      ? []
      : [
          {
            story: null,
            remark: {
              severity: 'hint',
              message: 'prd.md says nothing yet, and every iteration reads it for the constraints of all stories',
              suggestion: '`ralph plan` writes it with you; a summary, the goals and the constraints are enough',
            },
          },
        ],
};

/** Work that nothing checks. That a native file names no checks is a problem already: said is what it could name. */
export const checksRule: PlanRule = {
  name: 'checks/none',
  check: ({ backlog, open, facts: { configured, detected } }) => {
    const named =
      configured.length > 0 ||
      backlog.verifyCommands.length > 0 ||
      open.some(({ verifyCommands }) => verifyCommands !== undefined);
    if (named || open.length === 0 || (detected.length === 0 && backlog.format === 'tasks-json')) return [];
    const suggestion =
      detected.length > 0
        ? `this project's own: "verifyCommands": ${JSON.stringify(detected)}`
        : 'name the commands that must pass after every story: tests, linter, build ("verifyCommands" or the setting)';
    const message = 'no checks: the loop would have to believe that a story works';
    return [{ story: null, remark: { severity: 'warning', message, suggestion } }];
  },
};
