import { diskError } from './disk-error.ts';
import { type DirNode, type FileNode, loseBytes, type Node, put } from './nodes.ts';
import type { Random } from './random.ts';

/** The machine that a disk is part of. */
interface Host {
  readonly gone: string | null;
  readonly random: Random;
  readonly time: { now(): number };
  /** Throws where something goes wrong. */
  step(what: string, detail: string): void;
}

interface OpenFile {
  readonly node: Node;
  readonly path: string;
  readonly append: boolean;
  at: number;
}

/** A change of names that no sync of its folder has brought to the platter. */
interface Unsynced {
  readonly dir: DirNode;
  readonly undo: () => void;
}

const LINKS = 8;

/**
 * A disk in memory with what a power cut does to it: bytes are safe once their file was synced, a new name once the file
 * was synced or its folder was, a rename and a removal once the folder was.
 */
export class Disk {
  readonly root: DirNode = { kind: 'dir', ino: 1, names: new Map(), mode: 0o755, mtimeMs: 0 };
  readonly #machine: Host;
  #open = new Map<number, OpenFile>();
  #unsynced: Unsynced[] = [];
  #ino = 2;
  #fd = 10;
  /** Below which folders a power cut can take what was not synced; everything else counts as synced. */
  volatile: (path: string) => boolean = () => false;

  constructor(machine: Host) {
    this.#machine = machine;
  }

  // Looking

  /** @param follow the last link, too */
  find(path: string, follow: boolean): Node | null {
    return this.#walk(path, follow, 0)?.node ?? null;
  }

  get(path: string, syscall: string, follow = true): Node {
    const node = this.find(path, follow);
    if (node === null) throw diskError('ENOENT', syscall, path);
    return node;
  }

  /** The path with its links resolved. */
  real(path: string): string {
    const found = this.#walk(path, true, 0);
    if (!found?.node) throw diskError('ENOENT', 'realpath', path);
    return found.path;
  }

