import { onTestFinished } from 'vitest';
import { runCli } from '../../src/commands/cli.ts';
import { makeTempDir, readText, remove, runCommand, writeAtomic } from '../../src/platform/index.ts';
import { type MemoryIo, memoryIo } from '../../src/surfaces/terminal/io.fixture.ts';

export interface Repository {
  readonly root: string;
  /** Types `ralph …` in it. */
  ralph(...line: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  git(...args: readonly string[]): Promise<string>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string | null>;
  remove(): Promise<void>;
}

/** A real repository in the temp folder with these files committed; `README` is there in any case. */
export async function makeRepository(files: Readonly<Record<string, string>> = {}): Promise<Repository> {
  const root = await makeTempDir('ralph-commands-');
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const repository: Repository = {
    root,
    async ralph(...line) {
      const io: MemoryIo = memoryIo({ cwd: root, env });
      const code = await runCli(line, io);
      return { code, out: io.out(), err: io.err() };
    },
    async git(...args) {
      const { exitCode, stdout, stderr } = await runCommand('git', args, { cwd: root, env });
      if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`);
      return stdout.toString();
    },
    write: (path, text) => writeAtomic(`${root}/${path}`, text, { fsync: false }),
    read: (path) => readText(`${root}/${path}`),
    remove: () => remove(root),
  };
  await repository.git('init', '-q', '-b', 'main');
  await repository.git('config', 'user.name', 'Test');
  await repository.git('config', 'user.email', 'test@example.com');
  for (const [path, text] of Object.entries({ README: 'hello\n', ...files })) await repository.write(path, text);
  await repository.git('add', '-A');
  await repository.git('commit', '-q', '-m', 'start');
  return repository;
}

/** The same, gone after the test. */
export async function freshRepository(files: Readonly<Record<string, string>> = {}): Promise<Repository> {
  const repository = await makeRepository(files);
  onTestFinished(() => repository.remove());
  return repository;
}

/** A native backlog in `ralph/tasks.json`: one story done, one in review, one to do, one that waits for it. */
export const backlogText = `${JSON.stringify(
  {
    project: 'shop',
    branchName: 'ralph/shop',
    description: 'A till',
    verifyCommands: ['true'],
    userStories: [
      story('US-001', 'Add items', { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'done' }),
      story('US-002', 'Sum up', { reviewStatus: 'needs_review' }),
      story('US-003', 'Give change', {}),
      story('US-004', 'Print a receipt', { dependsOn: ['US-003'] }),
    ],
  },
  null,
  2,
)}\n`;

function story(id: string, title: string, fields: object): object {
  return {
    id,
    title,
    description: `As a cashier I want to ${title.toLowerCase()}.`,
    acceptanceCriteria: [`${title} works`],
    priority: Number(id.slice(3)),
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    ...fields,
  };
}
