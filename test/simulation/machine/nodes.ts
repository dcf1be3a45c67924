import type { Random } from './random.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly ino: number;
  data: Buffer;
  size: number;
  mode: number;
  mtimeMs: number;
  /** What is on the platter: null when not even its name is. */
  synced: Buffer | null;
}
export interface DirNode {
  readonly kind: 'dir';
  readonly ino: number;
  readonly names: Map<string, Node>;
  mode: number;
  mtimeMs: number;
}
export interface LinkNode {
  readonly kind: 'link';
  readonly ino: number;
  readonly target: string;
  mode: number;
  mtimeMs: number;
}
export type Node = FileNode | DirNode | LinkNode;

/** Writes into a file from an offset on; it grows as it has to. */
export function put(node: FileNode, bytes: Uint8Array, at: number): void {
  const end = at + bytes.length;
  if (end > node.data.length) {
    const grown = Buffer.alloc(Math.max(end, node.data.length * 2));
    node.data.copy(grown, 0, 0, node.size);
    node.data = grown;
  }
  // Shared with nobody: what was synced is a copy.
  node.data.set(bytes, at);
  node.size = Math.max(node.size, end);
}

/** What a power cut leaves of bytes that were not synced: all of them, none, or a part. */
export function loseBytes(dir: DirNode, name: string, node: FileNode, random: Random): void {
  const { synced } = node;
  const fate = random.below(3);
  if (fate === 0) return;
  if (synced === null && fate === 1) {
    dir.names.delete(name);
    return;
  }
  const now = Buffer.from(node.data.subarray(0, node.size));
  const before = synced ?? Buffer.alloc(0);
  const grew = now.length > before.length && now.subarray(0, before.length).equals(before);
  const kept =
    fate === 1
      ? before
      : grew
        ? now.subarray(0, before.length + random.below(now.length - before.length))
        : now.subarray(0, random.below(now.length + 1));
  node.data = Buffer.from(kept);
  node.size = kept.length;
}
