import { runGh } from '../../adapters/github/index.ts';
import { loadOrThrow, redactedJson } from '../../adapters/workspace/index.ts';
import { describeError, RalphError, type RalphEvent } from '../../contracts/index.ts';
import type { RunPorts } from '../../loop/index.ts';
import { issueOf, quoted } from '../../rules/evidence/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';

const PATIENCE_MS = 15_000;

/** Comments on the issues of stories that agents block. One that fails is a warning; the loop never waits. */
export function commentsOf({ git, workspace }: Pick<RunPorts, 'git' | 'workspace'>, io: Io) {
  let last: Promise<void> = Promise.resolve();

  async function comment(story: string, reason: string): Promise<void> {
    const { document } = await loadOrThrow(workspace);
    const found = document.backlog.stories.find(({ id }) => id === story);
    const issue = found === undefined ? null : issueOf(found);
    if (issue === null) return;
    const input = ['ralph stopped working on this; it needs a person:', '', ...quoted(reason)].join('\n');
    const place = { cwd: git.repo.root, env: io.env, timeoutMs: PATIENCE_MS, input };
    await runGh(['issue', 'comment', issue.url, '--body-file', '-'], place);
  }

  function failed(story: string, error: unknown): void {
    const why = error instanceof RalphError ? (error.facts.why ?? describeError(error)) : String(error);
    io.stderr.write(`warning: no comment on the issue of ${oneLine(`${story}: ${why}`)}\n`);
  }

  return {
    /** Never throws, never waits. */
    see(event: RalphEvent): void {
      // Outside of iterations it was a person who blocked the story.
      if (event.type !== 'story' || event.to !== 'blocked' || event.iteration === 0) return;
      const { story, reason } = event;
      const safe: string = JSON.parse(redactedJson(reason));
      last = last.then(() => comment(story, safe)).catch((error: unknown) => failed(story, error));
    },
    settle: () => last,
  };
}
