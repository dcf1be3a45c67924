import { createHash } from 'node:crypto';
import type { ChangedPath } from '../../../src/adapters/git/port.ts';

/** Path → id of a blob. */
export type Tree = ReadonlyMap<string, string>;

export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly subject: string;
  readonly trailers: readonly (readonly [string, string])[];
  readonly date: number;
}

/** What git has in its object database: never changed, found by what it holds. Nothing is ever collected. */
export class Objects {
  readonly blobs = new Map<string, Buffer>();
  readonly trees = new Map<string, Tree>();
  readonly commits = new Map<string, Commit>();

  blob(bytes: Uint8Array): string {
    const id = idOf('blob', bytes);
    if (!this.blobs.has(id)) this.blobs.set(id, Buffer.from(bytes));
    return id;
  }

  tree(files: Tree): string {
    const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
    const id = idOf('tree', JSON.stringify(sorted));
    if (!this.trees.has(id)) this.trees.set(id, new Map(sorted));
    return id;
  }

  commit(commit: Commit): string {
    const id = idOf('commit', JSON.stringify(commit));
    this.commits.set(id, commit);
    return id;
  }

  /** Files of a tree, or of a commit's tree. */
  files(treeish: string): Tree {
    const tree = this.trees.get(this.commits.get(treeish)?.tree ?? treeish);
    if (!tree) throw new Error(`fatal: bad object ${treeish}`);
    return tree;
  }

  changes(from: string, to: string): ChangedPath[] {
    const before = this.files(from);
    const after = this.files(to);
    const found: ChangedPath[] = [];
    for (const [path, id] of after) {
      if (!before.has(path)) found.push({ path, status: 'added' });
      else if (before.get(path) !== id) found.push({ path, status: 'modified' });
    }
    for (const path of before.keys()) if (!after.has(path)) found.push({ path, status: 'deleted' });
    return found.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** A commit and everything it builds on, each once, newest first along first parents. */
  history(commit: string): readonly string[] {
    const seen = new Set<string>();
    const open = [commit];
    for (let id = open.shift(); id !== undefined; id = open.shift()) {
      const found = this.commits.get(id);
      if (!found || seen.has(id)) continue;
      seen.add(id);
      open.push(...found.parents);
    }
    return [...seen];
  }
}

function idOf(kind: string, content: string | Uint8Array): string {
  return createHash('sha1').update(kind).update(content).digest('hex');
}
