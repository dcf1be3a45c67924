import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { readBytes } from '../../platform/files/files.ts';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Where they are built to: a folder beside the bundle. */
export const PAGE_FOLDER = fileURLToPath(new URL('./dashboard/', import.meta.url));

/**
 * The files of the page by their addresses, read once: a build that replaces them under a running server must not mix
 * with what browsers already have.
 * @throws Error when one is missing
 */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = await Promise.all(
    Object.entries(FILES).map(async ([address, { name, type }]) => {
      const bytes = await readBytes(`${folder}/${name}`);
      if (bytes === null) throw new Error(`dashboard/${name} is missing from this installation of ralph`);
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      return [address, { type, etag, bytes: new Uint8Array(bytes) }] as const;
    }),
  );
  return new Map(files);
}
