import type { Machine } from '../machine/machine.ts';
import type { DirNode } from '../machine/nodes.ts';
import { Objects } from './objects.ts';

/** A repository whose work tree lies on the simulated disk; refs and objects are safe as soon as they are made. */
export class Repository {
  readonly objects = new Objects();
  readonly refs = new Map<string, string>();
  /** Full name of the branch that is checked out. */
  head = 'refs/heads/main';
  readonly machine: Machine;
  readonly root: string;

  constructor(machine: Machine, root: string) {
    this.machine = machine;
    this.root = root;
  }

  get headCommit(): string {
    return this.refs.get(this.head) ?? '';
  }

  /** The work tree as git sees it, ignored files left out. */
  snapshot(): string {
    const files = new Map<string, string>();
    const top = this.machine.disk.find(this.root, true);
    if (top?.kind === 'dir') this.#collect(top, '', files);
    return this.objects.tree(files);
  }

  #collect(dir: DirNode, prefix: string, files: Map<string, string>): void {
    for (const [name, node] of dir.names) {
      const path = prefix + name;
      if (isIgnored(path)) continue;
      if (node.kind === 'dir') this.#collect(node, `${path}/`, files);
      else if (node.kind === 'file') files.set(path, this.objects.blob(node.data.subarray(0, node.size)));
      else files.set(path, this.objects.blob(Buffer.from(`link:${node.target}`)));
    }
  }

  /** Makes the work tree hold these files, one after the other: a crash leaves some of it undone. */
  checkOut(tree: string): void {
    const now = this.snapshot();
    for (const { path, status } of this.objects.changes(now, tree)) {
      this.machine.step('git checkout', path);
      const full = `${this.root}/${path}`;
      if (status === 'deleted') this.machine.disk.drop(full);
      else this.#write(full, this.objects.blobs.get(this.objects.files(tree).get(path) ?? '') ?? Buffer.alloc(0));
    }
  }

  #write(full: string, bytes: Buffer): void {
    const found = this.machine.disk.find(full, false);
    if (found && found.kind !== 'file') this.machine.disk.drop(full);
    this.machine.disk.putFile(full, bytes);
  }
}

/** `info/exclude` and `.ralph/.gitignore`, as a run sets them up. */
function isIgnored(path: string): boolean {
  if (path === '.git' || path === '.ralph' || path === '.ralph-active' || path === '.ralph-complete') return true;
  return path.endsWith('.ralph-tmp');
}
