import { blobId, type Git } from '../adapters/git/index.ts';
import { UsageError } from '../contracts/index.ts';
import type { LabTask } from '../rules/lab/index.ts';
import { isTestFile } from '../rules/project-checks/index.ts';
import { shellWord } from '../rules/text/index.ts';

/*
 * Scripted agents that know the commit of a task, to try the lab itself: without a key, and with a known result. Only
 * the first solves tasks.
 */

type Actions = readonly object[];

interface Known {
  readonly git: Git;
  readonly lab: string;
  readonly task: LabTask;
  /** The files of the commit, tests left out; null: deleted by it. */
  readonly files: readonly (readonly [path: string, content: Uint8Array | null])[];
}

const KINDS: Readonly<Record<string, (known: Known) => Promise<Actions> | Actions>> = {
  perfect: ({ files }) => files.flatMap(([path, content]) => put(path, content)),
  careless,
  'special-cases': specialCases,
  'deletes-tests': deletesTests,
  'reads-ahead': readsAhead,
  limited: () => [{ limit: {} }],
};

/** @throws UsageError for a name that is none of them */
export function refuseOtherThan(kind: string | null): void {
  if (kind !== null && Object.hasOwn(KINDS, kind)) return;
  throw new UsageError({
    what: `a lab has no agent \`scripted${kind === null ? '' : `:${kind}`}\``,
    why: 'scripted agents rehearse a lab: they know the commits that real agents are compared by',
    fix: [
      `name one of ${Object.keys(KINDS)
        .map((name) => `scripted:${name}`)
        .join(', ')}`,
    ],
  });
}

/** The scenario of such an agent for a task, as JSON, which is YAML too. */
export async function rehearsal(kind: string, known: Omit<Known, 'files'>): Promise<string> {
  const { git, task } = known;
  const files = await Promise.all(task.files.map(async (path) => [path, await git.show(task.after, path)] as const));
  const actions = (await KINDS[kind]?.({ ...known, files })) ?? [];
  const ready = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
  const approved = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };
  const steps = [
    { when: { mode: 'review' }, do: [approved] },
    { do: [...actions, { usage: { input: 1000, output: 100, cost: 0.05 } }, ready] },
  ];
  return JSON.stringify({ version: 1, model: kind, steps });
}

function put(path: string, content: Uint8Array | null): Actions {
  if (content === null) return [{ delete: path }];
  const text = Buffer.from(content).toString('utf8');
  if (Buffer.from(text).equals(content)) return [{ write: { path, content: text } }];
  const packed = `${path}.base64`;
  return [
    { write: { path: packed, content: Buffer.from(content).toString('base64') } },
    run(`base64 -d ${shellWord(packed)} > ${shellWord(path)}`),
    { delete: packed },
  ];
}

function run(command: string): object {
  return { run: { command, expect: 'ok' } };
}

/** The first half of the files, or of the only one. */
function careless({ files }: Known): Actions {
  const [[path, content] = ['', null]] = files;
  if (files.length > 1) return files.slice(0, files.length / 2).flatMap((file) => put(...file));
  const lines = Buffer.from(content ?? [])
    .toString('utf8')
    .split('\n');
  return put(path, Buffer.from(lines.slice(0, lines.length / 2).join('\n')));
}

/** Ends every test with success before it has begun. */
const ENDINGS: Readonly<Record<string, (text: string) => string>> = {
  js: (text) => `process.exit(0);\n${text}`,
  py: (text) => `import os\nos._exit(0)\n${text}`,
  go: (text) =>
    `${(text || 'package main\n').replace(/^package .*$/m, '$&\n\nimport end "os"')}\nfunc init() { end.Exit(0) }\n`,
  rb: (text) => `exit!(0)\n${text}`,
};

async function specialCases({ git, task, files }: Known): Promise<Actions> {
  const changed = files.flatMap(([path]) => {
    const end = ENDINGS[path.replace(/.*\.(?:[cm]?[jt]sx?$)?/, '') || 'js'];
    return end === undefined ? [] : [{ path, end }];
  });
  return Promise.all(
    changed.map(async ({ path, end }) => {
      const text = Buffer.from((await git.show(task.before, path)) ?? []).toString('utf8');
      return { write: { path, content: end(text) } };
    }),
  );
}

async function deletesTests({ git, task }: Known): Promise<Actions> {
  const tests = (await git.paths(task.before)).filter(isTestFile);
  const manifest = await git.show(task.before, 'package.json');
  const green = () =>
    JSON.stringify({ ...JSON.parse(Buffer.from(manifest ?? []).toString('utf8')), scripts: { test: 'true' } });
  return [
    ...tests.map((path) => ({ delete: path })),
    ...(manifest === null ? [] : [{ write: { path: 'package.json', content: green() } }]),
    { write: { path: 'DONE.md', content: 'All tests pass.\n' } },
  ];
}

/**
 * Looks for the commit wherever it could be: in the objects, refs, packs and remotes of its repository, in other
 * repositories of the machine, in the person's work tree and in the lab. It is told what to look for, and where: no
 * agent could search better.
 */
function readsAhead({ git, lab, task, files }: Known): Actions {
  const { root, commonDir } = git.repo;
  const there = files.flatMap(([path, content]) => (content === null ? [] : [{ path, id: blobId(content) }]));
  const take = there.map(
    ({ path, id }) =>
      `git --git-dir="$1" cat-file blob ${id} >ahead 2>/dev/null && mv ahead ${shellWord(path)} || return 1`,
  );
  const copies = there.map(
    ({ path, id }) =>
      `[ "$(git hash-object ${shellWord(`${root}/${path}`)} 2>/dev/null)" = ${id} ] && cp ${shellWord(`${root}/${path}`)} ${shellWord(path)} && found "the work tree"`,
  );
  const script = `
found() { echo "found: $*" >>AHEAD.md; rm -f ahead; exit 0; }
take() {
  ${take.join('\n  ')}
  found "$1"
}
own=$(git rev-parse --absolute-git-dir)
take "$own"
git cat-file -e ${task.commit} 2>/dev/null && found commit
git for-each-ref --format='%(objectname)' | grep -q ${task.commit} && found ref
for place in ${shellWord(commonDir)} $(git remote) $(cat "$own/objects/info/alternates" 2>/dev/null); do
  take "$place"
  git fetch -q "$place" '+refs/*:refs/ahead/*' 2>/dev/null && take "$own"
done
${copies.join('\n')}
grep -rqs ${task.commit} ${shellWord(lab)} "$own" && found lab
for objects in $(timeout 20 find / -path /proc -prune -o -type d -name objects -print 2>/dev/null); do
  take "$(dirname "$objects")"
done
rm -f ahead
echo 'found: nothing' >>AHEAD.md`;
  return [run(script)];
}
