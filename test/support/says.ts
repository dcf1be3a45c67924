/** Actions that scenarios of many tests share. */

/** "Finished, please review." */
export const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };

export const APPROVED = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };

export function changesRequested(feedback: string): object {
  return { status: { STATUS: 'COMPLETE', REVIEW: 'CHANGES_REQUESTED', EXIT_SIGNAL: true, FEEDBACK: feedback } };
}

export function write(path: string, content: string): object {
  return { write: { path, content } };
}

export function edit(path: string, replace: string, text: string): object {
  return { edit: { path, replace, with: text } };
}

/** Calls one of the run's tools, as an agent does over MCP. */
export function tool(name: string, args: Readonly<Record<string, unknown>> = {}): object {
  return { tool: { name, arguments: args } };
}

/** Runs a line of shell; a failure ends the agent with an error, so that a test notices. */
export function shell(command: string): object {
  return { run: { command, expect: 'ok' } };
}

/** Changes `ralph/tasks.json` by a line of JavaScript, in which `b` is the file's object. */
export function editTasks(javascript: string): object {
  const program = [
    'const fs = require("fs"), file = "ralph/tasks.json", b = JSON.parse(fs.readFileSync(file))',
    javascript,
    'fs.writeFileSync(file, JSON.stringify(b, null, 2) + "\\n")',
  ].join('; ');
  return shell(`'${process.execPath}' -e '${program}'`);
}
