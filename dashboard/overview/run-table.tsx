import { useState } from 'preact/hooks';
import type { ProjectInfo, RunSummary } from '../../src/surfaces/dashboard/api.ts';
import { StoryBar } from '../parts/bars.tsx';
import { Icon } from '../parts/icon.tsx';
import { ModeLabel, RunStatePill, VerdictPill } from '../parts/pills.tsx';
import { runHref } from '../route.ts';
import { now } from '../state/clock.ts';
import { isLive } from '../state/overview.ts';
import { ago, counted, dollars, elapsed, moment, said } from '../text.ts';

/** Shown of a group before the reader asks for the rest. */
const SHOWN = 15;

const CUT_OFF = 'Its process is gone. The next `ralph run` recovers what was under way.';

/** Runs of one repository, a line each. */
export function RunTable(props: { readonly runs: readonly RunSummary[]; readonly projects: readonly ProjectInfo[] }) {
  const [all, setAll] = useState(false);
  const live = props.runs.filter(isLive).length;
  const shown = all ? props.runs : props.runs.slice(0, Math.max(SHOWN, live));
  const names = new Map(props.projects.map((project) => [project.id, project.name]));
  const hidden = props.runs.length - shown.length;
  return (
    <div class="panel">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Run</th>
            <th scope="col">Now</th>
            <th scope="col">Stories</th>
            <th scope="col" class="right">
              Iteration
            </th>
            <th scope="col" class="right">
              Cost
            </th>
            <th scope="col">Last verdict</th>
            <th scope="col" class="right">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((run) => (
            <Row
              key={`${run.project}/${run.run}`}
              run={run}
              stream={props.projects.length > 1 ? (names.get(run.project) ?? null) : null}
            />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <button type="button" class="button quiet more" onClick={() => setAll(true)}>
          Show {counted(hidden, 'older run')}
        </button>
      )}
    </div>
  );
}

function Row({ run, stream }: { readonly run: RunSummary; readonly stream: string | null }) {
  return (
    <tr class={isLive(run) ? 'live' : ''}>
      <td class="c-state">
        <RunStatePill state={run.state} reason={run.ended?.reason} />
      </td>
      <td class="c-run">
        <a class="row-link mono" href={runHref(run.project, run.run)}>
          {said(run.run)}
        </a>
        <span class="dim meta">
          {stream !== null && <span>{said(stream)}</span>}
          {run.branch !== null && (
            <span>
              <Icon name="branch" /> {said(run.branch)}
            </span>
          )}
          {run.agent !== null && <span>{said(run.agent)}</span>}
        </span>
      </td>
      <td class="c-now">
        {run.needs !== null && (
          <span class="needs">
            <Icon name="alert" /> {said(run.needs)}
          </span>
        )}
        {isLive(run) ? (
          <Work run={run} />
        ) : (
          <span class="dim">{said(run.problem ?? run.ended?.summary ?? CUT_OFF)}</span>
        )}
      </td>
      <td class="c-stories">
        <StoryBar {...run.stories} />
      </td>
      <td class="c-iteration right number">
        <span class="label">iteration </span>
        {run.iteration}
        <span class="dim">/{run.maxIterations}</span>
      </td>
      <td class="c-cost right number">{dollars(run.costUsd)}</td>
      <td class="c-verdict">{run.lastVerdict !== null && <VerdictPill verdict={run.lastVerdict} />}</td>
      <td class="c-started right number dim">
        <Started run={run} />
      </td>
    </tr>
  );
}

function Work({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <span class="line">{run.story === null ? '' : `${said(run.story.id)} ${said(run.story.title)}`}</span>
      {run.mode !== null && (
        <span class="dim meta">
          <ModeLabel mode={run.mode} />
        </span>
      )}
    </>
  );
}

/** Live ones say how long they go on, ended ones how long ago they began. */
function Started({ run }: { readonly run: RunSummary }) {
  if (run.startedAt === null) return <>-</>;
  const text = isLive(run) ? elapsed(now.value - run.startedAt) : ago(now.value - run.startedAt);
  return (
    <time dateTime={new Date(run.startedAt).toISOString()} title={moment(run.startedAt)}>
      {text}
    </time>
  );
}
