/**
 * `npm run peers [-- NAME[@VERSION]… --path DIR --command '…' --tasks FILE --only battery|figures --case TEXT --json
 * FILE]`: the same stub agent under ralph and its peers: what a loop costs, and what it lets happen. Prints two Markdown
 * tables and what was seen in each case. docs/comparison.md has a run.
 *
 * Needs Linux and `unshare`: peers run without a network, in throw-away folders, and die with this.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { peers } from '../bench/peers/adapters/all.ts';
import { cloned } from '../bench/peers/adapters/cloned.ts';
import { battery, tryCase } from '../bench/peers/battery/all.ts';
import type { Verdict } from '../bench/peers/battery/case.ts';
import { install } from '../bench/peers/install.ts';
import { measure } from '../bench/peers/measure.ts';
import type { Installed, Peer } from '../bench/peers/peer.ts';
import { type PeerResult, type Results, tables } from '../bench/peers/results.ts';
import { build } from '../bench/support/built.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    path: { type: 'string' },
    command: { type: 'string' },
    tasks: { type: 'string', default: 'PRD.md' },
    only: { type: 'string' },
    case: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const versions = Object.fromEntries(positionals.flatMap((word) => (word.includes('@') ? [word.split('@')] : [])));
const names = positionals.map((word) => word.split('@')[0] ?? word);
const unknown = names.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0 || (values.path === undefined) !== (values.command === undefined)) {
  console.error(
    unknown.length > 0
      ? `No such peer: ${unknown.join(', ')}. There are: ${peers.map(({ name }) => name).join(', ')}`
      : '--path and --command belong together',
  );
  process.exit(2);
}

await build();
const folder = await mkdtemp(join(tmpdir(), 'ralph-peers-install-'));
const results: PeerResult[] = [];
const missing: string[] = [];
try {
  for (const peer of chosen()) {
    console.log(`\n── ${peer.name}`);
    let installed: Installed;
    try {
      installed = await install(peer, folderOf(peer), versions);
    } catch (error) {
      missing.push(`${peer.name}: ${error instanceof Error ? error.message : error}`);
      continue;
    }
    results.push(await examine(peer, installed));
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

const [{ model = 'unknown' } = {}] = cpus();
const machine = `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
const all: Results = { date: new Date().toISOString().slice(0, 10), machine, peers: results };
console.log(
  `\n${machine}\n\n${tables(
    all,
    battery.map(({ name }) => name),
  )}`,
);
for (const line of missing) console.log(`not obtainable: ${line}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);

function chosen(): readonly Peer[] {
  if (values.command !== undefined) return [cloned(values.command, values.tasks)];
  return names.length === 0 ? peers : peers.filter(({ name }) => names.includes(name));
}

function folderOf(peer: Peer): string {
  return values.path === undefined ? join(folder, peer.name) : resolve(values.path);
}

async function examine(peer: Peer, installed: Installed): Promise<PeerResult> {
  const figures = values.only === 'battery' ? null : await measure(peer, installed);
  if (figures !== null) console.log(JSON.stringify(figures));
  const verdicts: Record<string, Verdict> = {};
  for (const test of values.only === 'figures' ? [] : battery.filter(({ name }) => name.includes(values.case))) {
    const verdict = await tryCase(peer, installed, test);
    console.log(`${verdict.outcome === 'held' ? '✓' : '✗'} ${test.name}: ${verdict.saw}`);
    verdicts[test.name] = verdict;
  }
  return { name: peer.name, version: installed.version, started: peer.started, figures, battery: verdicts };
}
