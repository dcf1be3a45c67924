import type { AgentAdapter, AgentTask } from '../../../src/adapters/agents/index.ts';
import { type AgentResult, NO_USAGE } from '../../../src/contracts/index.ts';
import type { Session } from '../../../src/loop/index.ts';
import type { Repository } from '../git/repository.ts';
import type { Machine } from '../machine/machine.ts';
import type { Exit } from '../machine/processes.ts';
import type { Deed } from './world.ts';

const MINUTE = 60_000;

/** The agents of a world: what they are told to do next, and what they made so far. */
export class Agents {
  task: AgentTask | null = null;
  session: Session | null = null;
  /** Contents that nobody may lose. */
  readonly made: string[] = [];
  starts = 0;
  isWorking = false;
  /** The ledger as it was when an agent deleted it; null once the next agent starts: by then it must be back. */
  #deletedLedger: string | null = null;
  readonly #deeds: readonly Deed[];
  readonly #machine: Machine;
  readonly #repository: Repository;

  constructor(machine: Machine, repository: Repository, deeds: readonly Deed[]) {
    this.#machine = machine;
    this.#repository = repository;
    this.#deeds = deeds;
  }

  adapter(name: string): AgentAdapter {
    return {
      name,
      capabilities: { hooks: false, tools: true, cost: true, tokens: true, limits: true, budget: false },
      environment: [],
      inside: { hosts: () => [], config: null, logins: [], seeds: {} },
      program: () => null,
      detect: async () => ({ ok: true, version: '1', detail: '', fix: '' }),
      command: async (task) => {
        this.task = task;
        return { file: 'agent', args: [], cwd: task.cwd, env: task.env, stdin: task.prompt };
      },
      translator: () => {
        let result: Partial<AgentResult> = {};
        return {
          line: (line) => {
            const said = JSON.parse(line);
            if (said.result) result = said.result;
            return said.event ? [said.event] : [];
          },
          end: ({ exitCode, signal }) => resultOf(exitCode, signal, result),
        };
      },
    };
  }

