import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';

/** What is compared of each path: kind, permission bits, content or a link's target, and, where asked for, the time of its last change. */
export interface ListingOptions {
  readonly mtimes?: boolean;
  /** Paths, from the root and `/`-separated, that are left out with everything below them. */
  readonly without?: readonly string[];
}

/**
 * Everything below a folder, path by path. Names are bytes on disk; they are shown as Latin-1, so that names which are
 * no UTF-8 stay apart. The folder itself counts as `.`.
 */
export async function listTree(root: string, options: ListingOptions = {}): Promise<Readonly<Record<string, string>>> {
  const listing: Record<string, string> = {};
  await visit(Buffer.from(root), '.', options, listing);
  return listing;
}

async function visit(
  path: Buffer,
  name: string,
  options: ListingOptions,
  listing: Record<string, string>,
): Promise<void> {
  if (options.without?.includes(name)) return;
  const facts = await lstat(path, { bigint: true });
  const mode = (facts.mode & 0o7777n).toString(8);
  const time = options.mtimes ? ` ${facts.mtimeNs}` : '';
  if (facts.isDirectory()) {
    listing[name] = `folder ${mode}${time}`;
    for (const child of (await readdir(path, { encoding: 'buffer' })).sort(Buffer.compare)) {
      const childName = child.toString('latin1');
      await visit(
        Buffer.concat([path, Buffer.from('/'), child]),
        name === '.' ? childName : `${name}/${childName}`,
        options,
        listing,
      );
    }
  } else if (facts.isSymbolicLink()) {
    listing[name] = `link ${(await readlink(path, { encoding: 'buffer' })).toString('latin1')}${time}`;
  } else if (!facts.isFile()) {
    // A FIFO or a socket: whoever opens one may wait for ever.
    listing[name] = `special ${facts.mode.toString(8)}${time}`;
  } else {
    const hash = createHash('sha256').update(await readFile(path));
    listing[name] = `file ${mode} ${facts.size} ${hash.digest('hex').slice(0, 16)}${time}`;
  }
}
