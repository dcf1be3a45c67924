import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small disk of its own at a folder; nobody but this process and its children sees it. */
export interface SmallDisk {
  /** Leaves no room beyond what is used now. */
  fill(): Promise<void>;
  empty(): Promise<void>;
}

const SIZE_KB = 96_000;

/**
 * Whether this process may mount: it runs in a mount namespace that scripts/torture.ts made (RALPH_TORTURE_MOUNTS).
 */
export const canMount = (): boolean => process.env['RALPH_TORTURE_MOUNTS'] === 'own';

/** Mounts a small tmpfs at a folder, which is made. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_KB}k,mode=755`, 'tmpfs', folder]);
  // Said in so many words: where a read-only mount lies above, the disk itself would be read-only for ever.
  const resize = (kb: number) => run('mount', ['-o', `remount,rw,size=${kb}k`, folder]);
  return {
    async fill() {
      // Somebody may write between the look and the resize, which then is refused.
      for (let more = 4; ; more *= 2) {
        const { stdout } = await run('df', ['--output=used', '-k', folder]);
        const used = Number(stdout.split('\n')[1]);
        if (
          await resize(used + more).then(
            () => true,
            () => false,
          )
        )
          return;
        if (more > SIZE_KB) throw new Error(`${folder} cannot be filled`);
      }
    },
    async empty() {
      await resize(SIZE_KB);
    },
  };
}

/**
 * Makes a folder read-only for whoever opens something there from now on; returns what ends that. What is mounted below
 * stays in sight. One at a time: a mount on another one would be ended with it, or in its place.
 */
export async function makeReadOnly(folder: string): Promise<() => Promise<void>> {
  await run('mount', ['--rbind', folder, folder]);
  try {
    await run('mount', ['-o', 'remount,bind,ro', folder]);
  } catch (error) {
    await unmount(folder);
    throw error;
  }
  return () => unmount(folder);
}

export async function unmount(folder: string): Promise<void> {
  await run('umount', ['-l', folder]);
}
