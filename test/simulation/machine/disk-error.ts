/** An error as the file system throws it. */
export function diskError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const { stackTraceLimit } = Error;
  // Thousands of files are looked for that are not there.
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: simulated, ${syscall} '${path}'`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code, syscall, path });
}
