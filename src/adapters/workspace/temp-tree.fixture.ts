import { onTestFinished } from 'vitest';
import { describeError } from '../../contracts/index.ts';
import { makeDir, makeTempDir, remove, writeAtomic } from '../../platform/index.ts';

/** A folder of its own for one test, removed when it ends. `files`: path → content; a path ending in `/` is a folder. */
export async function tempTree(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const root = await makeTempDir('ralph-workspace-');
  onTestFinished(() => remove(root));
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) await makeDir(`${root}/${path}`);
    else await writeAtomic(`${root}/${path}`, content, { fsync: false });
  }
  return root;
}

/** The text people would read of the error that `promise` rejects with. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return describeError(error);
  }
  throw new Error('nothing was thrown');
}
