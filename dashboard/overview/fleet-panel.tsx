import type { ComponentChildren } from 'preact';
import type { StreamStanding, WorkerStanding } from '../../src/surfaces/dashboard/api.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Pill, type PillTone } from '../parts/pills.tsx';
import { now } from '../state/clock.ts';
import { fleet } from '../state/fleet.ts';
import { ago, counted, dollars, said, stopwatch } from '../text.ts';

/** Streams and workers of the fleet, as its engine knows them. */
export function FleetPanel() {
  const told = fleet.value;
  if (told === null) return null;
  const { engine, streams, workers, problem, at } = told;
  return (
    <section class="run-group fleet" aria-label="Fleet">
      <header>
        <h2>
          <Icon name="repeat" /> Fleet
        </h2>
        <span class="dim path" title={said(engine)}>
          {said(engine)}
        </span>
      </header>
      {problem !== null && (
        <p class="problem" role="alert">
          <Icon name="alert" />
          <span class="said">
            {said(problem)}
            {at !== null && ` (what follows was so ${ago(now.value - at)})`}
          </span>
        </p>
      )}
      {at !== null && (
        <>
          <Table
            name="Streams"
            heads={['State', 'Stream', 'Turns', 'Cost', 'Worker', 'Now']}
            empty={streams.length === 0}
          >
            {streams.map((one) => (
              <StreamRow key={one.stream} one={one} />
            ))}
          </Table>
          <Table
            name="Workers"
            heads={['State', 'Worker', 'Turns at a time', 'Host', 'Streams']}
            empty={workers.length === 0}
          >
            {workers.map((one) => (
              <WorkerRow key={one.worker} one={one} />
            ))}
          </Table>
          <p class="dim note">The files of these runs are with their workers; those of this machine are below.</p>
        </>
      )}
    </section>
  );
}

function Table(props: {
  readonly name: string;
  readonly heads: readonly string[];
  readonly empty: boolean;
  readonly children: ComponentChildren;
}) {
  if (props.empty) return <p class="dim">No {props.name.toLowerCase()} yet.</p>;
  return (
    <div class="panel">
      <table aria-label={props.name}>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

type Look = readonly [tone: PillTone, icon: IconName];

const STREAM: Readonly<Record<StreamStanding['state'], Look>> = {
  ready: ['info', 'dots'],
  working: ['accent', 'play'],
  later: ['warn', 'clock'],
  done: ['good', 'check-circle'],
  ended: ['plain', 'stop'],
  cancelled: ['plain', 'stop'],
  failed: ['bad', 'cross-circle'],
};

function StreamRow({ one }: { readonly one: StreamStanding }) {
  const badEnd = one.ended !== null && one.ended.exitCode !== 0;
  const [tone, icon] = badEnd ? (['warn', 'stop'] as const) : STREAM[one.state];
  return (
    <tr>
      <td>
        <Pill tone={tone} icon={icon} live={one.state === 'working'}>
          {badEnd ? one.ended?.reason : one.state}
        </Pill>
      </td>
      <td>
        <strong>{said(one.stream)}</strong>
      </td>
      <td class="number">
        {counted(one.turns, 'turn')}
        {one.attempts > 1 && <span class="warn-text"> attempt {one.attempts}</span>}
      </td>
      <td class="number">{dollars(one.costUsd)}</td>
      <td class="mono">{said(one.worker ?? '')}</td>
      <td class="said dim">
        {said(one.text)}
        {one.until !== null && `${one.text === '' ? '' : ', '}${stopwatch(one.until - now.value)} left`}
      </td>
    </tr>
  );
}

const WORKER: Readonly<Record<WorkerStanding['state'], Look>> = {
  working: ['good', 'check-circle'],
  draining: ['warn', 'clock'],
  gone: ['bad', 'cross-circle'],
};

function WorkerRow({ one }: { readonly one: WorkerStanding }) {
  const [tone, icon] = WORKER[one.state];
  return (
    <tr>
      <td>
        <Pill tone={tone} icon={icon}>
          {one.state}
        </Pill>
      </td>
      <td class="mono">{said(one.worker)}</td>
      <td class="number">
        {one.streams.length} of {one.capacity}
      </td>
      <td>{said(one.host)}</td>
      <td class="said">{said(one.streams.join(', '))}</td>
    </tr>
  );
}