  #walk(
    path: string,
    follow: boolean,
    links: number,
  ): { path: string; dir: DirNode; name: string; node: Node | null } | null {
    if (links > LINKS) throw diskError('ELOOP', 'open', path);
    const parts = path.split('/');
    const stack: DirNode[] = [this.root];
    const names: string[] = [];
    let node: Node = this.root;
    let last = { dir: this.root, name: '' };
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      if (part === undefined || part === '' || part === '.') continue;
      if (part === '..') {
        stack.pop();
        names.pop();
        node = stack.at(-1) ?? this.root;
        if (stack.length === 0) stack.push(this.root);
        continue;
      }
      if (node.kind !== 'dir') return node.kind === 'file' ? notADir(path) : null;
      last = { dir: node, name: part };
      const next: Node | undefined = node.names.get(part);
      const isLast = parts.slice(at + 1).every((rest) => rest === '' || rest === '.');
      if (next === undefined) return isLast ? { path: `/${[...names, part].join('/')}`, ...last, node: null } : null;
      if (next.kind === 'link' && (!isLast || follow)) {
        const rest = parts.slice(at + 1).join('/');
        const base = next.target.startsWith('/') ? next.target : `/${names.join('/')}/${next.target}`;
        return this.#walk(rest === '' ? base : `${base}/${rest}`, follow, links + 1);
      }
      node = next;
      names.push(part);
      if (next.kind === 'dir') stack.push(next);
    }
    return { path: `/${names.join('/')}`, ...last, node };
  }

  #place(path: string, syscall: string, follow: boolean) {
    const found = this.#walk(path, follow, 0);
    if (found === null) throw diskError('ENOENT', syscall, path);
    return found;
  }

  // Names

  makeDir(path: string, recursive: boolean): void {
    if (recursive) {
      const found = this.#walkOrNull(path);
      if (found?.kind === 'dir') return;
      if (found) throw diskError('EEXIST', 'mkdir', path);
      const parent = path.slice(0, path.lastIndexOf('/'));
      if (parent !== '') this.makeDir(parent, true);
    }
    const { dir, name, node } = this.#place(path, 'mkdir', true);
    if (node) throw diskError('EEXIST', 'mkdir', path);
    this.#machine.step('mkdir', path);
    dir.names.set(name, { kind: 'dir', ino: this.#ino++, names: new Map(), mode: 0o755, mtimeMs: this.#now() });
  }

  #walkOrNull(path: string): Node | null {
    return this.find(path, true);
  }

  link(target: string, path: string): void {
    const { dir, name, node } = this.#place(path, 'symlink', false);
    if (node) throw diskError('EEXIST', 'symlink', path);
    this.#machine.step('symlink', path);
    dir.names.set(name, { kind: 'link', ino: this.#ino++, target, mode: 0o777, mtimeMs: this.#now() });
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, 'rename', false);
    if (!source.node) throw diskError('ENOENT', 'rename', from);
    const target = this.#place(to, 'rename', false);
    if (target.node?.kind === 'dir' && target.node.names.size > 0) throw diskError('ENOTEMPTY', 'rename', to);
    if (target.node && (target.node.kind === 'dir') !== (source.node.kind === 'dir'))
      throw diskError(target.node.kind === 'dir' ? 'EISDIR' : 'ENOTDIR', 'rename', to);
    this.#machine.step('rename', to);
    const { node } = source;
    source.dir.names.delete(source.name);
    target.dir.names.set(target.name, node);
    const before = target.node;
    this.#later(to, target.dir, () => {
      if (target.dir.names.get(target.name) !== node) return;
      if (before) target.dir.names.set(target.name, before);
      else target.dir.names.delete(target.name);
      source.dir.names.set(source.name, node);
    });
  }

  remove(path: string, { recursive, force }: { readonly recursive: boolean; readonly force: boolean }): void {
    const found = this.#walk(path, false, 0);
    if (!found?.node) {
      if (force) return;
      throw diskError('ENOENT', 'rm', path);
    }
    const { dir, name, node } = found;
    if (node.kind === 'dir' && !recursive) throw diskError('EISDIR', 'rm', path);
    if (node.kind === 'dir')
      for (const each of [...node.names.keys()]) this.remove(`${path}/${each}`, { recursive, force });
    this.#machine.step('unlink', path);
    dir.names.delete(name);
    this.#later(path, dir, () => {
      if (!dir.names.has(name)) dir.names.set(name, node);
    });
  }

  removeDir(path: string): void {
    const { dir, name, node } = this.#place(path, 'rmdir', false);
    if (!node) throw diskError('ENOENT', 'rmdir', path);
    if (node.kind !== 'dir') throw diskError('ENOTDIR', 'rmdir', path);
    if (node.names.size > 0) throw diskError('ENOTEMPTY', 'rmdir', path);
    this.#machine.step('rmdir', path);
    dir.names.delete(name);
  }

  #later(path: string, dir: DirNode, undo: () => void): void {
    if (this.volatile(path)) this.#unsynced.push({ dir, undo });
  }

  // Open files

  open(
    path: string,
    flags: { write: boolean; append: boolean; create: boolean; exclusive: boolean; truncate: boolean; follow: boolean },
  ): number {
    const found = this.#place(path, 'open', flags.follow);
    let { node } = found;
    if (node?.kind === 'link') throw diskError('ELOOP', 'open', path);
    if (node && flags.exclusive) throw diskError('EEXIST', 'open', path);
    if (node?.kind === 'dir' && flags.write) throw diskError('EISDIR', 'open', path);
    if (!node) {
      if (!flags.create) throw diskError('ENOENT', 'open', path);
      this.#machine.step('create', path);
      const made: FileNode = {
        kind: 'file',
        ino: this.#ino++,
        data: Buffer.alloc(0),
        size: 0,
        mode: 0o644,
        mtimeMs: this.#now(),
        synced: this.volatile(path) ? null : Buffer.alloc(0),
      };
      node = made;
      found.dir.names.set(found.name, node);
    } else if (flags.truncate && node.kind === 'file') {
      this.#machine.step('truncate', path);
      node.size = 0;
    }
    const fd = this.#fd++;
    this.#open.set(fd, { node, path, append: flags.append, at: 0 });
    return fd;
  }

  opened(fd: number): OpenFile {
    const file = this.#open.get(fd);
    if (!file) throw diskError('EBADF', 'fd', String(fd));
    return file;
  }

  file(fd: number): FileNode {
    const { node, path } = this.opened(fd);
    if (node.kind !== 'file') throw diskError('EISDIR', 'read', path);
    return node;
  }

  close(fd: number): void {
    this.#open.delete(fd);
  }

  closeAll(): void {
    this.#open.clear();
  }

  write(fd: number, bytes: Uint8Array, position: number | null): number {
    const open = this.opened(fd);
    const node = this.file(fd);
    const at = open.append ? node.size : (position ?? open.at);
    try {
      this.#machine.step('write', open.path);
    } catch (error) {
      // Whoever dies in the middle of a write has written a part of it.
      const part = this.#machine.gone ? this.#machine.random.below(bytes.length + 1) : 0;
      if (part > 0) put(node, bytes.subarray(0, part), at);
      throw error;
    }
    put(node, bytes, at);
    node.mtimeMs = this.#now();
    if (position === null) open.at = at + bytes.length;
    return bytes.length;
  }

  truncate(fd: number, size: number): void {
    const node = this.file(fd);
    this.#machine.step('truncate', this.opened(fd).path);
    if (size < node.size) node.size = size;
    else put(node, new Uint8Array(size - node.size), node.size);
  }

  /** Bytes of a file, or the names of a folder, are on the platter from here on. */
  sync(fd: number): void {
    const { node, path } = this.opened(fd);
    this.#machine.step('sync', path);
    if (node.kind === 'file') {
      node.synced = Buffer.from(node.data.subarray(0, node.size));
      return;
    }
    this.#unsynced = this.#unsynced.filter(({ dir }) => dir !== node);
    if (node.kind === 'dir')
      for (const each of node.names.values()) if (each.kind === 'file') each.synced ??= Buffer.alloc(0);
  }

  chmod(path: string, mode: number): void {
    const node = this.get(path, 'chmod');
    this.#machine.step('chmod', path);
    node.mode = mode & 0o7777;
  }

  // Power cut

  /** What was not on the platter is lost, kept, or kept in part: names from the newest backwards, bytes file by file. */
  loseUnsynced(random: Random): void {
    const undone = random.below(this.#unsynced.length + 1);
    for (const { undo } of this.#unsynced.splice(this.#unsynced.length - undone).reverse()) undo();
    this.#unsynced = [];
    this.#lose(this.root, '', random);
  }

  #lose(dir: DirNode, path: string, random: Random): void {
    for (const [name, node] of [...dir.names]) {
      const full = `${path}/${name}`;
      if (node.kind === 'dir') this.#lose(node, full, random);
      if (node.kind !== 'file') continue;
      if (this.volatile(full)) {
        const now = node.data.subarray(0, node.size);
        if (node.synced === null || !now.equals(node.synced)) loseBytes(dir, name, node, random);
      }
      node.synced = Buffer.from(node.data.subarray(0, node.size));
    }
  }

  // Without steps: for whoever looks at the disk from outside

  bytesAt(path: string): Buffer | null {
    const node = this.find(path, true);
    return node?.kind === 'file' ? Buffer.from(node.data.subarray(0, node.size)) : null;
  }

  /** Puts a file there at once and for good: an editor of a person's, a program of an agent's. */
  putFile(path: string, bytes: string | Uint8Array, mode = 0o644): void {
    const parts = path.split('/').filter((part) => part !== '');
    let dir = this.root;
    for (const part of parts.slice(0, -1)) {
      let next = dir.names.get(part);
      if (next?.kind !== 'dir') {
        next = { kind: 'dir', ino: this.#ino++, names: new Map(), mode: 0o755, mtimeMs: this.#now() };
        dir.names.set(part, next);
      }
      dir = next;
    }
    const data = Buffer.from(bytes);
    const synced = Buffer.from(bytes);
    const mtimeMs = this.#now();
    dir.names.set(parts.at(-1) ?? '', {
      kind: 'file',
      ino: this.#ino++,
      data,
      size: data.length,
      mode,
      mtimeMs,
      synced,
    });
  }

  drop(path: string): void {
    const found = this.find(path.slice(0, path.lastIndexOf('/')) || '/', true);
    if (found?.kind === 'dir') found.names.delete(path.slice(path.lastIndexOf('/') + 1));
  }

  #now(): number {
    return this.#machine.time.now();
  }
}

function notADir(path: string): never {
  throw diskError('ENOTDIR', 'open', path);
}
