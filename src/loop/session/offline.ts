import type { Git } from '../../adapters/git/index.ts';
import { readDocument, readLedger, type Workspace } from '../../adapters/workspace/index.ts';
import { failureText } from '../../rules/prompt/index.ts';
import { lastFailure, lastViolations, nextQuestion } from '../../rules/safeguards/index.ts';
import { ALL_TOOLS, answerCall, READING_TOOLS } from '../../rules/tools/index.ts';
import type { Session } from '../ports.ts';
import { NOTHING_RECORDED } from './record.ts';

const READING: ReadonlySet<string> = new Set(READING_TOOLS.map(({ name }) => name));

/**
 * The tools outside a run: those that only read answer from the files; those that change something report that no run
 * is there to judge the change. The story is the one that a call names, else the first that is not done.
 */
export function offlineTools(place: {
  readonly workspace: Workspace;
  readonly git: Pick<Git, 'repo'>;
}): Pick<Session, 'tools' | 'tool'> {
  return {
    tools: ALL_TOOLS,
    async tool(name, args) {
      if (!READING.has(name)) {
        const text = `${name} needs a run, and none is active here. The user starts one with \`ralph run\`, and changes stories with \`ralph stories\`.`;
        return { text, isError: true };
      }
      const { document, problems } = await readDocument(place.workspace);
      if (!document) {
        const found = problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n');
        return { text: `The backlog cannot be read:\n${found}`, isError: true };
      }
      const story = document.backlog.stories.find(({ passes }) => !passes)?.id ?? '';
      const ledger = await readLedger(place.git.repo.stateDir);
      const state = {
        question: nextQuestion(ledger),
        mode: 'implement',
        story,
        skipReview: false,
        reviewCap: 0,
        snapshot: document,
        agent: document,
        record: NOTHING_RECORDED,
        toAnswer: [],
        failure: failureText(lastFailure(ledger, story), lastViolations(ledger, story)),
      } as const;
      return answerCall(name, args, state).answer;
    },
  };
}
