/**
 * The error for a path where a file should be and a FIFO, a socket or a device is: in the shape of the system's own
 * errors, so that it is told like them. What is written there would be gone, and cannot be waited for (fsync).
 */
export function noPlainFile(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOTFILE: no plain file, open '${path}'`), {
    code: 'ENOTFILE',
    syscall: 'open',
    path,
  });
}
