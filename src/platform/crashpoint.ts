const passages = new Map<string, number>();

/**
 * A named place where a test can make this process die as by `kill -9`: `RALPH_CRASHPOINT=name`, or `name#3` for the
 * third time it is reached. Does nothing otherwise.
 */
export function crashpoint(name: string): void {
  const armed = process.env['RALPH_CRASHPOINT'];
  if (armed === undefined) return;
  const passage = (passages.get(name) ?? 0) + 1;
  passages.set(name, passage);
  if (armed === name || armed === `${name}#${passage}`) process.kill(process.pid, 'SIGKILL');
}
