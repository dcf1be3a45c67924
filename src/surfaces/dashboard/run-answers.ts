import type { ServerResponse } from 'node:http';
import type { Git } from '../../adapters/git/index.ts';
import { findWorkspace, readDocument, runState } from '../../adapters/workspace/index.ts';
import type { ProjectInfo } from '../../contracts/index.ts';
import { isLive, type RunView } from '../../rules/view/index.ts';
import type { CommitView, LinesQuery, RunSnapshot, StoryText } from './api.ts';
import { openFeeds } from './feed.ts';
import { Refused } from './requests.ts';

interface RunPlace {
  readonly project: ProjectInfo;
  readonly run: string;
}

export type RunAnswers = ReturnType<typeof openRunAnswers>;

export interface RunTools {
  readonly openGit: (root: string) => Promise<Git>;
  readonly version: string;
  readonly now: () => number;
}

export function openRunAnswers(tools: RunTools) {
  const feeds = openFeeds();
  /** Views as text: while nothing changes, all callers get the same text. */
  const texts = new WeakMap<RunView, string>();

  function textOf(view: RunView): string {
    const text = texts.get(view) ?? JSON.stringify(view);
    texts.set(view, text);
    return text;
  }

  function view({ project, run }: RunPlace): Promise<RunView> {
    return feeds.use(project.root, run, async (feed) => (await feed.look()).view);
  }

  return {
    view,
    /** A {@link RunSnapshot} as JSON. */
    async snapshot({ project, run }: RunPlace) {
      const { view, lines } = await feeds.use(project.root, run, (feed) => feed.look());
      const around: Omit<RunSnapshot, 'view'> = { project, state: await runState(project.root, view), lines };
      return `${JSON.stringify(around).slice(0, -1)},"view":${textOf(view)}}`;
    },
    lines: ({ project, run }: RunPlace, query: LinesQuery) => feeds.use(project.root, run, (feed) => feed.find(query)),
    async commit(place: RunPlace, id: string): Promise<CommitView> {
      const made = (await view(place)).iterations.some(({ commit }) => commit?.id === id);
      const git = made ? await tools.openGit(place.project.root) : null;
      const commit = await git?.commitView(id);
      if (!commit) throw new Refused(404, 'this run made no such commit, or it is gone');
      return commit;
    },
    async story(place: RunPlace, id: string): Promise<StoryText> {
      const { specDir, stories } = await view(place);
      const shown = stories.find((one) => one.id === id);
      if (shown === undefined || specDir === null) throw new Refused(404, 'this run has no such story');
      const { root } = place.project;
      const flags = specDir === '.' ? {} : { ralphDir: `${root}/${specDir}` };
      const { document } = await readDocument(await findWorkspace({ root, cwd: root, flags, env: {} }));
      const story = document?.backlog.stories.find((one) => one.id === id && one.title === shown.title);
      if (story === undefined) throw new Refused(404, 'the story is no longer in the backlog');
      const { description, acceptanceCriteria, reviewFeedback, notes } = story;
      return { description, acceptanceCriteria, reviewFeedback, notes };
    },
    async report(place: RunPlace) {
      const seen = await view(place);
      const [git, state] = await Promise.all([tools.openGit(place.project.root), runState(place.project.root, seen)]);
      // Few ask for it, and it is large.
      const { FORMATS, reportData } = await import('../report/report.ts');
      const report = reportData([seen], {
        project: place.project.name,
        generatedAt: tools.now(),
        version: tools.version,
        rescues: await git.rescues(),
        live: isLive(state),
      });
      return FORMATS.html(report);
    },
    /** Streams events from a line on; the answer has begun. */
    join: ({ project, run }: RunPlace, outgoing: ServerResponse, after: number) =>
      feeds.use(project.root, run, (feed) => feed.join(outgoing, after)),
    beat: feeds.beat,
    close: feeds.close,
  };
}