  /** One process: it looks around for a minute, works for another, and says how it went. */
  async run({ say, stopped }: { say: (line: string) => void; stopped: Promise<void> }): Promise<Exit> {
    const deed = this.#deeds[this.starts] ?? 'finish';
    this.starts += 1;
    this.#deletedLedger = null;
    const nth = this.starts;
    this.isWorking = true;
    this.#machine.note(`agent ${nth} ${deed} ${this.task?.mode} ${this.task?.storyId}`);
    say(JSON.stringify({ event: { type: 'session', sessionId: `s${nth}`, model: 'model', version: '1' } }));
    const ended = await Promise.race([this.#work(deed, nth, say), stopped.then(() => 'stopped' as const)]);
    this.isWorking = false;
    return ended === 'stopped' ? { exitCode: null, signal: 'SIGTERM' } : { exitCode: ended, signal: null };
  }

  async #work(deed: Deed, nth: number, say: (line: string) => void): Promise<number> {
    await this.#pass(MINUTE);
    if (deed === 'hang') return new Promise<number>(() => {});
    const usage = { ...NO_USAGE, inputTokens: 1000, outputTokens: 200 };
    say(JSON.stringify({ event: { type: 'usage', usage, contextTokens: 1200, costUsd: 0.05 } }));
    const text = (await this.#do(deed, nth)) ?? '';
    await this.#pass(MINUTE);
    const result = { text, usage, costUsd: 0.1 };
    if (deed === 'silent') return 0;
    if (deed === 'limit') {
      const limit = { status: 'rejected', kind: 'five_hour', resetsAt: this.#machine.time.now() + 20 * MINUTE };
      say(JSON.stringify({ result: { ...result, limit, error: { kind: 'limit', message: 'usage limit reached' } } }));
      return 1;
    }
    if (deed === 'network' || deed === 'crash') {
      say(JSON.stringify({ result: { ...result, error: { kind: deed, message: `${deed} of a simulated agent` } } }));
      return 1;
    }
    const absurd = { inputTokens: 1e15, outputTokens: 1e15, cacheReadTokens: 0, cacheWriteTokens: 0 };
    say(JSON.stringify({ result: deed === 'absurd' ? { ...result, usage: absurd, costUsd: 1e12 } : result }));
    return 0;
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.#machine.time.start(resolve, ms));
  }

  /** @returns its answer */
  async #do(deed: Deed, nth: number): Promise<string | null> {
    const { mode = 'implement', storyId = '' } = this.task ?? {};
    const isReview = mode === 'review';
    switch (deed) {
      case 'idle':
      case 'silent':
        return 'I looked around.';
      case 'lie':
        return finished(mode);
      case 'block':
        return block('STATUS: BLOCKED\nEXIT_SIGNAL: false\nRECOMMENDATION: nobody knows the password');
      case 'request-changes':
        if (isReview)
          return block(
            'STATUS: COMPLETE\nREVIEW: CHANGES_REQUESTED\nEXIT_SIGNAL: false\nFEEDBACK: src/x.ts:1 it is wrong',
          );
        break;
      case 'delete-state':
        this.#deletedLedger = this.#ledger();
        this.#remove('.git/ralph');
        this.#remove('.ralph');
        break;
      case 'delete-backlog':
        this.#remove('ralph/tasks.json');
        break;
      case 'corrupt':
        this.#put('ralph/tasks.json', '{"userStories": [{"id": "US-0');
        break;
      case 'illegal':
        this.#edit((backlog) => {
          for (const story of backlog.userStories)
            Object.assign(story, { passes: true, title: 'changed', reviewStatus: 'approved' });
          backlog.userStories.pop();
        });
        break;
      case 'progress':
        this.#put('ralph/progress.txt', 'nothing of what stood here\n');
        break;
      case 'overwrite':
        this.#work1('README.md', nth);
        break;
      default:
    }
    if (isReview && deed !== 'partial' && deed !== 'commit') {
      if (deed === 'finish-by-tool') await this.session?.tool('submit_review', { verdict: 'approve', notes: 'fine' });
      return finished(mode);
    }
    this.#work1(`src/work-${nth}.txt`, nth);
    if (deed === 'break') this.#put('src/broken.txt', this.#new(`broken by ${nth}`));
    else if (deed === 'finish') this.#remove('src/broken.txt', true);
    if (deed === 'commit') this.#commit(nth);
    if (deed === 'partial' || deed === 'network' || deed === 'crash' || deed === 'limit') return 'There is more to do.';
    if (deed === 'finish-by-backlog') {
      this.#edit((backlog) => {
        const story = backlog.userStories.find(({ id }: { id: string }) => id === storyId);
        if (story) Object.assign(story, { passes: true, notes: `done by ${nth}` });
      });
      return 'I did it.';
    }
    if (deed === 'finish-by-tool') {
      await this.session?.tool('complete_story', { status: 'success', summary: 'done', tests: 'passing' });
      return 'I did it.';
    }
    return finished(mode);
  }

  #ledger(): string {
    return this.#machine.disk.bytesAt(`${this.#repository.root}/.git/ralph/ledger.jsonl`)?.toString('utf8') ?? '';
  }

  /** Whether lines of the ledger that the last agent deleted are still missing. */
  isLedgerMissing(): boolean {
    return this.#deletedLedger !== null && !this.#ledger().startsWith(this.#deletedLedger);
  }

  #new(content: string): string {
    this.made.push(content);
    return content;
  }

  #work1(path: string, nth: number): void {
    this.#put(path, this.#new(`${path} by agent ${nth}`));
  }

  #put(path: string, text: string): void {
    this.#machine.disk.putFile(`${this.#repository.root}/${path}`, text);
  }

  /** @param isWork what stood there was somebody's work, which git has */
  #remove(path: string, isWork = false): void {
    void isWork;
    this.#machine.disk.drop(`${this.#repository.root}/${path}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a backlog as an agent sees it, JSON of any shape
  #edit(change: (backlog: any) => void): void {
    const path = `${this.#repository.root}/ralph/tasks.json`;
    const backlog = JSON.parse(this.#machine.disk.bytesAt(path)?.toString('utf8') ?? '{"userStories":[]}');
    change(backlog);
    this.#machine.disk.putFile(path, `${JSON.stringify(backlog, null, 2)}\n`);
  }

  #commit(nth: number): void {
    const { objects, refs, head, headCommit } = this.#repository;
    const tree = this.#repository.snapshot();
    const date = this.#machine.time.now();
    refs.set(head, objects.commit({ tree, parents: [headCommit], subject: `agent ${nth}`, trailers: [], date }));
  }
}

function finished(mode: string): string {
  const review = mode === 'review' ? 'REVIEW: APPROVED\n' : '';
  return block(`STATUS: COMPLETE\n${review}EXIT_SIGNAL: true`);
}

function block(fields: string): string {
  return `That is it.\n---RALPH_STATUS---\n${fields}\n---END_RALPH_STATUS---\n`;
}

function resultOf(exitCode: number | null, signal: string | null, said: Partial<AgentResult>): AgentResult {
  const { text = '', usage = NO_USAGE, costUsd = null, limit = null } = said;
  const isEmpty = exitCode === 0 && text === '';
  const died = exitCode === 0 ? null : ({ kind: 'crash', message: `it ended with ${signal ?? exitCode}` } as const);
  const error = said.error ?? (isEmpty ? ({ kind: 'empty', message: 'nothing said' } as const) : died);
  return { exitCode, signal, ok: error === null, text, usage, costUsd, turns: 1, sessionId: 's', limit, error };
}
