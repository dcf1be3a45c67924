import type { AfterState, Checkpoint, Git } from '../../../src/adapters/git/index.ts';
import type { CommitRequest } from '../../../src/adapters/git/port.ts';
import { GONE } from '../machine/machine.ts';
import type { Repository } from './repository.ts';

const NEVER = new Promise<never>(() => {});

/**
 * The port of git over a repository in memory. Every operation is a step that may fail, and that the process may die
 * before; those that change more than one thing are several steps. What the loop does not call says so.
 */
export function simulatedGit(repository: Repository): Git {
  const { objects, refs, machine, root } = repository;
  const gitDir = `${root}/.git`;

  function headOf(name: string): string | null {
    if (name === 'HEAD') return repository.headCommit;
    if (objects.commits.has(name)) return name;
    return refs.get(name) ?? refs.get(`refs/heads/${name}`) ?? null;
  }

  const publicRefs = () => Object.fromEntries([...refs].filter(([name]) => !name.startsWith('refs/ralph/')).sort());

  function afterOf(checkpoint: Checkpoint): AfterState {
    const tree = repository.snapshot();
    const movedRefs: Record<string, readonly [string, string]> = {};
    const now = publicRefs();
    for (const name of new Set([...Object.keys(checkpoint.refs), ...Object.keys(now)])) {
      if (name === repository.head) continue;
      const [before = '', after = ''] = [checkpoint.refs[name], now[name]];
      if (before !== after) movedRefs[name] = [before, after];
    }
    return {
      head: repository.headCommit,
      branch: repository.head,
      tree,
      movedRefs,
      changed: objects.changes(checkpoint.tree, tree),
    };
  }

  function treeOf(request: CommitRequest): string {
    const files = new Map(objects.files(request.parent ?? request.checkpoint.head));
    const work = objects.files(repository.snapshot());
    for (const path of request.paths) {
      const id = work.get(path);
      if (id === undefined) files.delete(path);
      else files.set(path, id);
    }
    for (const [path, text] of Object.entries(request.files)) {
      if (text === null) files.delete(path);
      else files.set(path, objects.blob(Buffer.from(text)));
    }
    return objects.tree(files);
  }

  const operations: Partial<Git> = {
    refuseOperationsUnderWay: async () => {},
    refuseUncheckable: async () => {},
    leaveOut: async () => ({ untracked: [], tracked: [] }),
    namedByRules: async () => [],
    restoreSpec: async () => [],
    updateSpec: async () => [],
    async dirty(exempt) {
      const changed = objects.changes(repository.headCommit, repository.snapshot());
      const own = changed.filter(({ path }) => !exempt.some((top) => path === top || path.startsWith(`${top}/`)));
      return {
        tracked: own.filter(({ status }) => status !== 'added').map(({ path }) => path),
        untracked: own.filter(({ status }) => status === 'added').length,
      };
    },
    currentBranch: async () => repository.head.replace('refs/heads/', ''),
    defaultBranch: async () => 'main',
    async switchTo(name) {
      const ref = `refs/heads/${name}`;
      const from = repository.head.replace('refs/heads/', '');
      const created = !refs.has(ref);
      if (created) refs.set(ref, repository.headCommit);
      repository.head = ref;
      return { created, from };
    },
    async checkpoint(label) {
      const tree = repository.snapshot();
      refs.set(`refs/ralph/checkpoint/${label}`, objects.commit(keeper(tree)));
      return {
        head: repository.headCommit,
        branch: repository.head,
        tree,
        index: null,
        modes: [],
        emptyDirs: [],
        refs: publicRefs(),
        ignored: [],
      };
    },
    after: async (checkpoint) => afterOf(checkpoint),
    tree: async () => repository.snapshot(),
    restoreTree: async (tree) => repository.checkOut(tree),
    layOver: async (_folder, treeish) => treeish,
    changes: async (from, to) => objects.changes(headOf(from) ?? from, headOf(to) ?? to),
    changedBy: async (steps) => steps.map(({ base, commit }) => objects.changes(base, commit).map(({ path }) => path)),
    async uncommittedAmong(paths, commit, snapshot) {
      const [committed, there] = [objects.files(commit), objects.files(snapshot)];
      return paths.filter((path) => there.get(path) !== committed.get(path));
    },
    secretsBetween: async () => false,
    descends: async (commit, ancestor) => objects.history(headOf(commit) ?? '').includes(headOf(ancestor) ?? '?'),
    async show(treeish, path) {
      const id = objects.files(headOf(treeish) ?? treeish).get(path);
      return id === undefined ? null : new Uint8Array(objects.blobs.get(id) ?? []);
    },
    async blobs(treeish, paths) {
      const files = objects.files(headOf(treeish) ?? treeish);
      return new Map(paths.flatMap((path) => (files.has(path) ? [[path, String(files.get(path))]] : [])));
    },
    diffStat: async (from, to) =>
      objects
        .changes(from, to)
        .map(({ path, status }) => ` ${path} | ${status}`)
        .join('\n'),
    commitView: async () => null,
    async rescue({ run, iteration, tree, parents, subject, date }) {
      let k = 1;
      while (refs.has(`refs/ralph/rescue/${run}/${iteration}-${k}`)) k += 1;
      const name = `${run}/${iteration}-${k}`;
      const ref = `refs/ralph/rescue/${name}`;
      const ids = parents.map((parent) => headOf(parent) ?? parent);
      const commit = objects.commit({ tree, parents: ids, subject, trailers: [], date });
      refs.set(ref, commit);
      return { ref, name, commit, date, subject };
    },
    // No log of HEAD is kept: all that moves it is the agent's.
    movesSince: async () => [],
    async userIntervention(checkpoint, also) {
      if (checkpoint === null) return null;
      const now = refs.get(checkpoint.branch ?? repository.head) ?? '';
      return now === checkpoint.head || also.includes(now) ? null : { kind: 'moved', to: now };
    },
    async putBack(checkpoint, paths) {
      const files = new Map(objects.files(repository.snapshot()));
      const before = objects.files(checkpoint.tree);
      for (const path of paths) if (!files.has(path) && before.has(path)) files.set(path, before.get(path) ?? '');
      repository.checkOut(objects.tree(files));
      return paths;
    },
    async takeOut(checkpoint, left) {
      const files = new Map(objects.files(repository.snapshot()));
      const [before, after, head] = [checkpoint.tree, left, repository.headCommit].map((id) => objects.files(id));
      for (const { path } of objects.changes(left, checkpoint.tree)) {
        if (files.get(path) !== after?.get(path)) continue;
        const id = head?.get(path) ?? before?.get(path);
        if (id === undefined) files.delete(path);
        else files.set(path, id);
      }
      repository.checkOut(objects.tree(files));
    },
    async rollback(checkpoint) {
      repository.checkOut(checkpoint.tree);
      machine.step('git reset', checkpoint.head);
      if (checkpoint.branch) {
        refs.set(checkpoint.branch, checkpoint.head);
        repository.head = checkpoint.branch;
      }
    },
    async prepareCommit(request) {
      const parent = request.parent ?? request.checkpoint.head;
      const tree = treeOf(request);
      const files = objects.changes(parent, tree).length;
      if (files === 0 && request.parent === undefined) return { kind: 'empty' };
      const { subject, trailers, date } = request;
      return {
        kind: 'prepared',
        commit: objects.commit({ tree, parents: [parent], subject, trailers, date }),
        parent,
        files,
        holds: Object.keys(request.files).filter((path) => request.files[path] !== null),
      };
    },
    async applyCommit({ checkpoint, commit, agentHead }) {
      const branch = checkpoint.branch ?? repository.head;
      const now = refs.get(branch);
      if (now === commit) return 'already';
      if (now !== checkpoint.head && now !== agentHead) return 'moved-by-someone';
      refs.set(branch, commit);
      repository.head = branch;
      machine.step('git index', commit);
      return 'applied';
    },
    async keepAgentCommits({ run, iteration, from, agentHead }) {
      if (agentHead === from) return null;
      const ref = `refs/ralph/iterations/${run}/${iteration}`;
      refs.set(ref, agentHead);
      return { ref, messages: [objects.commits.get(agentHead)?.subject ?? ''] };
    },
    async keepMovedRefs({ run, iteration, movedRefs }) {
      for (const [name, [before]] of Object.entries(movedRefs))
        if (before !== '') refs.set(`refs/ralph/moved/${run}/${iteration}/${name}`, before);
    },
    async restoreRefs(lost) {
      const gone = Object.entries(lost).filter(([name]) => !refs.has(name));
      for (const [name, id] of gone) refs.set(name, id);
      return gone.map(([name]) => name);
    },
    async storyRange(storyId) {
      const own = objects
        .history(repository.headCommit)
        .filter((id) =>
          objects.commits.get(id)?.trailers.some(([key, value]) => key === 'Ralph-Story' && value === storyId),
        );
      const [head] = own;
      const base = objects.commits.get(own.at(-1) ?? '')?.parents[0];
      return head && base ? { base, head, commits: own.length } : null;
    },
    refreshIndex: async () => {},
    adoptGuest: async () => null,
    removeGuest: async () => {},
    snapshotTrust: async () => ({ files: {} }),
    restoreTrust: async () => [],
    worktrees: async () => [],
    resolve: async (name) => headOf(name),
    remotes: async () => [],
  };

  const repo = { root, gitDir, commonDir: gitDir, stateDir: `${gitDir}/ralph` };
  return new Proxy({} as Git, {
    get(_, name) {
      if (name === 'repo') return repo;
      if (name === 'identity') return {};
      if (name === 'then') return undefined;
      const operation = operations[name as keyof Git] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      if (!operation) throw new Error(`the simulated git cannot do ${String(name)}`);
      return (...args: unknown[]) =>
        asStep(
          () => machine.step(`git ${String(name)}`),
          () => operation(...args),
        );
    },
  });
}

/** A step that may fail; for a process that is gone it never comes back. */
async function asStep<T>(step: () => void, operation: () => Promise<T>): Promise<T> {
  try {
    step();
    return await operation();
  } catch (error) {
    if (error === GONE) return NEVER;
    throw error;
  }
}

function keeper(tree: string) {
  return { tree, parents: [], subject: 'checkpoint', trailers: [], date: 0 };
}
