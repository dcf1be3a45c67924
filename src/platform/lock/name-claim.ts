import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';

/** A name only one process of this machine can have at a time. */
export type NameClaim = { release(): Promise<void> } | 'taken' | 'unsupported';

/**
 * Claims the name of a folder among the abstract sockets of the kernel (Linux): no file stands for it, it goes with
 * its process, and it is made of the folder's device and inode, so that equal paths in two containers do not collide.
 */
export async function claimName(dir: string): Promise<NameClaim> {
  if (process.platform !== 'linux') return 'unsupported';
  // Inodes of some file systems exceed what a number holds exactly.
  const { dev, ino } = await fs.stat(dir, { bigint: true });
  const server = createServer((connection) => connection.destroy());
  // It must not keep a process alive that has nothing else to do.
  server.unref();
  return new Promise((resolve) => {
    // Any other refusal is that of a sandbox without such sockets.
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'unsupported'),
    );
    server.listen(`\0ralph-lock-${dev}-${ino}`, () => {
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
