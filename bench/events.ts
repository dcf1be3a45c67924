/**
 * Event logs: how fast they are written, and how fast and in how much memory those who watch read long ones. The logs
 * are like those of agents that talk and use tools: of a thousand lines about sixteen are headlines.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openEventFile, openEventLog } from '../src/adapters/workspace/index.ts';
import { systemClock } from '../src/platform/index.ts';
import { foldRun } from '../src/rules/view/index.ts';
import { eventLines } from './support/event-lines.ts';
import { temporaryFolder } from './support/repository.ts';
import { ms, report, target } from './support/statistics.ts';

const RUN = '20260101-100000-benc';
const APPENDED = 50_000;
const MILLION = 1_000_000;
const GIGABYTE = 1024 ** 3;
const FIRST_LINES = 200;

await appending();
await opening();
await following();

async function appending(): Promise<void> {
  const log = await openEventLog(temporaryFolder(), RUN, systemClock);
  const started = performance.now();
  for (let i = 0; i < APPENDED; i++) {
    log.emit(1, { type: 'agent', event: { type: 'text', text: `line ${i} of what an agent may say in one go` } });
  }
  const seconds = (performance.now() - started) / 1000;
  log.close();
  report('events written per second', Math.round(APPENDED / seconds).toLocaleString('en'), target('≥', 20_000));
}

/** What monitor and dashboard do first: the whole view of the run, and the last lines of its log. */
async function opening(): Promise<void> {
  const root = temporaryFolder();
  const bytes = writeLog(root, ({ lines }) => lines >= MILLION);
  const file = await openEventFile(root, RUN);
  const fold = foldRun(RUN);
  const started = performance.now();
  while ((await file.advance(fold.see, { headlines: true })) === 'grown');
  const { iterations } = fold.view();
  const scanned = performance.now() - started;
  const shown = await file.read(file.lines() - FIRST_LINES, FIRST_LINES);
  const opened = performance.now() - started;
  const what = `${Math.round(bytes / 1e6)} MB, ${iterations.length} iterations`;
  report('view of a run of 1,000,000 events', ms(scanned), what);
  report(`the same with its last ${shown.length} lines`, ms(opened), target('<', 2_000, 'ms'));
  const whole = foldRun(RUN);
  const again = await openEventFile(root, RUN);
  const begun = performance.now();
  while ((await again.advance(whole.see)) === 'grown');
  report('every event of it parsed and folded', ms(performance.now() - begun));
}

async function following(): Promise<void> {
  const root = temporaryFolder();
  writeLog(root, ({ bytes }) => bytes >= GIGABYTE);
  const file = await openEventFile(root, RUN);
  const fold = foldRun(RUN);
  let most = 0;
  let events = 0;
  const started = performance.now();
  const count: typeof fold.see = (event, line) => {
    fold.see(event, line);
    events += 1;
    if (events % 10_000 === 0) most = Math.max(most, process.memoryUsage.rss());
  };
  while ((await file.advance(count)) === 'grown');
  fold.view();
  most = Math.max(most, process.memoryUsage.rss());
  const figure = `${(most / 1e6).toFixed(0)} MB`;
  report('most memory while all of a 1 GB log is read', figure, `${events} events, ${ms(performance.now() - started)}`);
}

/** @returns bytes */
function writeLog(root: string, isEnough: (so: { lines: number; bytes: number }) => boolean): number {
  const path = `${root}/.ralph/runs/${RUN}/events.jsonl`;
  mkdirSync(dirname(path), { recursive: true });
  const header = `{"type":"log","version":1,"run":"${RUN}"}\n`;
  writeFileSync(path, header);
  const so = { lines: 1, bytes: header.length };
  for (let iteration = 1; !isEnough(so); iteration++) {
    const lines = eventLines(RUN, iteration);
    const text = `${lines.join('\n')}\n`;
    appendFileSync(path, text);
    so.lines += lines.length;
    so.bytes += text.length;
  }
  return so.bytes;
}
